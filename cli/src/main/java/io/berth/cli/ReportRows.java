package io.berth.cli;

import static io.berth.cli.Table.Title.right;

import io.berth.client.JsonObject;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The lines of a report, of what runs held in a time.
///
/// @param document the configuration, for the tree of accounts
/// @param told what the books answer, as [Kind#rows] has it
/// @param clause which accounts and users to tell of
record ReportRows(
        JsonObject document, List<JsonObject> told, Clause clause, Unit unit, ZoneId zone) {

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
        Table table(boolean tres) {
            if (this == OUTCOMES) {
                return OutcomeRows.TABLE;
            }
            var titles = new ArrayList<Table.Title>();
            titles.add(right("Cluster", 9));
            if (this == UTILIZATION) {
                if (tres) {
                    titles.add(right("TRES Name", 14));
                }
                for (String name :
                        List.of("Allocated", "Down", "PLND Down", "Idle", "Planned", "Reported")) {
                    titles.add(right(name, 12));
                }
                return new Table(titles);
            }
            titles.add(right(this == ACCOUNTS ? "Account" : "Login", 15));
            titles.add(right(this == ACCOUNTS ? "Login" : "Account", 15));
            if (tres) {
                titles.add(right("TRES Name", 14));
            }
            titles.add(right("Jobs", 8));
            titles.add(right("Used", 12));
            return new Table(titles);
        }
    }

    /// How usage is told.
    enum Unit {
        SECONDS("Seconds", 1),
        MINUTES("Minutes", 60),
        HOURS("Hours", 3600);

        private final String title;
        private final long seconds;

        Unit(String title, long seconds) {
            this.title = title;
            this.seconds = seconds;
        }

        String title() {
            return title;
        }

        String told(long amount) {
            return Long.toString(Math.round((double) amount / seconds));
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
        return switch (kind) {
            case OUTCOMES -> new OutcomeRows(document.text("name"), told, zone).lines();
            case UTILIZATION -> utilization(tres);
            case ACCOUNTS -> byAccount(sums, tres);
            case USERS ->
                    sums.entrySet().stream()
                            .sorted(
                                    Comparator.comparing(
                                            (Map.Entry<Member, Sum> it) -> it.getKey().user()))
                            .map(it -> ofUser(it.getKey(), it.getValue(), tres))
                            .toList();
            case TOP ->
                    sums.entrySet().stream()
                            .sorted(
                                    Comparator.comparingLong((Map.Entry<Member, Sum> it) ->
                                            -it.getValue().seconds()))
                            .limit(most)
                            .map(it -> ofUser(it.getKey(), it.getValue(), tres))
                            .toList();
        };
    }

    /// What became of one of the cluster's resources. Nothing is planned: that is known of the
    /// future only.
    private List<List<String>> utilization(String tres) throws CommandFailure {
        for (JsonObject row : told) {
            if (row.text("resource").equals(tres)) {
                return List.of(
                        List.of(
                                document.text("name"),
                                tres,
                                told(row.number("allocated")),
                                told(row.number("down")),
                                "0",
                                told(row.number("idle")),
                                "0",
                                told(row.number("reported"))));
            }
        }
        throw CommandFailure.error(
                "sreport",
                "'" + tres + "' is none of cpu, mem, node and gres/gpu: a cluster has no other");
    }

    private String told(long seconds) {
        return unit.told(seconds);
    }

    private Map<Member, Sum> sums(String tres) throws CommandFailure {
        List<String> accounts = clause.named("account", "accounts");
        List<String> users = clause.named("user", "users");
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
    private List<List<String>> byAccount(Map<Member, Sum> sums, String tres) {
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
                    lines.add(line(row.account(), "", tres, all));
                }
                for (var entry : sums.entrySet()) {
                    if (entry.getKey().account().equals(row.account())
                            && told.add(entry.getKey())) {
                        lines.add(
                                line(row.account(), entry.getKey().user(), tres, entry.getValue()));
                    }
                }
            }
        }
        sums.forEach((member, sum) -> {
            if (!told.contains(member)) {
                lines.add(line(member.account(), member.user(), tres, sum));
            }
        });
        return lines;
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

    private List<String> ofUser(Member member, Sum sum, String tres) {
        return line(member.user(), member.account(), tres, sum);
    }

    private List<String> line(String first, String second, String tres, Sum sum) {
        return List.of(
                document.text("name"),
                first,
                second,
                tres,
                Long.toString(sum.jobs()),
                told(sum.seconds()));
    }
}
