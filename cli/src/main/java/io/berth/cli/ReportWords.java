package io.berth.cli;

import io.berth.cli.Clause.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The words of `sreport`, each with the least part of it that Slurm takes: names of reports,
/// conditions and columns.
///
/// Source: sreport(1) of Slurm 22.05, and how its reports read what they are given.
final class ReportWords {

    private static final Keywords GROUPS =
            Keywords.of("Cluster:2 Job:1 Reservation:2 Resv:2=reservation User:1");

    private static final Map<String, Keywords> REPORTS =
            Map.of(
                    "cluster",
                    Keywords.of(
                            """
                            AccountUtilizationByUser:1
                            UserUtilizationByAccount:18 UA:2=userutilizationbyaccount
                            UserUtilizationByWCKey:18 UW:2=userutilizationbywckey
                            Utilization:2 WCKeyUtilizationByUser:1
                            """),
                    "job",
                    Keywords.of(
                            "SizesByAccount:1 SizesByWCKey:8 SizesByAccountAndWCKey:15 Outcomes:1"),
                    "reservation",
                    Keywords.of("Utilization:1"),
                    "user",
                    Keywords.of("TopUsage:1"));

    private static final String ALWAYS = "Clusters:1=cluster End:1 Format:1 Start:1 ";
    private static final String WHOSE = "Accounts:2=account Acct:4=account Users:1=user ";
    private static final Keywords PLAIN = Keywords.of(ALWAYS);

    private static final Map<String, Keywords> CONDITIONS =
            Map.of(
                    "cluster accountutilizationbyuser",
                    Keywords.of(ALWAYS + WHOSE),
                    "cluster userutilizationbyaccount",
                    Keywords.of(ALWAYS + WHOSE),
                    "job sizesbyaccount",
                    Keywords.of(ALWAYS + WHOSE + "Grouping:2 Partitions:2=partition"),
                    "user topusage",
                    Keywords.of(ALWAYS + WHOSE + "TopCount:1"));

    private static final Keywords ALL_CLUSTERS = Keywords.of("all_clusters:1");

    /// Words without `=` that are no names.
    private static final Map<String, Keywords> FLAGS =
            Map.of(
                    "cluster accountutilizationbyuser",
                    Keywords.of("Tree:4"),
                    "job sizesbyaccount",
                    Keywords.of("FlatView:2 PrintJobCount:2"),
                    "user topusage",
                    Keywords.of("Group:1"));

    /// The titles of columns, `_` for a blank, by the names of their fields.
    private static final Keywords FIELDS =
            Keywords.of(
                    """
                    Accounts:1=Account Allocated:2=Allocated Cluster:1=Cluster Down:1=Down Idle:1=Idle
                    Login:1=Login Overcommitted:1=Over_Comm Planned:2=Planned Reserved:3=Planned
                    PlannedDown:2=PLND_Down PLNDDown:2=PLND_Down Proper:1=Proper_Name
                    Reported:3=Reported TresCount:5=TRES_Count CPUCount:2=TRES_Count
                    Count:2=TRES_Count TresName:5=TRES_Name Used:1=Used Energy:1=Energy Jobs:1=Jobs
                    """);

    private ReportWords() {}

    /// The full name of a report in small letters: `user topusage`; null if there is none.
    static @Nullable String report(List<String> operands) {
        String group = operands.size() < 2 ? null : GROUPS.find(operands.getFirst());
        Keywords reports = group == null ? null : REPORTS.get(group);
        String report = reports == null ? null : reports.find(operands.get(1));
        return report == null ? null : group + " " + report;
    }

    /// The conditions of a report under their full names. A word without `=` is the name of a user,
    /// or where users are not told apart, of a cluster.
    ///
    /// @throws CommandFailure naming the first that there is not
    static Clause clause(String report, List<String> words) throws CommandFailure {
        Keywords known = CONDITIONS.getOrDefault(report, PLAIN);
        var conditions = new ArrayList<Setting>();
        for (Setting given : Clause.of(words).plain().conditions()) {
            if (given.key().equals(Clause.NAME)) {
                named(report, given, known).ifPresent(conditions::add);
                continue;
            }
            String key = known.find(given.key());
            if (key == null) {
                throw new CommandFailure(
                        1, " Unknown condition: " + given.key() + "=" + given.value() + "\n");
            }
            conditions.add(new Setting(key, given.sign(), given.value()));
        }
        return new Clause(conditions, List.of());
    }

    private static Optional<Setting> named(String report, Setting given, Keywords known) {
        Keywords flags = FLAGS.get(report);
        String flag = flags == null ? null : flags.find(given.value());
        if (flag != null) {
            return Optional.of(new Setting(Clause.NAME, '=', flag));
        }
        boolean ofUsers = known.find("users") != null && !report.startsWith("job");
        return ALL_CLUSTERS.find(given.value()) != null
                ? Optional.empty()
                : Optional.of(new Setting(ofUsers ? "user" : "cluster", '=', given.value()));
    }

    /// The columns that `format=` names, with `%width` where another one is wanted.
    ///
    /// @param format empty for the usual columns
    /// @throws CommandFailure naming the first that there is not
    static Table columns(Table all, List<String> format, Table usual) throws CommandFailure {
        if (format.isEmpty()) {
            return usual;
        }
        var titles = new ArrayList<String>();
        for (String item : format) {
            String name = item.replaceFirst("%.*", "");
            String title = title(all, name);
            if (title == null) {
                throw new CommandFailure(1, " Unknown field '" + name + "'\n");
            }
            titles.add(title + item.substring(name.length()));
        }
        return all.only("sreport", String.join(",", titles));
    }

    private static @Nullable String title(Table all, String name) {
        String field = FIELDS.full(name).replace('_', ' ');
        List<String> titles = all.titles().stream().map(Table.Title::name).toList();
        return titles.contains(field)
                ? field
                : titles.stream()
                        .filter(it ->
                                !name.isEmpty()
                                        && it.regionMatches(true, 0, name, 0, name.length()))
                        .findFirst()
                        .orElse(null);
    }
}
