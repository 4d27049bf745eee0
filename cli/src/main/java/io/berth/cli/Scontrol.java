package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.client.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// `scontrol`: jobs, nodes and partitions in full, host lists, and what operators and owners
/// change.
final class Scontrol implements Command {

    private static final String NO_BOOT = "Berth boots no nodes";
    private static final String LOGS = "logs are those of the services";

    /// What is refused, and why, if that is to be said.
    private static final Map<String, String> WITHOUT =
            Map.ofEntries(
                    Map.entry("abort", ""),
                    Map.entry("cancel_reboot", NO_BOOT),
                    Map.entry("cluster", "there is one cluster"),
                    Map.entry("errnumstr", ""),
                    Map.entry("exit", "there is no prompt to leave"),
                    Map.entry("fsdampeningfactor", ""),
                    Map.entry("notify", ""),
                    Map.entry("pidinfo", "'scontrol listpids' tells whose processes are whose"),
                    Map.entry("power", NO_BOOT),
                    Map.entry("quit", "there is no prompt to leave"),
                    Map.entry("reboot", NO_BOOT),
                    Map.entry("schedloglevel", LOGS),
                    Map.entry("setdebug", LOGS),
                    Map.entry("setdebugflags", LOGS),
                    Map.entry("shutdown", "'berth down' ends a mesh of one machine"),
                    Map.entry("takeover", ""));

    private static final Set<String> OF_JOBS =
            Set.of(
                    "hold",
                    "uhold",
                    "release",
                    "requeue",
                    "requeuehold",
                    "resume",
                    "suspend",
                    "top");

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("all", 'a', "hidden partitions too").from("SCONTROL_ALL"),
                    CliOption.CLUSTERS,
                    flag("details", 'd', "with what each node gives"),
                    flag("future", 'F', "nothing: no node is in state FUTURE"),
                    flag("help", 'h', "this text"),
                    flag("hide", '\0', "hidden partitions are left out, also with -a"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("oneliner", 'o', "one line for each"),
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.SIBLING,
                    flag("quiet", 'Q', "no word of what was written"),
                    CliOption.VERBOSE,
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "scontrol show job|step|node|partition|reservation|topology|config [NAME]"
                + " | hold|release|requeue|suspend|resume|top|wait_job JOB | completing | listpids [JOB[.STEP]] | token [lifespan=SECONDS] | write batch_script JOB [FILE]"
                + " | update JobId=JOB|NodeName=NODE|PartitionName=P|ReservationName=R NAME=VALUE... | create|delete"
                + " reservation NAME=VALUE...: all that is known, and changes to it";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        String keyword = operands.isEmpty() ? "" : operands.getFirst();
        String why = WITHOUT.get(keyword);
        if (why != null) {
            throw notSupported(keyword, why);
        }
        if (OF_JOBS.contains(keyword)) {
            return new ScontrolActions(terminal).ofJobs(keyword, rest(operands));
        } else if (keyword.equals("update")) {
            return new ScontrolActions(terminal).update(rest(operands));
        } else if (keyword.equals("create")) {
            return new ReservationChanges(terminal).create(ofReservation(operands));
        } else if (keyword.equals("delete")) {
            return new ReservationChanges(terminal).delete(ofReservation(operands));
        } else if (keyword.equals("completing")) {
            return new ScontrolJobs(terminal).completing();
        } else if (keyword.equals("wait_job")) {
            return new ScontrolJobs(terminal).waitFor(rest(operands));
        } else if (keyword.equals("ping")) {
            return new ScontrolActions(terminal).ping();
        } else if (keyword.equals("reconfigure")) {
            return new ScontrolActions(terminal).reconfigure();
        } else if (keyword.equals("write")) {
            return new ScontrolJobs(terminal).write(rest(operands), words.has("quiet"));
        } else if (keyword.equals("listpids")) {
            terminal.out().print(new JobPids(Path.of("/proc")).table(rest(operands)));
            return 0;
        } else if (keyword.equals("token")) {
            terminal.out().print("SLURM_JWT=" + SlurmJwt.of(terminal, rest(operands)) + "\n");
            return 0;
        } else if (keyword.equals("help")) {
            terminal.out().print(Help.of(this));
            return 0;
        } else if (keyword.equals("version")) {
            terminal.out().print(Main.version() + "\n");
            return 0;
        }
        if (keyword.isEmpty()) {
            throw CommandFailure.error(
                    "scontrol",
                    "what is to be done? 'scontrol show job' or another; 'scontrol --help' lists them");
        }
        if (!isShort(keyword, "show", 2)) {
            throw new CommandFailure(1, "invalid keyword: " + keyword + "\n");
        }
        return new ScontrolShow(terminal, words).run(operands);
    }

    /// @param why empty if there is nothing to say
    static CommandFailure notSupported(String what, String why) {
        return CommandFailure.error(
                "scontrol", what + " is not supported" + (why.isEmpty() ? "" : ": " + why));
    }

    private static List<String> rest(List<String> operands) {
        return operands.subList(1, operands.size());
    }

    /// The settings of a command on a reservation, with `reservation` before them or without.
    private static List<String> ofReservation(List<String> operands) throws CommandFailure {
        List<String> rest = rest(operands);
        String first = rest.isEmpty() ? "" : rest.getFirst();
        if (first.equalsIgnoreCase("reservation")) {
            return rest.subList(1, rest.size());
        }
        if (first.toLowerCase(Locale.ROOT).startsWith("reservation")) {
            return rest;
        }
        throw new CommandFailure(
                1, "Invalid entity for keyword:" + operands.getFirst() + ": only reservation\n");
    }

    /// Slurm's word on a setting that it does not know.
    static CommandFailure unsupported(String setting) {
        return new CommandFailure(
                1, "Update of this parameter is not supported: " + setting + "\nRequest aborted\n");
    }

    /// A refusal that concerns a job, in Slurm's words where it has some.
    static CommandFailure refused(Answer answer, String job) {
        return new CommandFailure(1, why(answer, job));
    }

    static String why(Answer answer, String job) {
        return reason(answer) + " for job " + job + "\n";
    }

    static String reason(Answer answer) {
        return switch (answer.status()) {
            case 403 -> "Access/permission denied";
            case 404 -> "Invalid job id specified";
            default -> answer.detail();
        };
    }

    static boolean isShort(String word, String full, int least) {
        return word.length() >= least && full.startsWith(word);
    }
}
