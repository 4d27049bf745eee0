package io.berth.agent.launch;

import io.berth.slurm.ResourceLimit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The shell text by which a task turns into the run's code: working directory, variables, files,
/// exec. Every value stands in single quotes, where a shell reads nothing but the end.
public final class StartScript {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /// Names that a shell computes or refuses to set: `env` sets them.
    private static final Set<String> SHELLS_OWN =
            Set.of(
                    "_",
                    "COMP_WORDBREAKS",
                    "DIRSTACK",
                    "EPOCHREALTIME",
                    "EPOCHSECONDS",
                    "EUID",
                    "FUNCNAME",
                    "GROUPS",
                    "HISTCMD",
                    "IFS",
                    "LINENO",
                    "OLDPWD",
                    "OPTIND",
                    "POSIXLY_CORRECT",
                    "PPID",
                    "PWD",
                    "RANDOM",
                    "SECONDS",
                    "SHELLOPTS",
                    "SRANDOM",
                    "UID");

    /// Holds the group open, doing nothing, until it is ended.
    public static final String HOLDER = "while read -r word <&9; do :; done\n";

    /// The variable that the task itself sets, to its process's number.
    private static final String OWN = "SLURM_TASK_PID";

    private StartScript() {}

    /// @param environment all variables of the code; the shell adds only its process's number
    /// @param error null joins it to the output
    /// @param before shell text to run before the code, with its variables and files
    /// @throws LaunchRefused if a text cannot be given to a program
    public static String of(
            Path directory,
            Map<String, String> environment,
            OutputFiles files,
            String before,
            List<String> command)
            throws LaunchRefused {
        var exports = new StringBuilder();
        var others = new StringBuilder();
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String name = variable.getKey();
            checked(name);
            if (ResourceLimit.is(name)) {
                continue; // It is set below.
            }
            if (NAME.matcher(name).matches()
                    && !name.startsWith("BASH")
                    && !SHELLS_OWN.contains(name)) {
                exports.append("export ")
                        .append(name)
                        .append('=')
                        .append(quoted(variable.getValue()))
                        .append('\n');
            } else {
                others.append(' ').append(quoted(name + "=" + variable.getValue()));
            }
        }
        var script = new StringBuilder();
        script.append("umask ").append(files.umask()).append('\n');
        script.append("cd -- ").append(quoted(directory.toString())).append(" || exit 125\n");
        script.append(exports);
        script.append("export ").append(OWN).append("=\"$$\"\n");
        script.append("exec 9<&-\n");
        script.append("exec <").append(quoted(files.input().toString()));
        script.append(" >>").append(quoted(files.output().toString()));
        script.append(" 2>")
                .append(
                        files.error().equals(files.output())
                                ? "&1"
                                : ">" + quoted(files.error().toString()));
        script.append(" || exit 125\n").append(before);
        script.append(ResourceLimit.text(environment)).append("exec");
        if (!others.isEmpty()) {
            script.append(' ').append(env()).append(others);
        }
        for (String word : command) {
            script.append(' ').append(quoted(word));
        }
        return script.append('\n').toString();
    }

    /// The same as words, for the compiled shim, which then starts no shell for it: a NUL, and with
    /// a NUL behind each of them umask, directory, the files of input, output and error (empty for
    /// that of the output), the variables, an empty word, and the command.
    ///
    /// @param environment without limits, for which a shell is needed
    static String words(
            Path directory,
            Map<String, String> environment,
            OutputFiles files,
            List<String> command)
            throws LaunchRefused {
        var words = new ArrayList<String>();
        words.addAll(List.of(files.umask(), directory.toString(), files.input().toString()));
        words.add(files.output().toString());
        words.add(files.error().equals(files.output()) ? "" : files.error().toString());
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!ResourceLimit.is(variable.getKey()) && !variable.getKey().equals(OWN)) {
                words.add(checked(variable.getKey()) + "=" + variable.getValue());
            }
        }
        words.add("");
        words.addAll(command);
        for (String word : words) {
            refuseNul(word);
        }
        return "\0" + String.join("\0", words) + "\0";
    }

    /// The shell text by which a task of root turns into an account, which then reads the text of
    /// [#of] in a file, and has none of the spool's open.
    ///
    /// @param turning of [Shims#turning]
    static String turningInto(List<String> turning, Path begin) throws LaunchRefused {
        var script = new StringBuilder("exec");
        for (String word : turning) {
            script.append(' ').append(quoted(word));
        }
        script.append(" sh ").append(quoted(begin.toString()));
        return script.append(turning.isEmpty() ? "\n" : " 2>/dev/null 9<&-\n").toString();
    }

    /// The shell text by which a process that has variables already turns into a program.
    ///
    /// @param had those that it has
    static String turningInto(
            Map<String, String> had, Map<String, String> environment, List<String> command)
            throws LaunchRefused {
        var script = new StringBuilder();
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!variable.getValue().equals(had.get(variable.getKey()))
                    && NAME.matcher(variable.getKey()).matches()) {
                script.append("export ")
                        .append(variable.getKey())
                        .append('=')
                        .append(quoted(variable.getValue()))
                        .append('\n');
            }
        }
        script.append("exec");
        for (String word : command) {
            script.append(' ').append(quoted(word));
        }
        return script.append('\n').toString();
    }

    /// The text by which a step's `srun` says why it fails, by a function of its own.
    public static String failing(String why) {
        return "srun_fail " + inQuotes(why.replace('\0', ' '));
    }

    /// Holds the group open, and starts the text of [#of] in a file for each line `step PATH
    /// SECRET` that it is told, with the address at the gateway and the secret in variables. What
    /// is started is ended by its own, and not by signals to what it runs.
    static String holding(List<String> turning, Path begin, String gateway) throws LaunchRefused {
        return """
        while read -r word path secret <&9; do
            case $word in
            step)
                (
                    trap '' HUP INT TERM USR1 USR2
                    export BERTH_PART_URL=%s"$path" BERTH_PART_SECRET="$secret"
                    exec 9<&-
                    %s) &
                ;;
            esac
        done
        """
                .formatted(quoted(gateway), turningInto(turning, begin).strip());
    }

    /// The text as one word of a shell.
    static String quoted(String text) throws LaunchRefused {
        refuseNul(text);
        return inQuotes(text);
    }

    private static void refuseNul(String text) throws LaunchRefused {
        if (text.indexOf('\0') >= 0) {
            throw new LaunchRefused("a NUL cannot be given to a program");
        }
    }

    private static String checked(String name) throws LaunchRefused {
        if (name.isEmpty() || name.indexOf('=') >= 0) {
            throw new LaunchRefused("'" + name + "' cannot be the name of a variable");
        }
        return name;
    }

    private static String inQuotes(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String env() {
        return Files.exists(Path.of("/usr/bin/env")) ? "/usr/bin/env" : "/bin/env";
    }
}
