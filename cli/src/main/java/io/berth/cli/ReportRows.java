package io.berth.cli;

import static io.berth.cli.Table.Title.right;

import io.berth.client.JsonObject;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The lines of a report, of what runs held in a time.
///
/// @param document the configuration, for the tree of accounts
/// @param told what the books answer, as [Kind#rows] has it
/// @param clause which accounts and users to tell of
/// @param reported how much there was of each resource; empty where nothing is told as a part
/// @param seconds for which the report is
record ReportRows(
        JsonObject document,
        List<JsonObject> told,
        Clause clause,
        Unit unit,
        Map<String, Long> reported,
        long seconds,
        ZoneId zone) {

    /// A report.
    enum Kind {
        UTILIZATION("cluster Utilization", "Cluster Utilization", "utilization", "resources"),
        ACCOUNTS(
                "cluster AccountUtilizationByUser",
                "Cluster/Account/User Utilization",
                "report",
                "usage"),
        USERS(
                "cluster UserUtilizationByAccount",
                "Cluster/User/Account Utilization",
                "report",
                "usage"),
        TOP("user TopUsage", "Top Users", "report", "usage"),
        OUTCOMES("job Outcomes", "Job Outcomes", "outcomes", "outcomes");

        private final String words;
        private final String title;
        private final String path;
        private final String key;

        /// @param path where the books answer, below `/v1/accounting`
        /// @param key of the rows in the answer
        Kind(String words, String title, String path, String key) {
            this.words = words;
            this.title = title;
            this.path = path;
            this.key = key;
        }

        String path() {
            return "/v1/accounting/" + path;
        }

        List<JsonObject> rows(JsonObject answer) {
            return answer.objects(key);
        }

        String words() {
            return words;
        }

        String title() {
            return title;
        }

        /// @param tres whether each line names its resource
        /// @param unit of what is told
        Table table(boolean tres, Unit unit) throws CommandFailure {
            String names =
                    switch (this) {
                        case OUTCOMES -> "Cluster,Partition,Day,Jobs,Completed,Failed,Cancelled";
                        case UTILIZATION ->
                                "Cluster,TRES Name,Allocated,Down,PLND Down,Idle,Planned,Reported";
                        case ACCOUNTS -> "Cluster,Account,Login,TRES Name,Jobs,Used";
                        case USERS, TOP -> "Cluster,Login,Account,TRES Name,Jobs,Used";
                    };
            return all(unit).only("sreport", tres ? names : names.replace("TRES Name,", ""));
        }

        /// All columns that there are.
        Table all(Unit unit) {
            int amount = unit.widened(12);
            if (this == OUTCOMES) {
                return OutcomeRows.TABLE;
            }
            var titles = new ArrayList<Table.Title>();
            titles.add(right("Cluster", 9));
            if (this == UTILIZATION) {
                titles.add(right("TRES Name", 14));
                for (String name :
                        List.of("Allocated", "Down", "PLND Down", "Idle", "Planned", "Reported")) {
                    titles.add(right(name, amount));
                }
                titles.add(right("Over Comm", amount));
                titles.add(right("TRES Count", 10));
                return new Table(titles);
            }
            titles.add(right(this == ACCOUNTS ? "Account" : "Login", 15));
            titles.add(right(this == ACCOUNTS ? "Login" : "Account", 15));
            titles.add(right("TRES Name", 14));
            titles.add(right("Jobs", 8));
            titles.add(right("Used", amount));
            titles.add(right("Proper Name", 15));
            return new Table(titles);
        }
    }

    /// How usage is told: as a number, as a percentage of what there was, or both.
    enum Unit {
        SECONDS("Seconds", 1, false),
        MINUTES("Minutes", 60, false),
        HOURS("Hours", 3600, false),
        PERCENT("Percentage of Total", 0, true),
        SECONDS_PERCENT("Seconds/Percentage of Total", 1, true),
        MINUTES_PERCENT("Minutes/Percentage of Total", 60, true),
        HOURS_PERCENT("Hours/Percentage of Total", 3600, true);

        /// As much as a percentage needs behind a number.
        private static final int PERCENT_WIDTH = 8;

        private final String title;
        private final long seconds;
        private final boolean percent;

        Unit(String title, long seconds, boolean percent) {
            this.title = title;
            this.seconds = seconds;
            this.percent = percent;
        }

        String title() {
            return title;
        }

        /// Whether what is told is a part of something.
        boolean ofTotal() {
            return percent;
        }

        /// What stands over a report: a percentage is of no resource's own unit.
        String heading() {
            return this == PERCENT ? title : "TRES " + title;
        }

        int widened(int width) {
            return percent && this != PERCENT ? width + PERCENT_WIDTH : width;
        }

        /// @param total of which the amount is a part
        String told(long amount, long total) {
            String part =
                    percent
                            ? String.format(
                                    Locale.ROOT, "%.2f%%", 100.0 * amount / Math.max(1, total))
                            : "";
            if (this == PERCENT) {
                return part;
            }
            String number = Long.toString(Math.round((double) amount / seconds));
            return percent ? number + "(" + part + ")" : number;
        }
    }

    private record Sum(long jobs, long seconds) {

        Sum plus(Sum other) {
            return new Sum(jobs + other.jobs, seconds + other.seconds);
        }
    }

    private record Member(String account, String user) {}

    /// @param most of a list of the highest
    List<List<String>> of(Kind kind, String tres, int most) throws CommandFailure {
        Map<Member, Sum> sums = kind.path.equals("report") ? sums(tres) : Map.of();
        long total = kind.path.equals("report") ? total(tres) : 0;
        return switch (kind) {
            case OUTCOMES -> new OutcomeRows(document.text("name"), told, zone).lines();
            case UTILIZATION -> utilization(tres);
            case ACCOUNTS -> byAccount(sums, tres, total);
            case USERS ->
                    sums.entrySet().stream()
                            .sorted(
                                    Comparator.comparing(
                                            (Map.Entry<Member, Sum> it) -> it.getKey().user()))
                            .map(it -> ofUser(it.getKey(), it.getValue(), tres, total))
                            .toList();
            case TOP ->
                    (said("group") ? ofPersons(sums) : sums)
                            .entrySet().stream()
                                    .sorted(
                                            Comparator.comparingLong((Map.Entry<Member, Sum> it) ->
                                                    -it.getValue().seconds()))
                                    .limit(most)
                                    .map(it -> ofUser(it.getKey(), it.getValue(), tres, total))
                                    .toList();
        };
    }

    private boolean said(String word) {
        return clause.named(Clause.NAME).contains(word);
    }

    /// Each user once, with all of his accounts.
    private static Map<Member, Sum> ofPersons(Map<Member, Sum> sums) {
        Map<String, Set<String>> accounts = new TreeMap<>();
        Map<String, Sum> all = new TreeMap<>();
        sums.forEach((member, sum) -> {
            accounts.computeIfAbsent(member.user(), _ -> new TreeSet<>()).add(member.account());
            all.merge(member.user(), sum, Sum::plus);
        });
        Map<Member, Sum> persons = new LinkedHashMap<>();
        all.forEach((user, sum) ->
                persons.put(
                        new Member(String.join(", ", accounts.getOrDefault(user, Set.of())), user),
                        sum));
        return persons;
    }

    /// What became of one of the cluster's resources. Nothing is planned: that is known of the
    /// future only.
    private List<List<String>> utilization(String tres) throws CommandFailure {
        for (JsonObject row : told) {
            if (row.text("resource").equals(tres)) {
                long all = row.number("reported");
                return List.of(
                        List.of(
                                document.text("name"),
                                tres,
                                unit.told(row.number("allocated"), all),
                                unit.told(row.number("down"), all),
                                unit.told(0, all),
                                unit.told(row.number("idle"), all),
                                unit.told(0, all),
                                unit.told(all, all),
                                unit.told(0, all),
                                Long.toString(Math.round((double) all / seconds))));
            }
        }
        throw CommandFailure.error(
                "sreport",
                "'" + tres + "' is none of cpu, mem, node and gres/gpu: a cluster has no other");
    }

    /// @throws CommandFailure if it is not known how much there was
    private long total(String tres) throws CommandFailure {
        if (!unit.ofTotal()) {
            return 0;
        }
        Long total = reported.get(tres);
        if (total == null) {
            throw CommandFailure.error(
                    "sreport",
                    "of "
                            + tres
                            + " it is not known how much there is: cpu, mem, node and gres/gpu have a percent");
        }
        return total;
    }

    private Map<Member, Sum> sums(String tres) throws CommandFailure {
        List<String> accounts = clause.named("account");
        List<String> users = clause.named("user");
        Map<Member, Sum> sums =
                new TreeMap<>(Comparator.comparing(Member::account).thenComparing(Member::user));
        for (JsonObject row : told) {
            long seconds = seconds(row, tres);
            var member = new Member(row.text("account"), row.text("user"));
            if (seconds > 0
                    && (accounts.isEmpty() || accounts.contains(member.account()))
                    && (users.isEmpty() || users.contains(member.user()))) {
                sums.merge(member, new Sum(row.number("jobs"), seconds), Sum::plus);
            }
        }
        return sums;
    }

    private static long seconds(JsonObject row, String tres) throws CommandFailure {
        return switch (tres) {
            case "cpu" -> row.number("cpuSeconds");
            case "mem" -> row.number("memoryMibSeconds");
            case "node" -> row.number("nodeSeconds");
            case "billing" -> row.number("billingSeconds");
            case "gres/gpu" -> row.number("gpuSeconds");
            default -> {
                if (!tres.startsWith("gres/gpu:")) {
                    throw CommandFailure.error(
                            "sreport",
                            "'"
                                    + tres
                                    + "' is none of cpu, mem, node, billing, gres/gpu and gres/gpu:TYPE");
                }
                yield tres.equals("gres/gpu:" + row.text("gpuType")) ? row.number("gpuSeconds") : 0;
            }
        };
    }

    /// Each account with all below it, then its users, in the order of the tree; what was used in
    /// accounts that are not configured any more comes last.
    private List<List<String>> byAccount(Map<Member, Sum> sums, String tres, long total) {
        var lines = new ArrayList<List<String>>();
        var told = new HashSet<Member>();
        for (AdminTree.Row row : new AdminTree(document).rows()) {
            if (row.partition().isEmpty() && row.user().isEmpty()) {
                Set<String> below = below(row.account());
                Sum all = new Sum(0, 0);
                for (var entry : sums.entrySet()) {
                    if (below.contains(entry.getKey().account())) {
                        all = all.plus(entry.getValue());
                    }
                }
                if (all.seconds() > 0) {
                    lines.add(line(indented(row, 0), "", "", tres, told(all, total)));
                }
                for (var entry : sums.entrySet()) {
                    Member member = entry.getKey();
                    if (member.account().equals(row.account()) && told.add(member)) {
                        lines.add(
                                line(
                                        indented(row, 1),
                                        member.user(),
                                        member.user(),
                                        tres,
                                        told(entry.getValue(), total)));
                    }
                }
            }
        }
        sums.forEach((member, sum) -> {
            if (!told.contains(member)) {
                lines.add(
                        line(
                                member.account(),
                                member.user(),
                                member.user(),
                                tres,
                                told(sum, total)));
            }
        });
        return lines;
    }

    private String indented(AdminTree.Row row, int more) {
        return (said("tree") ? " ".repeat(row.depth() + more) : "") + row.account();
    }

    private Set<String> below(String account) {
        var below = new HashSet<>(Set.of(account));
        JsonObject accounts = document.object("accounts");
        boolean grew = true;
        while (grew) {
            grew = false;
            for (String name : accounts.fields().keySet()) {
                String parent =
                        accounts.object(name).has("parent")
                                ? accounts.object(name).text("parent")
                                : "root";
                grew |= !name.equals("root") && below.contains(parent) && below.add(name);
            }
        }
        return below;
    }

    private List<String> ofUser(Member member, Sum sum, String tres, long total) {
        return line(member.user(), member.account(), member.user(), tres, told(sum, total));
    }

    private record Told(long jobs, String used) {}

    private Told told(Sum sum, long total) {
        return new Told(sum.jobs(), unit.told(sum.seconds(), total));
    }

    private List<String> line(String first, String second, String user, String tres, Told told) {
        return List.of(
                document.text("name"),
                first,
                second,
                tres,
                Long.toString(told.jobs()),
                told.used(),
                Accounts.OfMachine.properName(user));
    }
}
