package io.berth.cli;

import io.berth.slurm.BatchScript;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.Sbatch;
import io.berth.slurm.SbatchLine;
import io.berth.slurm.SbatchRequest;
import io.berth.slurm.SbatchSetting;
import io.berth.slurm.SubmittedFrom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// `sbatch`: submits a batch script.
final class SbatchCommand {

    static final String SYNOPSIS =
            "sbatch [OPTIONS] [SCRIPT [ARGUMENT...]]: submits a batch script";

    private final Terminal terminal;

    SbatchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /// @return the exit code
    int run(List<String> arguments) throws CommandFailure {
        try {
            SbatchLine line = Sbatch.commandLine(arguments);
            if (line.given(SbatchSetting.VERSION) != null) {
                terminal.out().print(Main.version() + "\n");
                return 0;
            }
            if (line.given(SbatchSetting.HELP) != null || line.given(SbatchSetting.USAGE) != null) {
                terminal.out().print(Help.ofSbatch());
                return 0;
            }
            return submit(line);
        } catch (InvalidOption e) {
            throw new CommandFailure(e.exitCode(), e.print("sbatch"));
        }
    }

    private int submit(SbatchLine line) throws InvalidOption, CommandFailure {
        MeshClient client = MeshClient.of(terminal, "sbatch");
        SbatchRequest request = request(line, client);
        for (String warning : request.warnings()) {
            terminal.err().print("sbatch: " + warning + "\n");
        }
        if (request.testOnly()) {
            return new DryRun(terminal, client).testOnly(request.submission());
        }
        var submitted = new SubmissionPost(terminal, client).send(request.submission());
        if (!request.quiet() || request.parsable()) {
            terminal.out()
                    .print(
                            (request.parsable() ? "" : "Submitted batch job ")
                                    + submitted.job()
                                    + "\n");
            terminal.out().flush();
        }
        return request.waits() ? new JobWait(terminal, client).untilEnd(submitted) : 0;
    }

    /// What the command line and its script ask for.
    SbatchRequest request(SbatchLine line, MeshClient client) throws InvalidOption, CommandFailure {
        String wrapped = line.given(SbatchSetting.WRAP);
        List<String> operands = line.operands();
        if (wrapped != null && !operands.isEmpty()) {
            throw InvalidOption.refused("Script arguments not permitted with --wrap option");
        }
        BatchScript script = wrapped != null ? BatchScript.wrap(wrapped) : script(operands);
        String name =
                wrapped != null
                        ? "wrap"
                        : operands.isEmpty() ? "sbatch" : fileName(operands.getFirst());
        String user = client.token().submitsFor(terminal);
        return Sbatch.request(
                line,
                inherited(),
                script,
                operands.isEmpty() ? operands : operands.subList(1, operands.size()),
                new SubmittedFrom(
                        name,
                        called(wrapped == null ? operands : List.of()),
                        terminal.directory().toString(),
                        host(terminal),
                        user,
                        () -> terminal.clock().instant().atZone(terminal.zone().get()),
                        file -> Files.readString(terminal.directory().resolve(file)),
                        Map.of()));
    }

    /// The caller's environment without the token and the secret of an allocation, which no job
    /// needs to see.
    private Map<String, String> inherited() {
        var environment = new TreeMap<>(terminal.environment());
        environment.remove("BERTH_TOKEN");
        environment.remove(Salloc.ALLOCATION);
        return environment;
    }

    private BatchScript script(List<String> operands) throws InvalidOption, CommandFailure {
        try {
            if (operands.isEmpty()) {
                return BatchScript.of(terminal.in().readAllBytes());
            }
            return BatchScript.of(
                    Files.readAllBytes(terminal.directory().resolve(operands.getFirst())));
        } catch (IOException e) {
            throw CommandFailure.error(
                    "sbatch",
                    "Unable to open file "
                            + (operands.isEmpty() ? "(standard input)" : operands.getFirst())
                            + (e instanceof NoSuchFileException
                                    ? ""
                                    : " (" + e.getMessage() + ")"));
        }
    }

    /// The script by its whole path, with its arguments; null where there is no file of it.
    private @Nullable String called(List<String> operands) {
        var words = new ArrayList<>(operands);
        if (!words.isEmpty()) {
            words.set(0, terminal.directory().resolve(words.getFirst()).normalize().toString());
        }
        return SubmittedFrom.line(words);
    }

    private static String fileName(String path) {
        return String.valueOf(Path.of(path).getFileName());
    }

    /// This machine's name, null if it is not known.
    static @Nullable String host(Terminal terminal) {
        String named = terminal.variable("HOSTNAME", "");
        if (!named.isEmpty()) {
            return named;
        }
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
