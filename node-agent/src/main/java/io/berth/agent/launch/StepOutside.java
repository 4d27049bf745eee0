package io.berth.agent.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What leads a step on several nodes, for a script in a container: it runs outside of that, with
/// the variables of the `srun` that asks for it, in its directory if it may be entered here too,
/// and with its arguments but for the first. Its input, output and errors are pipes of the `srun`,
/// beside which it leaves its exit status.
record StepOutside(Shims shims, RunFiles files, StepCommand srun) {

    private static final String NAME = "outside.";
    private static final String WORDS = "words=";

    /// Writes the text by which it starts, for an account.
    Path write(Account account) throws LaunchRefused, IOException {
        clearOfGone();
        return files.job().tell(NAME + srun.process(), text(), account);
    }

    private String text() throws LaunchRefused {
        if (srun.arguments().isEmpty()) {
            throw new LaunchRefused("srun %d does not say what to start".formatted(srun.process()));
        }
        var variables = new TreeMap<>(srun.variables());
        // The srun of each node goes into a container of its own.
        variables.remove("SLURM_CONTAINER");
        variables.replaceAll((_, value) -> outside(value));
        String pipe = files.job().at(JobFiles.STEPS + "/" + NAME + srun.process()).toString();
        var command = new ArrayList<>(List.of("sh", "-c", "\"$@\"; echo $? >\"$0\""));
        command.addAll(List.of(pipe + ".status", shims.session().toString(), "--step"));
        command.addAll(arguments());
        // The directory may be the container's alone, or not to be entered by the account: who did
        // not come to the pipes would have the srun wait for ever.
        String enter =
                "cd -- %s 2>/dev/null || cd /tmp\n"
                        .formatted(StartScript.quoted(srun.directory().toString()));
        return StartScript.of(
                Path.of("/"),
                variables,
                new OutputFiles(
                        Path.of(pipe + ".in"),
                        Path.of(pipe + ".out"),
                        Path.of(pipe + ".err"),
                        OutputFiles.umask(variables)),
                enter,
                command);
    }

    /// Settings `NAME=VALUE`, of which `words=` says how many words of the user's follow, then
    /// texts of several such lines.
    private List<String> arguments() {
        var arguments = new ArrayList<String>();
        int words = 0;
        for (String argument : srun.arguments().subList(1, srun.arguments().size())) {
            if (words > 0) {
                words--;
                arguments.add(argument);
                continue;
            }
            if (argument.matches(WORDS + "[0-9]{1,9}")) {
                words = Integer.parseInt(argument.substring(WORDS.length()));
            }
            arguments.add(argument.lines().map(this::setting).collect(Collectors.joining("\n")));
        }
        return arguments;
    }

    private String setting(String line) {
        int value = line.indexOf('=') + 1;
        return line.substring(0, value) + outside(line.substring(value));
    }

    private String outside(String text) {
        return Containers.outside(text, files.folder(), shims.commands());
    }

    /// What is left of those whose `srun` is gone.
    private void clearOfGone() throws IOException {
        for (String name : files.job().names(".")) {
            if (name.matches("\\Q" + NAME + "\\E[0-9]{1,18}")
                    && ProcessHandle.of(Long.parseLong(name.substring(NAME.length()))).isEmpty()) {
                files.job().removeIfPossible(".", name);
            }
        }
    }
}
