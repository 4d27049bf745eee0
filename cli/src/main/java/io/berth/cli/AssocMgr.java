package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.contracts.Limit;
import io.berth.contracts.Tres;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The text of `scontrol show assoc_mgr`: users, associations and QOS with their limits, and behind
/// each limit in parentheses what is used of it now.
///
/// Associations and QOS have no ids here: they are numbered in their order. What ended runs used is
/// kept of limited resources alone, and of billing; of others nothing stands in `GrpTRESMins`.
///
/// Source: outputs of Slurm 22.05.8.
///
/// @param document in the shape of the cluster file
/// @param jobs that have not ended
/// @param shares of [Sshare#PATH], which have the usage too
/// @param spent of limits of sums over time, as the books tell it, by the limit's holder
/// @param now epoch milliseconds
record AssocMgr(
        JsonObject document,
        List<JobView> jobs,
        List<JsonObject> shares,
        Map<String, List<JsonObject>> spent,
        Accounts accounts,
        long now) {

    /// What every line of resources tells of.
    private static final List<String> COUNTED =
            List.of(Tres.CPU, Tres.MEMORY, Tres.NODE, Tres.BILLING, Tres.GPU);

    /// Records of a kind.
    ///
    /// @param kind as a message names them
    /// @param records the lines of each, which are to be indented but for the first
    record Part(String kind, String title, List<List<String>> records) {}

    List<Part> parts(AssocSelection asked) {
        var parts = new ArrayList<Part>();
        if (asked.kinds().contains("users")) {
            parts.add(new Part("users", "User Records", users(asked)));
        }
        if (asked.kinds().contains("assoc")) {
            parts.add(new Part("associations", "Association Records", associations(asked)));
        }
        if (asked.kinds().contains("qos")) {
            parts.add(new Part("QOS", "QOS Records", qos(asked)));
        }
        return parts;
    }

    private String person(String user) {
        return user + "(" + accounts.idOf(user) + ")";
    }

    private List<List<String>> users(AssocSelection asked) {
        var tree = new AdminTree(document);
        var records = new ArrayList<List<String>>();
        tree.members()
                .forEach((user, of) -> {
                    if (AssocSelection.has(asked.users(), user)) {
                        records.add(
                                List.of(
                                        "UserName=%s DefAccount=%s DefWckey= AdminLevel=%s"
                                                .formatted(
                                                        person(user),
                                                        of.defaultAccount(),
                                                        tree.level(user).slurmName())));
                    }
                });
        return records;
    }

    private List<List<String>> associations(AssocSelection asked) {
        var tree = new AdminTree(document);
        List<AdminTree.Row> rows = tree.rows();
        Map<String, AdminTree.Membership> members = tree.members();
        var held = new AssocIndex(tree, rows, jobs, shares);
        var records = new ArrayList<List<String>>();
        for (int i = 0; i < rows.size(); i++) {
            AdminTree.Row row = rows.get(i);
            if (AssocSelection.has(asked.accounts(), row.account())
                    && AssocSelection.has(asked.users(), row.user())) {
                records.add(association(tree, members, held, row, i + 1));
            }
        }
        return records;
    }

    private List<String> association(
            AdminTree tree,
            Map<String, AdminTree.Membership> members,
            AssocIndex held,
            AdminTree.Row row,
            int number) {
        boolean ofUser = !row.user().isEmpty();
        boolean root = row.depth() == 0;
        JsonObject share = held.share(row);
        JobsUse use = JobsUse.of(held.jobs(row), now);
        String holder =
                ofUser ? "user/" + row.account() + "/" + row.user() : "account/" + row.account();
        var lines = new ArrayList<String>();
        lines.add(
                "ClusterName=%s Account=%s UserName=%s Partition=%s Priority=%d ID=%d"
                        .formatted(
                                document.text("name"),
                                row.account(),
                                ofUser ? person(row.user()) : "",
                                row.partition(),
                                row.terms().number("priority"),
                                number));
        lines.add(
                "SharesRaw/Norm/Level/Factor=%d/%s/%d/%s"
                        .formatted(
                                AssocIndex.raw(row),
                                two(share.decimal("normShares")),
                                root ? 1 : held.level(row),
                                two(share.decimal("fairShare"))));
        lines.add(
                "UsageRaw/Norm/Efctv=%s/%s/%s"
                        .formatted(
                                two(share.number("rawUsage")),
                                two(root ? 1 : share.decimal("normUsage")),
                                two(root ? 1 : share.decimal("effectiveUsage"))));
        lines.add(
                "ParentAccount=%s Lft=%d DefAssoc=%s"
                        .formatted(
                                ofUser || root ? "" : tree.parent(row.account()),
                                number,
                                ofUser && isDefault(members, row) ? "Yes" : "No"));
        lines.add(
                bound(row.limits(), Limit.GRP_JOBS, use.running())
                        + " GrpJobsAccrue=N(%d)".formatted(use.accruing()));
        lines.add(
                bound(row.limits(), Limit.GRP_SUBMIT_JOBS, use.submitted())
                        + " "
                        + wall(row.limits(), holder));
        group(lines, row.limits(), holder, use, OptionalLong.of(share.number("rawUsage") / 60));
        lines.add(
                "%s MaxJobsAccrue= %s %s"
                        .formatted(
                                most(row.limits(), Limit.MAX_JOBS, use.running()),
                                most(row.limits(), Limit.MAX_SUBMIT_JOBS, use.submitted()),
                                maxWall(row.limits())));
        ofJob(lines, row.limits());
        lines.add("MinPrioThresh=");
        return lines;
    }

    private static boolean isDefault(Map<String, AdminTree.Membership> members, AdminTree.Row row) {
        AdminTree.Membership of = members.get(row.user());
        return of != null && of.defaultAccount().equals(row.account());
    }

    private List<List<String>> qos(AssocSelection asked) {
        JsonObject all = document.object("qos");
        Map<String, List<JobView>> mine = by("qos", jobs);
        var records = new ArrayList<List<String>>();
        int number = 0;
        for (String name : all.fields().keySet()) {
            number++;
            if (AssocSelection.has(asked.qos(), name)) {
                records.add(
                        qos(name, number, all.object(name), mine.getOrDefault(name, List.of())));
            }
        }
        return records;
    }

    private static Map<String, List<JobView>> by(String field, List<JobView> jobs) {
        return jobs.stream()
                .collect(
                        Collectors.groupingBy(
                                it -> it.text(field), TreeMap::new, Collectors.toList()));
    }

    private List<String> qos(String name, int number, JsonObject terms, List<JobView> mine) {
        JsonObject limits = terms.object("limits");
        JobsUse use = JobsUse.of(mine, now);
        var lines = new ArrayList<String>();
        lines.add("QOS=%s(%d)".formatted(name, number));
        lines.add("UsageRaw=");
        lines.add(
                "%s GrpJobsAccrue=N(%d) %s %s"
                        .formatted(
                                bound(limits, Limit.GRP_JOBS, use.running()),
                                use.accruing(),
                                bound(limits, Limit.GRP_SUBMIT_JOBS, use.submitted()),
                                wall(limits, "qos/" + name)));
        group(lines, limits, "qos/" + name, use, OptionalLong.empty());
        lines.add(maxWall(limits));
        ofJob(lines, limits);
        lines.add("MinPrioThresh=");
        lines.add(tres("MinTRESPJ", limits, Limit.MIN_TRES));
        lines.add(
                "PreemptMode="
                        + (terms.has("preemptMode")
                                ? terms.text("preemptMode").toUpperCase(Locale.ROOT)
                                : "OFF"));
        lines.add("Priority=" + terms.number("priority"));
        lines.add("Account Limits");
        each(lines, mine, "account", false, limits);
        lines.add("User Limits");
        each(lines, mine, "user", true, limits);
        return lines;
    }

    /// What each account, or user, has of a QOS.
    private void each(
            List<String> lines, List<JobView> mine, String field, boolean user, JsonObject limits) {
        String end = user ? "PU" : "PA";
        by(field, mine)
                .forEach((name, its) -> {
                    JobsUse use = JobsUse.of(its, now);
                    lines.add("  " + (user ? person(name) : name));
                    lines.add(
                            "    MaxJobs%1$s=%2$s(%3$d) MaxJobsAccrue%1$s=N(%4$d) MaxSubmitJobs%1$s=%5$s(%6$d)"
                                    .formatted(
                                            end,
                                            orNone(
                                                    limits,
                                                    user
                                                            ? Limit.MAX_JOBS
                                                            : Limit.MAX_JOBS_PER_ACCOUNT),
                                            use.running(),
                                            use.accruing(),
                                            orNone(
                                                    limits,
                                                    user
                                                            ? Limit.MAX_SUBMIT_JOBS
                                                            : Limit.MAX_SUBMIT_JOBS_PER_ACCOUNT),
                                            use.submitted()));
                    Limit tres = user ? Limit.MAX_TRES_PER_USER : Limit.MAX_TRES_PER_ACCOUNT;
                    lines.add("    " + used("MaxTRES" + end, amounts(limits, tres), use.tres()));
                });
    }

    /// The bounds of all jobs together.
    ///
    /// @param billing minutes that were used; empty where nobody tells
    private void group(
            List<String> lines,
            JsonObject limits,
            String holder,
            JobsUse use,
            OptionalLong billing) {
        lines.add(used("GrpTRES", amounts(limits, Limit.GRP_TRES), use.tres()));
        Map<String, Long> minutes = new TreeMap<>();
        for (JsonObject it : spent.getOrDefault(holder, List.of())) {
            if (it.has("resource")) {
                minutes.put(it.text("resource"), it.number("spentMinutes"));
            }
        }
        billing.ifPresent(it -> minutes.putIfAbsent(Tres.BILLING, it));
        Map<String, Long> limited = amounts(limits, Limit.GRP_TRES_MINS);
        lines.add("GrpTRESMins=" + used(limited, minutes, List.copyOf(minutes.keySet())));
        lines.add(
                used("GrpTRESRunMins", amounts(limits, Limit.GRP_TRES_RUN_MINS), use.runMinutes()));
    }

    /// The bounds of each job.
    private static void ofJob(List<String> lines, JsonObject limits) {
        lines.add(tres("MaxTRESPJ", limits, Limit.MAX_TRES));
        lines.add(tres("MaxTRESPN", limits, Limit.MAX_TRES_PER_NODE));
        lines.add(tres("MaxTRESMinsPJ", limits, Limit.MAX_TRES_MINS));
    }

    private static Map<String, Long> amounts(JsonObject limits, Limit limit) {
        String text = AdminShow.value(limits, limit);
        return text.isEmpty() ? Map.of() : Tres.parse(text);
    }

    private static String tres(String name, JsonObject limits, Limit limit) {
        return name + "=" + listed(amounts(limits, limit));
    }

    private static String used(String name, Map<String, Long> limits, Map<String, Long> used) {
        return name + "=" + used(limits, used, COUNTED);
    }

    /// `cpu=64(12),mem=N(4096)`: of those that are limited or used, and of the others that are
    /// counted in any case.
    private static String used(
            Map<String, Long> limits, Map<String, Long> used, List<String> always) {
        var names = new LinkedHashSet<>(always);
        names.addAll(limits.keySet());
        names.addAll(used.keySet());
        return names.stream()
                .map(it ->
                        "%s=%s(%d)"
                                .formatted(
                                        it,
                                        limits.containsKey(it) ? limits.get(it) : "N",
                                        used.getOrDefault(it, 0L)))
                .collect(Collectors.joining(","));
    }

    private static String listed(Map<String, Long> amounts) {
        return amounts.entrySet().stream()
                .map(it -> it.getKey() + "=" + it.getValue())
                .collect(Collectors.joining(","));
    }

    private static String orNone(JsonObject limits, Limit limit) {
        String value = AdminShow.value(limits, limit);
        return value.isEmpty() ? "N" : value;
    }

    private static String bound(JsonObject limits, Limit limit, long used) {
        return "%s=%s(%d)".formatted(limit.slurmName(), orNone(limits, limit), used);
    }

    /// A bound that is told only where there is one.
    private static String most(JsonObject limits, Limit limit, long used) {
        String value = AdminShow.value(limits, limit);
        return limit.slurmName() + "=" + (value.isEmpty() ? "" : value + "(" + used + ")");
    }

    private static String maxWall(JsonObject limits) {
        return "MaxWallPJ=" + AdminShow.value(limits, Limit.MAX_WALL);
    }

    /// What was used of it is known where it is limited.
    private String wall(JsonObject limits, String holder) {
        String used =
                spent.getOrDefault(holder, List.of()).stream()
                        .filter(it -> it.text("limit").equals(Limit.GRP_WALL.slurmName()))
                        .map(it -> "(%s)".formatted(two(it.number("spentMinutes"))))
                        .findFirst()
                        .orElse("");
        return "GrpWall=" + orNone(limits, Limit.GRP_WALL) + used;
    }

    private static String two(double number) {
        return String.format(Locale.ROOT, "%.2f", number);
    }
}
