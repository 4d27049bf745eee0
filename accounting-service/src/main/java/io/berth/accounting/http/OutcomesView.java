package io.berth.accounting.http;

import io.berth.accounting.db.PeriodOutcome;
import io.berth.contracts.PrivateData;
import io.berth.core.request.Sight;
import java.util.List;
import java.util.TreeMap;

/// How jobs ended in each part of a time.
///
/// @param start and
/// @param end bound the time, in epoch milliseconds
/// @param step how long a part is, in seconds
/// @param outcomes by the beginning of the part, partition and state; without those of no jobs
record OutcomesView(long start, long end, long step, List<Row> outcomes) {

    /// @param start where the part begins, in epoch milliseconds
    /// @param partition "" where partitions are private
    record Row(long start, String partition, String state, long jobs) {}

    /// What `sight` may see of them.
    static OutcomesView of(
            long start, long end, long step, List<PeriodOutcome> outcomes, Sight sight) {
        boolean partitions = !sight.hides(PrivateData.PARTITIONS);
        var rows = new TreeMap<String, Row>();
        for (PeriodOutcome it : outcomes) {
            if (sight.job(it.user(), it.account())) {
                String partition = partitions ? it.partition() : "";
                rows.merge(
                        "%020d %s %s".formatted(it.start(), partition, it.state()),
                        new Row(it.start(), partition, it.state(), it.jobs()),
                        (a, b) -> new Row(a.start, a.partition, a.state, a.jobs + b.jobs));
            }
        }
        return new OutcomesView(start, end, step / 1000, List.copyOf(rows.values()));
    }
}
