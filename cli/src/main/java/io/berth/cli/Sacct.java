package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.JobField.Moment;
import io.berth.cli.Layout.Column;
import io.berth.client.JsonObject;
import io.berth.client.Query;
import io.berth.slurm.JobText;
import io.berth.slurm.OptionName.Argument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// `sacct`: the books.
final class Sacct implements Command {

    private static final String FORMAT = "JobID,JobName,Partition,Account,AllocCPUS,State,ExitCode";

    private static final String REFUSED = "refused: ";

    private static final String ONLY_RECORD = "the books are the only record of jobs";

    private static final String BRIEF = "JobID,State,ExitCode";

    /// Of Slurm's those that Berth counts, in its order.
    private static final String LONG =
            "JobID,JobIDRaw,JobName,Partition,MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,MinCPU,MinCPUNode,MinCPUTask,AveCPU,NTasks,AllocCPUS,Elapsed,State,ExitCode,ReqMem,ConsumedEnergy,MaxDiskRead,MaxDiskReadNode,MaxDiskReadTask,AveDiskRead,MaxDiskWrite,MaxDiskWriteNode,MaxDiskWriteTask,AveDiskWrite,ReqTRES,AllocTRES,TRESUsageInAve,TRESUsageInMax";

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("accounts", 'A', "only jobs of these accounts"),
                    flag("allclusters", 'L', "nothing: there is one cluster"),
                    flag("allocations", 'X', "without steps"),
                    flag("allusers", 'a', "jobs of all users"),
                    flag("array", '\0', "one line for each waiting task of an array"),
                    valued(
                            "associations",
                            'x',
                            "refused: associations have no numbers: use --accounts and --user"),
                    flag("brief", 'b', "only JobID, State and ExitCode"),
                    flag("batch-script", 'B', "refused: the books hold no scripts"),
                    CliOption.CLUSTERS,
                    flag("completion", 'c', "refused: " + ONLY_RECORD),
                    valued("constraints", 'C', "refused: the books hold no constraints"),
                    valued("delimiter", '\0', "this between columns in place of |"),
                    flag("duplicates", 'D', "with the runs that made way for another one"),
                    valued(
                            "endtime",
                            'E',
                            "jobs before this time, else now; with -s and -S the start"),
                    flag("env-vars", '\0', "refused: the books hold no environments"),
                    valued("file", 'f', "refused: " + ONLY_RECORD),
                    valued("flags", 'F', "refused: the books do not hold who placed a job"),
                    valued("format", 'o', "columns, such as JobID,User,Elapsed%12"),
                    valued("gid", '\0', "only jobs of these groups, as --group"),
                    valued("group", 'g', "only jobs of these groups, by name or number"),
                    flag("help", 'h', "this text"),
                    flag("helpformat", 'e', "names of the columns"),
                    valued("jobs", 'j', "only these jobs"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("long", 'l', "many columns"),
                    valued("name", '\0', "only jobs of these names"),
                    valued("nnodes", 'i', "only jobs of so many nodes: 2, or 2-8"),
                    valued("ncpus", 'I', "only jobs of so many CPUs: 8, or 8-64"),
                    flag("noconvert", '\0', "nothing: numbers have one form"),
                    valued("nodelist", 'N', "only jobs that ran on one of these nodes"),
                    flag("noheader", 'n', "without the lines of titles"),
                    flag("parsable", 'p', "with | after each column"),
                    flag("parsable2", 'P', "with | between columns"),
                    valued("partition", 'r', "only jobs in these partitions"),
                    valued("qos", 'q', "only jobs of these QOS"),
                    valued("reason", 'R', "only jobs with these reasons"),
                    valued(
                            "starttime",
                            'S',
                            "jobs since this time, else since midnight; with -s now; with -j always"),
                    valued("state", 's', "only jobs that were in these states then"),
                    valued("timelimit-max", 'K', "only jobs with no more time than this"),
                    valued("timelimit-min", 'k', "only jobs with no less time than this"),
                    flag("truncate", 'T', "times before and after those asked for are these"),
                    valued("units", '\0', "sizes in this unit: K, M, G, T or P"),
                    valued("uid", '\0', "only jobs of these users, as --user"),
                    flag("use-local-uid", '\0', "nothing: users are known by name"),
                    valued("user", 'u', "only jobs of these users, by name or number"),
                    flag("version", 'V', "Berth's version"),
                    new CliOption(
                            "whole-hetjob",
                            '\0',
                            Argument.OPTIONAL,
                            "refused: -j 17 shows all components, -j 17+1 one"),
                    valued(
                            "wckeys",
                            'W',
                            "refused: jobs have no WCKeys here; accounts and comments tell them apart"),
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.USAGE,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sacct [-X] [-j JOB] [-a] [-S TIME] [-o FIELDS]: the books";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public boolean takesOperands() {
        return false;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        if (words.has("helpformat")) {
            terminal.out().print(AccountField.names());
            return 0;
        }
        List<Column<AccountField>> columns =
                columns(
                        words.value(
                                "format",
                                words.has("brief")
                                        ? BRIEF
                                        : words.has("long")
                                                ? LONG
                                                : terminal.variable("SACCT_FORMAT", FORMAT)));
        for (CliOption option : OPTIONS) {
            if (option.meaning().startsWith(REFUSED) && words.has(option.longName())) {
                throw CommandFailure.error(
                        "sacct",
                        "--%s: %s"
                                .formatted(
                                        option.longName(),
                                        option.meaning().substring(REFUSED.length())));
            }
        }
        SizeUnit unit = words.has("units") ? SizeUnit.of(words.value("units", "")) : null;
        Moment moment = Moment.of(terminal);
        var selection = StepSelection.of(JobText.split(words.all("jobs")));
        List<Long> start = start(terminal, words, selection.jobs());
        List<Long> end = end(terminal, words, start);
        long from = start.isEmpty() ? 0 : start.getFirst();
        long to = end.isEmpty() ? moment.now() : end.getFirst();
        if (!end.isEmpty() && from > to) {
            throw CommandFailure.error(
                    "sacct",
                    "Start time (%s) requested is after end time (%s)."
                            .formatted(moment.iso(from), moment.iso(to)));
        }
        boolean steps =
                !words.has("allocations")
                        || columns.stream()
                                .anyMatch(it -> it.field() == AccountField.DERIVED_EXIT_CODE);
        Set<String> states = states(words);
        SacctFilter filter =
                SacctFilter.of(words, words.has("starttime") ? states : Set.of(), from, to);
        List<Long> until = end.equals(start) ? end.stream().map(it -> it + 1).toList() : end;
        JsonObject answer =
                answer(terminal, words, selection, asked(words, states), start, until, steps);
        List<JsonObject> jobs = filter.of(answer.objects("jobs"));
        if (answer.flag("more")) {
            terminal.err().print("sacct: older jobs are not shown: ask for a shorter time\n");
        }
        UnaryOperator<AccountedJob> within =
                it -> words.has("truncate") ? it.within(from, to, moment.now()) : it;
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out()
                    .print(
                            form.text(
                                    SlurmData.of(
                                            "openapi/db",
                                            "jobs",
                                            jobs.stream()
                                                    .map(it ->
                                                            data(
                                                                    new AccountedJob(it),
                                                                    words,
                                                                    within))
                                                    .toList())));
            return 0;
        }
        printTitles(terminal, words, columns);
        for (JsonObject json : words.has("array") ? jobs : AccountedJob.together(jobs)) {
            for (AccountedJob each : lines(json, words)) {
                if (words.has("allocations") || selection.has(each)) {
                    terminal.out().print(line(columns, words, unit, within.apply(each), moment));
                }
            }
            long more = AccountedJob.untold(json);
            if (more > 0 && !words.has("allocations")) {
                terminal.err()
                        .print(
                                "sacct: job %s had %d steps more\n"
                                        .formatted(new AccountedJob(json).name(), more));
            }
        }
        if (answer.flag("stepsLeftOut")) {
            terminal.err()
                    .print("sacct: the steps of older jobs are not shown: ask for fewer jobs\n");
        }
        return 0;
    }

    private static Map<String, @Nullable Object> data(
            AccountedJob job, Words words, UnaryOperator<AccountedJob> within) {
        List<AccountedJob> steps = words.has("allocations") ? List.of() : job.steps();
        return new SacctJson(within.apply(job)).fields(steps.stream().map(within).toList());
    }

    /// A job's lines: each of its runs that are asked for, with what ran in it.
    private static List<AccountedJob> lines(JsonObject json, Words words) {
        var jobs = new ArrayList<AccountedJob>();
        if (words.has("duplicates")) {
            jobs.addAll(AccountedJob.earlier(json));
            jobs.add(AccountedJob.latest(json));
        } else {
            jobs.add(new AccountedJob(json));
        }
        if (words.has("allocations")) {
            return jobs;
        }
        return jobs.stream()
                .flatMap(job -> Stream.concat(Stream.of(job), job.steps().stream()))
                .toList();
    }

    private static JsonObject answer(
            Terminal terminal,
            Words words,
            StepSelection selection,
            List<String> states,
            List<Long> start,
            List<Long> end,
            boolean steps)
            throws CommandFailure {
        List<String> ids = selection.jobs();
        MeshClient client = MeshClient.of(terminal, "sacct");
        return client.accounting(
                new Query("/v1/accounting/jobs")
                        .with("job", ids)
                        .with("user", users(terminal, client, words, ids))
                        .with("account", words.list("accounts"))
                        .with("partition", words.list("partition"))
                        .with("qos", words.list("qos"))
                        .with("name", words.list("name"))
                        .with("state", states)
                        .with("start", start)
                        .with("end", end)
                        .with("steps", steps ? List.of(true) : List.of())
                        .toString());
    }

    /// Who names nobody sees himself, and an operator sees all.
    private static List<String> users(
            Terminal terminal, MeshClient client, Words words, List<String> ids) {
        var named = new ArrayList<>(words.list("user"));
        named.addAll(words.list("uid"));
        named.replaceAll(Accounts.OfMachine::nameOf);
        if (!named.isEmpty() || words.has("allusers") || !ids.isEmpty()) {
            return named;
        }
        return Me.of(client).operator() ? List.of() : List.of(client.token().actsFor(terminal));
    }

    private static Set<String> states(Words words) throws CommandFailure {
        List<String> given = words.list("state");
        List<String> unknown = States.unknown(given);
        if (!unknown.isEmpty()) {
            throw new CommandFailure(
                    1, "sacct: fatal: unrecognized job state value " + unknown.getFirst() + "\n");
        }
        return States.named(given);
    }

    /// The states that the books are asked for: they know how a job is and how it ended, and not
    /// when it was in another state.
    private static List<String> asked(Words words, Set<String> states) {
        boolean then = words.has("starttime");
        return then && !States.ends(states) ? List.of() : States.known(states);
    }

    /// Jobs that are named are looked for in all times; those in a state, among those of now.
    private static List<Long> start(Terminal terminal, Words words, List<String> ids)
            throws CommandFailure {
        if (words.has("starttime")) {
            return time(terminal, words, "starttime");
        }
        if (!ids.isEmpty()) {
            return List.of();
        }
        return List.of(
                words.list("state").isEmpty()
                        ? Dates.midnight(terminal.now(), terminal.zone().get())
                        : terminal.now());
    }

    /// Of jobs in a state since a time, those that were in it at that time.
    private static List<Long> end(Terminal terminal, Words words, List<Long> start)
            throws CommandFailure {
        boolean then = words.has("starttime") && !words.list("state").isEmpty();
        return words.has("endtime") || !then ? time(terminal, words, "endtime") : start;
    }

    private static List<Long> time(Terminal terminal, Words words, String option)
            throws CommandFailure {
        String text = words.value(option);
        if (text == null) {
            return List.of();
        }
        OptionalLong time = Dates.parse(text, terminal.now(), terminal.zone().get());
        if (time.isEmpty()) {
            throw CommandFailure.error("sacct", "Invalid time specification: " + text);
        }
        return List.of(time.getAsLong());
    }

    /// `JobID,Elapsed%12,State%-20`: names with widths; a negative width is to the left. `ALL` is
    /// all of them; none are the usual ones.
    private static List<Column<AccountField>> columns(String format) throws CommandFailure {
        var columns = new ArrayList<Column<AccountField>>();
        List<String> items = CliOption.split(format);
        for (String item : items.isEmpty() ? CliOption.split(FORMAT) : items) {
            if (item.equalsIgnoreCase("ALL")) {
                for (AccountField field : AccountField.byName()) {
                    columns.add(new Column<>(field, field.width(), field.right(), " "));
                }
                continue;
            }
            int percent = item.indexOf('%');
            String name = percent < 0 ? item : item.substring(0, percent);
            AccountField field = AccountField.of(name);
            if (field == null) {
                throw new CommandFailure(
                        1, "sacct: fatal: Invalid field requested: \"" + name + "\"\n");
            }
            boolean left = percent >= 0 && item.startsWith("-", percent + 1);
            Long width =
                    percent < 0
                            ? Long.valueOf(field.width())
                            : JobIds.parse(item.substring(percent + (left ? 2 : 1)));
            if (width == null || width < 1 || width > 10_000) {
                throw new CommandFailure(1, "sacct: fatal: Invalid width in \"" + item + "\"\n");
            }
            columns.add(new Column<>(field, width.intValue(), field.right() && !left, " "));
        }
        return columns;
    }

    private static void printTitles(
            Terminal terminal, Words words, List<Column<AccountField>> columns) {
        if (words.has("noheader")) {
            return;
        }
        var titles = new StringBuilder();
        var rules = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            Column<AccountField> column = columns.get(i);
            boolean last = i + 1 == columns.size();
            titles.append(cell(words, column, column.field().header(), last));
            rules.append(column.print("-".repeat(column.width())));
        }
        terminal.out().print(titles + "\n" + (isParsable(words) ? "" : rules + "\n"));
    }

    private static String line(
            List<Column<AccountField>> columns,
            Words words,
            @Nullable SizeUnit unit,
            AccountedJob job,
            Moment moment) {
        var line = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            AccountField field = columns.get(i).field();
            String told = field.value(job, moment);
            String value = unit != null && field.ofSizes() ? unit.in(told) : told;
            line.append(cell(words, columns.get(i), value, i + 1 == columns.size()));
        }
        return line.append('\n').toString();
    }

    private static boolean isParsable(Words words) {
        return words.has("parsable") || words.has("parsable2");
    }

    /// A value in its column; one that is too long ends in `+`.
    private static String cell(
            Words words, Column<AccountField> column, String text, boolean last) {
        String value = Printable.of(text);
        if (isParsable(words)) {
            return value + (last && words.has("parsable2") ? "" : words.value("delimiter", "|"));
        }
        return value.length() > column.width()
                ? value.substring(0, column.width() - 1) + "+ "
                : column.print(value);
    }
}
