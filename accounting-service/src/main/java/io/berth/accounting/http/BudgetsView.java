package io.berth.accounting.http;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.PrivateData;
import io.berth.contracts.Spending;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Usage;
import io.berth.core.limits.Budgets;
import io.berth.core.request.Sight;
import java.util.ArrayList;
import java.util.List;

/// What ended runs have spent of everybody's budgets.
///
/// @param asOf epoch milliseconds
public record BudgetsView(long asOf, List<Row> budgets) {

    private static final long MINUTE_MILLIS = 60_000;

    /// One bound.
    ///
    /// @param holder `qos/NAME`, `account/NAME` or `user/ACCOUNT/NAME`
    /// @param limit by Slurm's name
    /// @param resource "" of a limit of wall time
    /// @param minutes that are allowed
    /// @param spentMinutes what counts of the runs that are over
    public record Row(
            String holder, String limit, String resource, long minutes, long spentMinutes) {}

    /// What of it he who asks may see.
    static BudgetsView of(Configuration configuration, List<Usage> usage, Sight sight, long now) {
        var budgets = new Budgets(configuration);
        var holders = budgets.holders();
        var rows = new ArrayList<Row>();
        for (var budget : budgets.spent(usage, now)) {
            Limits limits = holders.getOrDefault(budget.holder(), Limits.NONE);
            Spending spent = budget.spent();
            limits.count(Limit.GRP_WALL)
                    .ifPresent(it ->
                            rows.add(
                                    row(
                                            budget.holder(),
                                            Limit.GRP_WALL,
                                            "",
                                            it,
                                            spent.wallMillis())));
            limits.amounts(Limit.GRP_TRES_MINS)
                    .forEach((resource, it) ->
                            rows.add(
                                    row(
                                            budget.holder(),
                                            Limit.GRP_TRES_MINS,
                                            resource,
                                            it,
                                            spent.millis(resource))));
        }
        rows.removeIf(it -> !visible(it.holder(), sight));
        return new BudgetsView(now, rows);
    }

    /// That of a QOS is of everybody.
    private static boolean visible(String holder, Sight sight) {
        String[] words = holder.split("/", -1);
        return switch (words[0]) {
            case "account" -> sight.usage(words[1], null);
            case "user" -> sight.usage(words[1], words[2]);
            default -> !sight.hides(PrivateData.USAGE);
        };
    }

    private static Row row(
            String holder, Limit limit, String resource, long minutes, long spentMillis) {
        return new Row(holder, limit.slurmName(), resource, minutes, spentMillis / MINUTE_MILLIS);
    }
}
