package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.util.List;

/// What the nodes had during a time, in resources × seconds.
///
/// @param up whether it could be used
public record PeriodCapacity(
        boolean up, long cpuSeconds, long memoryMibSeconds, long gpuSeconds, long nodeSeconds) {

    private static final String QUERY =
            """
            select up, cast(sum(millis * cpus) / 1000 as bigint),
                   cast(sum(millis * memory_mib) / 1000 as bigint),
                   cast(sum(millis * gpus) / 1000 as bigint), cast(sum(millis) / 1000 as bigint)
            from (select n.*, cast(least(case when until = 0 then :now else until end, :end)
                                   - greatest(since, :start) as numeric) millis
                  from node_span n where since < :end and (until = 0 or until > :start)) spans
            where millis > 0
            group by up
            """;

    /// In the current session: at most one of each kind.
    ///
    /// @param start and
    /// @param end bound the time, in epoch milliseconds
    public static Uni<List<PeriodCapacity>> between(long start, long end, long now) {
        return Panache.getSession()
                .chain(session ->
                        session.createNativeQuery(QUERY, Object[].class)
                                .setParameter("start", start)
                                .setParameter("end", end)
                                .setParameter("now", now)
                                .getResultList())
                .map(rows -> rows.stream().map(PeriodCapacity::of).toList());
    }

    private static PeriodCapacity of(Object[] row) {
        return new PeriodCapacity(
                (Boolean) row[0], number(row[1]), number(row[2]), number(row[3]), number(row[4]));
    }

    private static long number(Object value) {
        return ((Number) value).longValue();
    }
}
