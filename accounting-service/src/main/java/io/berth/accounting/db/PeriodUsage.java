package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What runs held during a time, by account, user and the type of GPU that was asked for. A run
/// that lasted beyond the time counts with its part, one that lasts still up to now.
///
/// @param gpuType "" where none was named
/// @param jobs that held anything
public record PeriodUsage(
        String account,
        String user,
        String gpuType,
        long jobs,
        long cpuSeconds,
        long memoryMibSeconds,
        long gpuSeconds,
        long nodeSeconds,
        long billingSeconds) {

    private static final String QUERY =
            """
            select bucket, account, username, gpu_type, count(distinct job),
                   cast(sum(cpu) / 1000 as bigint), cast(sum(memory) / 1000 as bigint),
                   cast(sum(gpu) / 1000 as bigint), cast(sum(node) / 1000 as bigint),
                   cast(sum(billing) / 1000000 as bigint)
            from (
                select b.bucket, r.account, j.username, coalesce(j.gpu_type, '') gpu_type, j.id job,
                       %s cpu, %s memory, %s gpu, %s node, %s billing
                from generate_series(cast(:start as bigint), cast(:end as bigint) - 1, cast(:step as bigint)) b(bucket)
                join run r on lasted(r.placed_at, r.freed_at)
                              && int8range(b.bucket, b.bucket + least(cast(:step as bigint), :end - b.bucket))
                join job j on j.id = r.job
                cross join lateral (
                    select least(case when r.freed_at = 0 then :now else r.freed_at end,
                                 b.bucket + least(cast(:step as bigint), :end - b.bucket))
                           - greatest(r.placed_at, b.bucket) millis,
                           greatest(case when r.freed_at = 0 then :now else r.freed_at end - r.placed_at, 1) whole,
                           r.suspended_millis
                           + case when r.suspended_at = 0 then 0 else greatest(:now - r.suspended_at, 0) end still) held
                where held.millis > 0) used
            group by bucket, account, username, gpu_type
            order by bucket, account, username, gpu_type
            """
                    .formatted(
                            part("j.cpus", "r.cpu_millis"),
                            part("j.memory_mib", "r.memory_mib_millis"),
                            part("j.gpus", "r.gpu_millis"),
                            part("j.nodes", "r.node_millis"),
                            part("r.billing_rate", "r.billing_micros"));

    /// Of a run that lasts what it holds each millisecond, of one that is over its part of the
    /// charge. The time for which it stood still is spread over all of its time.
    private static String part(String eachMilli, String charged) {
        return "held.millis * case when r.freed_at = 0"
                + " then cast(%s as numeric) * (held.whole - held.still) / held.whole"
                        .formatted(eachMilli)
                + " else cast(%s as numeric) / held.whole end".formatted(charged);
    }

    /// In the current session; ordered by account, user and type.
    ///
    /// @param start and
    /// @param end bound the time, in epoch milliseconds
    public static Uni<List<PeriodUsage>> between(long start, long end, long now) {
        return each(end - start, start, end, now)
                .map(periods -> periods.getOrDefault(start, List.of()));
    }

    /// In the current session: the same for each part of a time, by where it begins; without those
    /// in which nothing was held.
    ///
    /// @param step how long a part is, in milliseconds; the last may be shorter
    public static Uni<SortedMap<Long, List<PeriodUsage>>> each(
            long step, long start, long end, long now) {
        return Panache.getSession()
                .chain(session ->
                        session.createNativeQuery(QUERY, Object[].class)
                                .setParameter("start", start)
                                .setParameter("end", end)
                                .setParameter("step", step)
                                .setParameter("now", now)
                                .getResultList())
                .map(rows ->
                        rows.stream()
                                .collect(
                                        Collectors.groupingBy(
                                                row -> number(row[0]),
                                                TreeMap::new,
                                                Collectors.mapping(
                                                        PeriodUsage::of, Collectors.toList()))));
    }

    private static PeriodUsage of(Object[] row) {
        return new PeriodUsage(
                (String) row[1],
                (String) row[2],
                (String) row[3],
                number(row[4]),
                number(row[5]),
                number(row[6]),
                number(row[7]),
                number(row[8]),
                number(row[9]));
    }

    private static long number(Object value) {
        return ((Number) value).longValue();
    }
}
