package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.slurm.OptionName.Argument;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// `strigger`: programs that run when something happens to a job or a node.
///
/// Source: strigger(1) of Slurm 22.05.
final class Strigger implements Command {

    private static final Set<String> OF_JOBS = Set.of("fini", "time");

    /// Occasions by the names of their options, which are those of the gateway.
    private static final List<String> OCCASIONS =
            List.of("fini", "time", "down", "up", "drained", "idle", "fail");

    private static final List<String> ONLY_OF_SET = List.of("flags", "offset", "program");
    private static final List<String> ONLY_OF_OTHERS = List.of("id", "user");

    private static final String LINE = "%7s %-9s %7s %-35s %6s %-8s %-5s %s\n";
    private static final int MAX_OFFSET = 32_000;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("clear", '\0', "clear triggers: with --id, --jobid or --user"),
                    CliOption.CLUSTERS,
                    flag("down", 'd', "the nodes go down"),
                    flag("drained", 'D', "the nodes are drained, and nothing runs there any more"),
                    flag("fail", 'F', "the nodes are closed by their health program or prolog"),
                    flag("fini", 'f', "the job is over"),
                    valued("flags", '\0', "PERM: the trigger stays when its program has run"),
                    flag("get", '\0', "the triggers that are set"),
                    flag("help", '\0', "this text"),
                    valued("id", 'i', "the trigger of this number"),
                    flag("idle", 'I', "the nodes are idle for the time of --offset"),
                    valued("jobid", 'j', "this job, or task of an array"),
                    new CliOption(
                            "node", 'n', Argument.OPTIONAL, "these nodes; without a list, all"),
                    flag("noheader", 'N', "no titles"),
                    valued(
                            "offset",
                            'o',
                            "so many seconds after it happens; below 0, before the time limit"),
                    valued("program", 'p', "the program, an absolute path, and its arguments"),
                    flag("quiet", 'Q', "no word about triggers that are not there"),
                    flag("set", '\0', "set a trigger"),
                    flag("time", 't', "the job reaches its time limit"),
                    flag("up", 'u', "the nodes are in service again"),
                    valued("user", '\0', "with --get and --clear: triggers of this user"),
                    flag("verbose", 'v', "what was done"),
                    CliOption.USAGE,
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "strigger --set|--get|--clear [-j JOB] [-n[NODES]] [-p PROGRAM]: programs that run"
                + " when something happens";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        if (Stream.of("set", "get", "clear").filter(words::has).count() != 1) {
            throw failure(
                    "You must use exactly one of the following options: --set, --get or --clear");
        }
        if (!words.operands().isEmpty()) {
            throw failure(
                    words.operands().getFirst()
                            + " belongs to no option: nodes follow their option, as --node=gpu-01"
                            + " or -ngpu-01");
        }
        if (words.has("jobid") && !JobIds.names(words.value("jobid", ""))) {
            throw failure("Invalid jobid " + words.value("jobid"));
        }
        if (words.has("id") && !words.value("id", "").matches("[0-9]{1,18}")) {
            throw failure("Invalid trigger id " + words.value("id"));
        }
        for (String option : words.has("set") ? ONLY_OF_OTHERS : ONLY_OF_SET) {
            if (words.has(option)) {
                throw failure(
                        words.has("set")
                                ? "--%s is for --get and --clear".formatted(option)
                                : "--%s is for --set".formatted(option));
            }
        }
        if (words.has("set")) {
            return set(terminal, words);
        }
        MeshClient client = MeshClient.of(terminal, "strigger");
        return words.has("get") ? get(terminal, words, client) : clear(terminal, words, client);
    }

    private static CommandFailure failure(String line) {
        return CommandFailure.error("strigger", line);
    }

    private static int set(Terminal terminal, Words words) throws CommandFailure {
        String occasion = occasion(words);
        String program = words.value("program", "").strip();
        if (program.isEmpty()) {
            throw failure("You must specify a --program value");
        }
        if (!program.startsWith("/")) {
            throw failure("The --program value must start with \"/\"");
        }
        if (words.has("jobid") != OF_JOBS.contains(occasion)) {
            throw failure(
                    words.has("jobid")
                            ? "--" + occasion + " is for nodes: name them by --node"
                            : "You must specify a --jobid value");
        }
        if (words.has("jobid") && words.has("node")) {
            throw failure("--jobid and --node cannot be used together");
        }
        MeshClient client = MeshClient.of(terminal, "strigger");
        var trigger = new LinkedHashMap<String, Object>();
        trigger.put("occasion", occasion);
        if (words.has("jobid")) {
            trigger.put("job", words.value("jobid", ""));
        } else {
            String nodes = words.value("node", "");
            trigger.put("nodes", nodes.isEmpty() ? "*" : nodes);
        }
        trigger.put("offsetSeconds", offset(words));
        trigger.put("permanent", permanent(words));
        trigger.put("program", List.of(program.split("\\s+")));
        String user = client.token().submitsFor(terminal);
        if (user != null) {
            trigger.put("user", user);
        }
        Answer answer = client.ask("POST", "/v1/triggers", JsonText.compact(trigger));
        if (!answer.ok()) {
            throw failure(answer.detail());
        }
        say(terminal, words, "trigger %s set".formatted(answer.body().number("id")));
        return 0;
    }

    private static String occasion(Words words) throws CommandFailure {
        List<String> given = OCCASIONS.stream().filter(words::has).toList();
        if (given.isEmpty()) {
            throw failure(
                    "You must specify a trigger (--down, --up, --drained, --idle, --fail, --time or"
                            + " --fini)");
        }
        if (given.size() > 1) {
            throw failure(
                    "--%s and --%s are triggers of their own: set one after the other"
                            .formatted(given.getFirst(), given.getLast()));
        }
        return given.getFirst();
    }

    private static long offset(Words words) throws CommandFailure {
        String text = words.value("offset", "0");
        if (!text.matches("[+-]?[0-9]{1,9}") || Math.abs(Long.parseLong(text)) > MAX_OFFSET) {
            throw failure("The --offset parameter must be between +/-" + MAX_OFFSET);
        }
        return Long.parseLong(text);
    }

    private static boolean permanent(Words words) throws CommandFailure {
        String flags = words.value("flags");
        if (flags != null && !flags.equalsIgnoreCase("perm")) {
            throw failure("Invalid flags " + flags);
        }
        return flags != null;
    }

    private static int get(Terminal terminal, Words words, MeshClient client)
            throws CommandFailure {
        List<JsonObject> triggers = matching(words, client);
        if (!triggers.isEmpty() && !words.has("noheader")) {
            terminal.out()
                    .print(
                            LINE.formatted(
                                    "TRIG_ID",
                                    "RES_TYPE",
                                    "RES_ID",
                                    "TYPE",
                                    "OFFSET",
                                    "USER",
                                    "FLAGS",
                                    "PROGRAM"));
        }
        for (JsonObject it : triggers) {
            terminal.out()
                    .print(
                            LINE.formatted(
                                    it.number("id"),
                                    it.has("job") ? "job" : "node",
                                    it.has("job") ? it.number("job") : it.text("nodes"),
                                    it.text("occasion"),
                                    it.number("offsetSeconds"),
                                    it.text("user"),
                                    it.flag("permanent") ? "PERM" : "",
                                    Printable.of(String.join(" ", it.texts("program")))));
        }
        return 0;
    }

    private static int clear(Terminal terminal, Words words, MeshClient client)
            throws CommandFailure {
        if (Stream.of("id", "jobid", "user").noneMatch(words::has)) {
            throw failure("You must specify a --id, --jobid, or --user to clear");
        }
        int cleared = 0;
        for (JsonObject it : matching(words, client)) {
            Answer answer = client.ask("DELETE", "/v1/triggers/" + it.number("id"));
            if (!answer.ok() && answer.status() != 404) {
                throw failure(answer.detail());
            }
            cleared++;
            say(terminal, words, "trigger %s cleared".formatted(it.number("id")));
        }
        if (cleared == 0 && !words.has("quiet")) {
            throw failure("there is no such trigger of yours");
        }
        return 0;
    }

    /// The triggers that the options leave, of those that the caller may see.
    private static List<JsonObject> matching(Words words, MeshClient client) throws CommandFailure {
        List<String> occasions = OCCASIONS.stream().filter(words::has).toList();
        return client.get("/v1/triggers").objects("triggers").stream()
                .filter(it -> is(words, "id", Long.toString(it.number("id"))))
                .filter(it ->
                        is(words, "jobid", Long.toString(it.number("job")))
                                || is(words, "jobid", it.text("jobName")))
                .filter(it -> is(words, "user", it.text("user")))
                .filter(it -> !words.has("node") || (it.has("nodes") && ofNodes(words, it)))
                .filter(it -> occasions.isEmpty() || occasions.contains(it.text("occasion")))
                .toList();
    }

    /// A list stands for the trigger that was set with it; without one it is all.
    private static boolean ofNodes(Words words, JsonObject trigger) {
        return words.value("node", "").isEmpty() || is(words, "node", trigger.text("nodes"));
    }

    private static boolean is(Words words, String option, String value) {
        return words.value(option, value).equals(value);
    }

    private static void say(Terminal terminal, Words words, String what) {
        if (words.has("verbose")) {
            terminal.err().print("strigger: " + what + "\n");
        }
    }
}
