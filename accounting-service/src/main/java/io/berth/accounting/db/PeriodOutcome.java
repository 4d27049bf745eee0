package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.util.List;

/// How many jobs of a user ended in a part of a time, by partition and how they ended.
///
/// @param start where the part begins, in epoch milliseconds
/// @param state in which they ended
public record PeriodOutcome(
        long start, String partition, String state, String account, String user, long jobs) {

    private static final String QUERY =
            """
            select cast(:start as bigint) + (ended_at - :start) / :step * :step, partition, state, account, username, count(*)
            from job
            where lasted(submitted_at, ended_at) && int8range(:start, :end) and ended_at >= :start and ended_at < :end
            group by 1, 2, 3, 4, 5
            order by 1, 2, 3, 4, 5
            """;

    /// In the current session, in the order of their components.
    ///
    /// @param step how long a part is, in milliseconds
    /// @param start and
    /// @param end bound the time, in epoch milliseconds
    public static Uni<List<PeriodOutcome>> each(long step, long start, long end) {
        return Panache.getSession()
                .chain(session ->
                        session.createNativeQuery(QUERY, Object[].class)
                                .setParameter("start", start)
                                .setParameter("end", end)
                                .setParameter("step", step)
                                .getResultList())
                .map(rows -> rows.stream().map(PeriodOutcome::of).toList());
    }

    private static PeriodOutcome of(Object[] row) {
        return new PeriodOutcome(
                ((Number) row[0]).longValue(),
                (String) row[1],
                (String) row[2],
                (String) row[3],
                (String) row[4],
                ((Number) row[5]).longValue());
    }
}
