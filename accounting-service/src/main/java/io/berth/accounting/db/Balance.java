package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny;

/// Whether the books agree with themselves.
///
/// @param differences one line for each that does not, at most [#MOST] for each rule
public record Balance(boolean balanced, long jobs, long runs, List<String> differences) {

    /// The most differences of one rule that are told.
    public static final int MOST = 100;

    private static final String USAGE_IS_THE_SUM_OF_RUNS =
            """
            select 'usage of ' || coalesce(u.account, r.account) || '/' || coalesce(u.username, r.username)
                   || ' is not the sum of its runs'
            from (
                select account, username, sum(cpu_millis) cpu_millis, sum(memory_mib_millis) memory_mib_millis,
                       sum(gpu_millis) gpu_millis, sum(node_millis) node_millis, sum(billing_micros) billing_micros
                from usage group by account, username) u full join (
                select account, username, sum(r.cpu_millis) cpu, sum(r.memory_mib_millis) memory,
                       sum(r.gpu_millis) gpu, sum(r.node_millis) node, sum(r.billing_micros) billing
                from (select r.account, j.username, r.cpu_millis, r.memory_mib_millis, r.gpu_millis, r.node_millis,
                             r.billing_micros
                      from run r join job j on j.id = r.job where r.freed_at <> 0
                      union all select * from purged_charge) r
                group by account, username) r
            on u.account = r.account and u.username = r.username
            where (u.cpu_millis, u.memory_mib_millis, u.gpu_millis, u.node_millis, u.billing_micros)
                  is distinct from (r.cpu, r.memory, r.gpu, r.node, r.billing)\
            """;

    private static final String AN_ENDED_JOB_HOLDS_NOTHING =
            """
            select 'run ' || r.job || '.' || r.lease || ' holds resources of an ended job'
            from run r join job j on j.id = r.job where r.freed_at = 0 and j.ended_at <> 0\
            """;

    private static final String A_FINAL_STATE_HAS_AN_END =
            """
            select 'job ' || id || ' is ' || state || case when ended_at = 0 then ' without' else ' with' end || ' an end'
            from job where (ended_at <> 0) <> (state not in ('PENDING', 'RUNNING', 'SUSPENDED', 'COMPLETING'))\
            """;

    private static final String ONE_RUN_AT_A_TIME =
            """
            select 'run ' || a.job || '.' || a.lease || ' overlaps run ' || b.job || '.' || b.lease
            from run a join run b on a.job = b.job and a.lease < b.lease
            where a.freed_at = 0 or a.freed_at > b.placed_at\
            """;

    private static final String A_RUN_ENDS_AFTER_IT_BEGAN =
            """
            select 'run ' || job || '.' || lease || ' ends before it begins'
            from run where freed_at <> 0 and freed_at < placed_at\
            """;

    private static final String A_STEP_IS_OF_A_RUN =
            """
            select 'step ' || s.job || '.' || s.number || ' is of no run'
            from step s join job j on j.id = s.job left join run r on r.job = s.job and r.lease = s.lease
            where r.job is null and j.ended_at <> 0\
            """;

    private static final List<String> RULES =
            List.of(
                    USAGE_IS_THE_SUM_OF_RUNS,
                    AN_ENDED_JOB_HOLDS_NOTHING,
                    A_FINAL_STATE_HAS_AN_END,
                    ONE_RUN_AT_A_TIME,
                    A_RUN_ENDS_AFTER_IT_BEGAN,
                    A_STEP_IS_OF_A_RUN);

    /// Checks all rules on one snapshot of the books.
    public static Uni<Balance> check() {
        return Panache.withTransaction(() ->
                Panache.getSession()
                        .chain(session ->
                                session.createNativeQuery(
                                                "set transaction isolation level repeatable read")
                                        .executeUpdate()
                                        .chain(() -> check(session))));
    }

    private static Uni<Balance> check(Mutiny.Session session) {
        var differences = new ArrayList<String>();
        Uni<Void> checked = Uni.createFrom().voidItem();
        for (String rule : RULES) {
            checked =
                    checked.chain(() ->
                            session.createNativeQuery(rule, String.class)
                                    .setMaxResults(MOST)
                                    .getResultList()
                                    .invoke(differences::addAll)
                                    .replaceWithVoid());
        }
        return checked.chain(() -> JobRow.count())
                .chain(jobs ->
                        RunRow.count()
                                .map(runs ->
                                        new Balance(
                                                differences.isEmpty(),
                                                jobs,
                                                runs,
                                                List.copyOf(differences))));
    }
}
