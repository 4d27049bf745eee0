package io.berth.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.packing.Policies;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Jobs of two groups that take the whole cluster each, so that one runs after the other.
final class FairUseTest {

    private static final HalfLife NEVER = new HalfLife(0);
    private static final List<TraceNode> ONE_GPU = List.of(node("n1", 1, ""));

    private static TraceNode node(String name, int gpus, String partition) {
        return new TraceNode(name, "T4", gpus, 64_000, TraceNode.UNKNOWN_MIB, partition);
    }

    private static TraceJob job(String id, String user, long submit, long runs, int gpus) {
        return new TraceJob(
                id,
                user,
                id.substring(0, 1),
                submit * 1000,
                runs * 1000,
                -1,
                gpus,
                1000,
                List.of(),
                0,
                0,
                0);
    }

    private static TraceJob job(String id, long submit, long runs) {
        return job(id, "", submit, runs, 1);
    }

    /// The start of each job, in seconds.
    private static Map<String, Long> starts(
            List<TraceJob> jobs, List<TraceNode> nodes, HalfLife halfLife) {
        var settings = new Settings(Backfill.EASY, 100, Policies.TIGHTEST);
        var rules =
                new Rules(
                        settings,
                        "tightest",
                        Order.FAIRSHARE,
                        Estimates.EXACT,
                        30_000,
                        halfLife,
                        GivingWay.NONE);
        var starts = new TreeMap<String, Long>();
        new Simulation(jobs, nodes, rules)
                .run(_ -> {})
                .forEach(it -> starts.put(it.job().id(), it.start() / 1000));
        return starts;
    }

    /// A tie goes to the job that came first.
    @Test
    void groups_that_have_equal_shares_take_turns() {
        List<TraceJob> jobs =
                List.of(
                        job("a1", 0, 600),
                        job("a2", 1, 600),
                        job("a3", 2, 600),
                        job("b1", 3, 600),
                        job("b2", 4, 600),
                        job("b3", 5, 600));

        assertThat(starts(jobs, ONE_GPU, NEVER))
                .containsExactly(
                        Map.entry("a1", 0L),
                        Map.entry("a2", 1200L),
                        Map.entry("a3", 2400L),
                        Map.entry("b1", 600L),
                        Map.entry("b2", 1800L),
                        Map.entry("b3", 3000L));
    }

    /// Shares / usage of `a` and `b`, before each start after b1: 3/1 and 1/1, 3/2 and 1/1, 3/3 and
    /// 1/1 (a tie), 3/4 and 1/1.
    @Test
    void a_group_has_as_many_shares_as_its_partition_has_gpus() {
        List<TraceNode> nodes =
                List.of(
                        node("n1", 1, "a"),
                        node("n2", 1, "a"),
                        node("n3", 1, "a"),
                        node("n4", 1, "b"));
        List<TraceJob> jobs =
                List.of(
                        job("a1", "", 0, 600, 4),
                        job("a2", "", 1, 600, 4),
                        job("a3", "", 2, 600, 4),
                        job("a4", "", 3, 600, 4),
                        job("b1", "", 4, 600, 4),
                        job("b2", "", 5, 600, 4),
                        job("b3", "", 6, 600, 4));

        assertThat(starts(jobs, nodes, NEVER))
                .containsExactly(
                        Map.entry("a1", 0L),
                        Map.entry("a2", 1200L),
                        Map.entry("a3", 1800L),
                        Map.entry("a4", 2400L),
                        Map.entry("b1", 600L),
                        Map.entry("b2", 3000L),
                        Map.entry("b3", 3600L));
    }

    /// At 1800 `a` has used 1200 and `b` 600; with a half-life of 100 s, 2 and 142 of it count.
    @Test
    void usage_is_forgotten_by_its_half_life() {
        List<TraceJob> jobs =
                List.of(
                        job("a1", 0, 1200),
                        job("b1", 1, 600),
                        job("a2", 2, 600),
                        job("b2", 3, 600));

        assertThat(starts(jobs, ONE_GPU, NEVER))
                .containsEntry("b2", 1800L)
                .containsEntry("a2", 2400L);
        assertThat(starts(jobs, ONE_GPU, new HalfLife(100_000)))
                .containsEntry("a2", 1800L)
                .containsEntry("b2", 2400L);
    }

    @Test
    void users_of_one_group_share_it_evenly() {
        List<TraceJob> jobs =
                List.of(
                        job("a1", "alice", 0, 600, 1),
                        job("a2", "alice", 1, 600, 1),
                        job("a3", "bob", 2, 600, 1));

        assertThat(starts(jobs, ONE_GPU, NEVER))
                .containsEntry("a3", 600L)
                .containsEntry("a2", 1200L);
    }

    /// Of two GPUs `a` has one while its second job waits, and then both; `b` has one for as long.
    @Test
    void what_an_account_had_while_it_wanted_more_is_measured() {
        List<Outcome> outcomes =
                List.of(
                        new Outcome(job("a1", 0, 3600), 0, -1, false),
                        new Outcome(job("b1", 0, 3600), 0, -1, false),
                        new Outcome(job("a2", 0, 7200), 3_600_000, -1, false));

        assertThat(AccountUse.of(outcomes, List.of(node("n1", 2, ""))))
                .containsExactly(
                        new AccountUse(
                                "a", 50, 75, 1, 50, 2, new Distribution(1800, 0, 3600, 3600, 3600)),
                        new AccountUse("b", 50, 25, 0, 0, 1, Distribution.of(0)));
    }

    @Test
    void an_account_of_a_cluster_without_gpus_holds_none_of_them() {
        List<Outcome> outcomes = List.of(new Outcome(job("a1", 0, 3600), 60_000, -1, false));

        assertThat(AccountUse.of(outcomes, List.of(node("n1", 0, ""))))
                .extracting(AccountUse::held)
                .containsExactly(0.0);
    }
}
