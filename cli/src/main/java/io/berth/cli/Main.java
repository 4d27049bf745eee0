package io.berth.cli;

import io.berth.cli.CliOption.Words;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The entry of all commands: the first argument names the command.
public final class Main {

    private static final List<String> NAMES =
            List.of(
                    "squeue",
                    "scancel",
                    "sinfo",
                    "sacct",
                    "sprio",
                    "sdiag",
                    "sstat",
                    "sshare",
                    "share",
                    "queues",
                    "sreport",
                    "sacctmgr",
                    "sattach",
                    "sbcast",
                    "strigger",
                    "apply",
                    "import",
                    "acls",
                    "scontrol",
                    "why",
                    "logs",
                    "token",
                    "console",
                    "completion");

    private Main() {}

    public static void main(String[] arguments) {
        Terminal terminal = Terminal.ofProcess();
        int exitCode = run(terminal, List.of(arguments));
        terminal.out().flush();
        terminal.err().flush();
        System.exit(exitCode);
    }

    /// Runs the command that the first word names.
    ///
    /// @return the exit code
    static int run(Terminal terminal, List<String> words) {
        String name = words.isEmpty() ? "help" : words.getFirst();
        try {
            return dispatch(
                    terminal, name, words.isEmpty() ? words : words.subList(1, words.size()));
        } catch (CommandFailure e) {
            terminal.out().flush();
            terminal.err().print(e.text());
            return e.exitCode();
        }
    }

    private static int dispatch(Terminal terminal, String name, List<String> arguments)
            throws CommandFailure {
        Command command = command(name);
        if (command != null) {
            return run(terminal, name, command, arguments);
        }
        return switch (name) {
            case "sbatch" -> new SbatchCommand(terminal).run(arguments);
            case "srun" -> new Srun(terminal).run(arguments);
            case "salloc" -> new Salloc(terminal).run(arguments);
            case "version", "--version", "-V" -> print(terminal, version() + "\n");
            case "help", "--help", "-h" ->
                    arguments.isEmpty() || !isCommand(arguments.getFirst())
                            ? print(terminal, Help.ofAll())
                            : dispatch(terminal, arguments.getFirst(), List.of("--help"));
            case "--train-aot" -> AotTraining.run();
            default ->
                    throw CommandFailure.error(
                            "berth", "'" + name + "' is no command; 'berth help' lists them");
        };
    }

    private static boolean isCommand(String word) {
        return !word.startsWith("-") && !word.equals("help") && !word.equals("version");
    }

    private static int run(Terminal terminal, String name, Command command, List<String> arguments)
            throws CommandFailure {
        Words words = Words.of(name, command.options(), arguments, terminal.environment());
        if (words.has("help")) {
            return print(terminal, Help.of(command));
        }
        if (words.has("usage")) {
            return print(terminal, "Usage: " + command.synopsis() + "\n");
        }
        if (words.has("version")) {
            return print(terminal, version() + "\n");
        }
        if (!command.takesOperands() && !words.operands().isEmpty()) {
            throw new CommandFailure(
                    1,
                    "%1$s: error: Unrecognized option: %2$s\nTry \"%1$s --help\" for more information\n"
                            .formatted(name, words.operands().getFirst()));
        }
        for (String option : List.of("clusters", "cluster")) {
            if (command.options().stream().anyMatch(it -> it.longName().equals(option))) {
                requireThisCluster(terminal, name, words.list(option));
            }
        }
        return command.run(terminal, words);
    }

    /// @throws CommandFailure if a cluster is named that is another one
    static void requireThisCluster(Terminal terminal, String command, List<String> named)
            throws CommandFailure {
        if (named.isEmpty() || named.stream().anyMatch("all"::equalsIgnoreCase)) {
            return;
        }
        String here = Admin.of(terminal, command).document().text("name");
        for (String cluster : named) {
            if (!cluster.equalsIgnoreCase(here)) {
                throw CommandFailure.error(
                        command,
                        "'"
                                + cluster
                                + "' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.");
            }
        }
    }

    private static int print(Terminal terminal, String text) {
        terminal.out().print(text);
        return 0;
    }

    /// Names of the commands that [#command] knows.
    static List<String> names() {
        return NAMES;
    }

    static @Nullable Command command(String name) {
        return switch (name) {
            case "squeue" -> new Squeue();
            case "scancel" -> new Scancel();
            case "sinfo" -> new Sinfo();
            case "sacct" -> new Sacct();
            case "sprio" -> new Sprio();
            case "sdiag" -> new Sdiag();
            case "sstat" -> new Sstat();
            case "sshare" -> new Sshare();
            case "share" -> new Share();
            case "queues" -> new Queues();
            case "sreport" -> new Sreport();
            case "sacctmgr" -> new Sacctmgr();
            case "apply" -> new Apply();
            case "import" -> new ImportSlurm();
            case "acls" -> new Acls();
            case "sattach" -> new Sattach();
            case "sbcast" -> new Sbcast();
            case "strigger" -> new Strigger();
            case "scontrol" -> new Scontrol();
            case "why" -> new Why();
            case "logs" -> new Logs();
            case "token" -> new TokenCommand();
            case "console" -> new ConsoleCommand();
            case "completion" -> new Completion();
            default -> null;
        };
    }

    static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return "berth " + (version == null ? "of this source tree" : version);
    }
}
