package io.berth.accounting.http;

import io.berth.accounting.db.PeriodUsage;
import io.berth.core.request.Sight;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// What was used in each part of a time, in resources × seconds.
///
/// @param start and
/// @param end bound the time, in epoch milliseconds
/// @param step how long a part is, in seconds
/// @param periods in their order, without those in which nothing was held
record HistoryView(long start, long end, long step, List<Period> periods) {

    private static final int MOST_PERIODS = 400;

    /// @param start where the part begins, in epoch milliseconds
    record Period(long start, List<PeriodUsage> usage) {}

    /// The length of a part in milliseconds.
    ///
    /// @param asked in seconds
    /// @param whole the time, in milliseconds
    /// @throws JobQuery.Refused if it makes too many parts
    static long step(@Nullable Long asked, long whole) throws JobQuery.Refused {
        if (asked == null || asked < 1 || asked < whole / 1000.0 / MOST_PERIODS) {
            throw new JobQuery.Refused(
                    "step: it is required, in seconds, and may part the time into %d at most"
                            .formatted(MOST_PERIODS));
        }
        return 1000 * Math.min(asked, Math.max(Integer.MAX_VALUE, whole / 1000));
    }

    /// What `sight` may see of them.
    static HistoryView of(
            long start,
            long end,
            long step,
            SortedMap<Long, List<PeriodUsage>> periods,
            Sight sight) {
        return new HistoryView(
                start,
                end,
                step / 1000,
                periods.entrySet().stream()
                        .map(it ->
                                new Period(
                                        it.getKey(),
                                        it.getValue().stream()
                                                .filter(use ->
                                                        sight.usage(use.account(), use.user()))
                                                .toList()))
                        .filter(it -> !it.usage().isEmpty())
                        .toList());
    }
}
