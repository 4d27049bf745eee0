package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A node of eight GPUs, of which the QOS gives a user four.
final class PlacementLimitsTest {

    private final TestCell cell = new TestCell();
    private final long zero = cell.now;

    @BeforeEach
    void a_user_may_have_four_gpus() {
        allow(4);
        cell.node("n1", 16, 8, "a100");
    }

    private void allow(long gpus) {
        var limits = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, gpus)));
        cell.take(new Input.Configured(TestCell.configuration(limits)));
    }

    @Test
    void a_job_over_the_limit_waits_for_it_and_others_pass() {
        cell.submit(1, "alice", gpus(1, 3, null));
        cell.submit(2, "alice", gpus(1, 2, null));
        cell.submit(3, "alice", gpus(1, 1, null));
        cell.submit(4, "bob", gpus(1, 4, null));

        cell.round();

        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
        assertThat(start(2)).isEqualTo(zero + 602_000);
        assertThat(cell.where(3)).isNotEmpty();
        assertThat(cell.where(4)).isNotEmpty();
    }

    private List<Fact> submit(long id, int gpus, long limitSeconds) {
        return cell.submit(id, TestCell.job(gpus(1, gpus, null), limitSeconds));
    }

    private @Nullable Long start(long id) {
        Planned planned = cell.job(id).planned();
        return planned == null ? null : (Long) planned.start();
    }

    @Test
    void as_many_are_expected_as_may_run_together() {
        submit(1, 3, 600);
        submit(2, 1, 900);
        submit(3, 1, 60);
        submit(4, 3, 60);
        submit(5, 1, 60);

        cell.round();

        assertThat(start(3)).isEqualTo(zero + 602_000);
        assertThat(start(4)).isEqualTo(zero + 902_000);
        assertThat(start(5)).isNull();
    }

    @Test
    void who_would_keep_it_back_at_its_expected_start_waits_or_is_over_by_then() {
        submit(1, 2, 600);
        submit(2, 4, 600);
        submit(3, 2, 900);
        submit(4, 2, 300);

        cell.round();

        assertThat(start(2)).isEqualTo(zero + 602_000);
        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.where(4)).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void a_job_whose_qos_has_no_reserve_keeps_nothing_for_itself(boolean flag) {
        Configuration before = TestCell.configuration();
        cell.take(new Input.Configured(flag ? withoutReserve(before) : before));
        cell.submit(1, "bob", gpus(1, 6, null));
        cell.submit(2, "alice", gpus(1, 8, null));
        cell.submit(3, TestCell.job(gpus(1, 2, null), 1800));

        cell.round();

        assertThat(start(2)).isEqualTo(flag ? null : zero + 602_000);
        assertThat(cell.where(3).isEmpty()).isEqualTo(!flag);
    }

    private static Configuration withoutReserve(Configuration before) {
        var qos = new LinkedHashMap<>(before.qos());
        var rules =
                new QosRules("", List.of(Flag.NO_RESERVE), 1000, 0, List.of(), null, Limits.NONE);
        qos.put("normal", new ConfigEntry.Qos(new Part(1, 1, 1), "normal", 0, rules));
        return new Configuration(
                before.revision() + 1,
                before.cluster(),
                before.partitions(),
                before.accounts(),
                before.associations(),
                qos,
                before.reservations(),
                before.switches(),
                before.licenses());
    }

    @Test
    void who_may_preempt_leaves_others_their_starts_too() {
        var limits = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.GPU, 4L)));
        var rules =
                new PreemptRules(
                        PreemptRules.Type.PARTITION_PRIO,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        0,
                        0,
                        0,
                        30,
                        null);
        cell.take(new Input.Configured(TestCell.configuration(limits, rules)));
        cell.node("n2", 16, 8, "a100");
        cell.submit(9, "bob", gpus(1, 1, null));
        cell.submit(1, urgent(gpus(1, 2, null), 600));
        cell.submit(2, urgent(gpus(1, 4, null), 600));
        cell.round();

        cell.submit(3, urgent(gpus(1, 2, null), 3600));
        cell.round();

        assertThat(start(2)).isEqualTo(zero + 602_000);
        assertThat(cell.where(3)).isEmpty();
    }

    @Test
    void who_is_ahead_has_the_start_that_one_behind_him_was_given_under_the_same_limit() {
        var placement = new Placement(cell.state, Settings.DEFAULT);
        submit(1, 4, 600);
        decide(placement, Pass.START);
        submit(2, 4, 600).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(start(2)).isEqualTo(zero + 602_000);

        cell.submit(3, urgent(gpus(1, 4, null), 600)).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(placement.stale()).isTrue();
        decide(placement, Pass.PLAN);

        assertThat(start(3)).isEqualTo(zero + 602_000);
        assertThat(start(2)).isNull();
        assertThat(placement.stale()).isFalse();
    }

    @Test
    void who_has_room_under_a_limit_since_another_one_is_gone_has_it_before_one_behind_him() {
        var placement = new Placement(cell.state, Settings.DEFAULT);
        submit(1, 4, 600);
        decide(placement, Pass.START);
        cell.submit(2, urgent(gpus(1, 3, null), 600)).forEach(placement::note);
        cell.submit(3, urgent(gpus(1, 4, null), 600)).forEach(placement::note);
        submit(4, 1, 600).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(start(3)).isNull();
        assertThat(start(4)).isEqualTo(zero + 602_000);
        assertThat(placement.stale()).isFalse();

        cell.cancel(2).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(placement.stale()).isTrue();
        decide(placement, Pass.PLAN);

        assertThat(start(3)).isEqualTo(zero + 602_000);
        assertThat(start(4)).isNull();
    }

    private void decide(Placement placement, Pass pass) {
        List<Fact> facts = Engine.place(cell.state, placement, cell.now, pass);
        facts.forEach(cell.state::replay);
        facts.forEach(placement::note);
    }

    @Test
    void who_is_kept_back_for_the_start_of_another_one_says_the_limit_of_both() {
        submit(1, 2, 600);
        submit(2, 4, 600);
        submit(3, 2, 900);
        cell.submit(4, "bob", gpus(1, 8, null));
        cell.submit(5, "bob", gpus(1, 4, null));

        cell.round();

        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
    }

    @Test
    void who_waits_for_a_limit_is_told_what_it_would_let_him_start_with() {
        submit(1, 2, 600);
        submit(2, 4, 600);
        submit(3, 2, 900);
        cell.submit(4, "bob", gpus(1, 3, null));
        cell.round();
        cell.submit(5, "bob", gpus(1, 2, null));
        cell.round();

        assertThat(changes(3)).containsExactly(new Change(Axis.TIME_LIMIT, "900", "600"));
        assertThat(changes(5)).containsExactly(new Change(Axis.GPUS, "2", "1"));
    }

    private List<Change> changes(long id) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(id), cell.now)
                .orElseThrow()
                .changes();
    }

    @Test
    void he_says_so_until_that_one_is_gone() {
        var placement = new Placement(cell.state, Settings.DEFAULT);
        submit(1, 2, 600);
        decide(placement, Pass.START);
        submit(2, 4, 600).forEach(placement::note);
        submit(3, 2, 900).forEach(placement::note);
        cell.submit(4, "bob", gpus(1, 4, null)).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(cell.job(3).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
        cell.submit(5, "carol", gpus(1, 2, null)).forEach(placement::note);
        decide(placement, Pass.START);

        cell.cancel(2).forEach(placement::note);
        decide(placement, Pass.START);

        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void a_heterogeneous_job_is_expected_when_limits_let_all_of_it_start() {
        submit(1, 2, 600);
        cell.round();

        cell.submitTogether(2, job(1), job(2));
        cell.round();

        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
        assertThat(start(2)).isEqualTo(zero + 602_000);
        assertThat(start(3)).isEqualTo(zero + 602_000);
    }

    @Test
    void a_heterogeneous_job_leaves_others_their_starts_under_a_limit() {
        submit(1, 2, 600);
        submit(2, 4, 600);
        cell.round();
        assertThat(start(2)).isEqualTo(zero + 602_000);

        cell.submitTogether(3, job(1), job(1));
        cell.submitTogether(
                5, TestCell.job(gpus(1, 1, null), 300), TestCell.job(gpus(1, 1, null), 300));
        cell.round();

        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.job(4).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
        assertThat(cell.where(5)).isNotEmpty();
        assertThat(cell.where(6)).isNotEmpty();
    }

    @Test
    void a_heterogeneous_job_that_is_ahead_has_the_start_of_one_behind_it() {
        var placement = new Placement(cell.state, Settings.DEFAULT);
        submit(1, 4, 600);
        submit(2, 4, 600);
        decide(placement, Pass.START);

        JobDescription urgent = urgent(gpus(1, 2, null), 600);
        cell.submitTogether(3, urgent, urgent).forEach(placement::note);
        decide(placement, Pass.START);
        assertThat(placement.stale()).isTrue();
        decide(placement, Pass.PLAN);

        assertThat(start(3)).isEqualTo(zero + 602_000);
        assertThat(start(2)).isNull();
    }

    private static JobDescription job(int gpus) {
        return TestCell.job(gpus(1, gpus, null), 900);
    }

    private static JobDescription urgent(ResourceRequest request, long limitSeconds) {
        return job("urgent", "normal", request, limitSeconds);
    }

    private static JobDescription job(
            String partition, String qos, ResourceRequest request, long limitSeconds) {
        return new JobDescription(
                "alice",
                "team",
                partition,
                qos,
                "job",
                request,
                LaunchMode.BATCH,
                limitSeconds,
                0,
                true);
    }

    /// Alice may run one job in that partition.
    private static Configuration oneJobIn(String partition, Configuration base) {
        var one = new Limits(Map.of(Limit.MAX_JOBS, 1L), Map.of());
        var terms = new Terms(null, List.of(), 0, Limits.NONE, Map.of(partition, one));
        var alice = new Association(new Part(1, 1, 1), "team", "alice", 1, true, terms);
        return new Configuration(
                base.revision() + 1,
                base.cluster(),
                base.partitions(),
                new LinkedHashMap<>(
                        Map.of("team", new Account(new Part(1, 1, 1), "team", null, 1))),
                List.of(alice),
                base.qos(),
                base.reservations(),
                base.switches(),
                base.licenses());
    }

    /// A user's limit in one partition counts his runs in all; the timeline has those of that one.
    @Test
    void a_limit_of_one_partition_keeps_no_nodes_while_he_runs_in_another() {
        cell.take(new Input.Configured(oneJobIn("urgent", TestCell.configuration())));
        submit(1, 2, 3600);
        cell.round();
        cell.submit(2, urgent(gpus(1, 6, null), 3600));
        cell.submit(3, "bob", gpus(1, 2, null));

        cell.round();

        assertThat(start(2)).isNull();
        assertThat(cell.where(3)).isNotEmpty();
    }

    @Test
    void who_gets_no_place_of_others_in_one_partition_meets_the_limits_of_the_next() {
        var rules =
                new PreemptRules(
                        PreemptRules.Type.QOS,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        1000,
                        0,
                        0,
                        30,
                        null);
        Configuration preempting = TestCell.configuration(Limits.NONE, rules);
        cell.take(new Input.Configured(oneJobIn("batch", preempting)));
        cell.node("n3", 16, 8, "a100");
        cell.submit(1, "bob", gpus(1, 8, null));
        cell.round();
        cell.ready(1, 1, "n1");
        cell.started(1, 1, "n1");
        cell.submit(2, "alice", gpus(1, 4, null));
        cell.round();
        JobDescription either = job("pair", "high", gpus(1, 4, null), 900);
        cell.submit(3, either.inAnyOf(List.of("pair", "batch")));
        cell.round();
        Clearing clearing = Objects.requireNonNull(cell.job(3).clearing());
        assertThat(clearing.partition()).isEqualTo("pair");

        cell.now = clearing.until() + 1;
        cell.round();

        assertThat(cell.where(3)).isEmpty();
    }

    @Test
    void two_that_may_not_run_together_are_not_expected_together() {
        cell.submit(1, "bob", gpus(1, 4, null));
        cell.submit(2, "carol", gpus(1, 4, null));
        submit(3, 4, 600);
        submit(4, 4, 600);

        cell.round();

        assertThat(start(3)).isEqualTo(zero + 602_000);
        assertThat(start(4)).isNull();
    }

    @Test
    void others_have_its_nodes_until_its_expected_start() {
        submit(1, 4, 600);
        submit(2, 4, 600);
        cell.node("n2", 16, 2, "a100");
        cell.submit(3, "bob", gpus(1, 2, null));
        cell.submit(4, "carol", gpus(1, 2, null));
        cell.submit(5, "dave", gpus(1, 2, null));

        cell.round();

        assertThat(cell.where(3)).isNotEmpty();
        assertThat(cell.where(4)).isNotEmpty();
        assertThat(cell.where(5)).isNotEmpty();
        assertThat(start(2)).isEqualTo(zero + 602_000);
    }

    @Test
    void who_waits_for_a_limit_of_a_single_job_is_not_expected() {
        cell.take(
                new Input.Configured(
                        TestCell.configuration(
                                new Limits(
                                        Map.of(), Map.of(Limit.MAX_TRES, Map.of(Tres.GPU, 2L))))));
        submit(1, 3, 600);

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_JOB);
        assertThat(start(1)).isNull();
    }

    @Test
    void who_waits_for_room_behind_it_is_first_and_says_so() {
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.submit(2, "alice", gpus(1, 1, null));
        cell.submit(3, "bob", gpus(1, 4, null));
        cell.submit(4, "carol", gpus(1, 4, null));

        cell.round();

        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
        assertThat(cell.job(4).reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void it_starts_when_a_job_of_the_same_user_has_ended() {
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.submit(2, "alice", gpus(1, 4, null));
        cell.round();
        cell.ready(1, 1, "n1");
        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        cell.round();

        assertThat(cell.where(2)).isNotEmpty();
    }

    @Test
    void a_higher_limit_lets_it_start() {
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.submit(2, "alice", gpus(1, 4, null));
        cell.round();

        allow(8);
        cell.round();

        assertThat(cell.where(2)).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"gres/gpu, 8, QOSMaxGRESPerUser", "cpu, 16, QOSMaxCpuPerUserLimit"})
    void a_job_that_has_its_node_alone_counts_with_all_of_it(
            String what, long most, String reason) {
        var limits = new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(what, most)));
        cell.take(new Input.Configured(TestCell.configuration(limits)));
        cell.node("n2", 16, 8, "a100");
        var alone =
                new NodeConstraints(
                        null, List.of(), List.of(), Sharing.NODE, null, null, null, null);
        cell.submit(1, "alice", gpus(1, 1, null).on(alone));
        cell.submit(2, "alice", gpus(1, 1, null));
        cell.submit(3, "bob", gpus(1, 1, null));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-15:0,1,2,3,4,5,6,7");
        assertThat(cell.job(2).reason().slurmName()).isEqualTo(reason);
        assertThat(cell.where(3)).isNotEmpty();
    }

    @Test
    void a_lower_limit_stops_no_run() {
        cell.submit(1, "alice", gpus(1, 4, null));
        cell.round();

        allow(2);
        cell.submit(2, "alice", gpus(1, 1, null));
        cell.round();

        assertThat(cell.where(1)).isNotEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
    }
}
