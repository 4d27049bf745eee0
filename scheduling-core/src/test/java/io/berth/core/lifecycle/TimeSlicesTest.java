package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.orders;
import static io.berth.core.testing.TestCell.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import org.junit.jupiter.api.Test;

/// When turns end: a job of all CPUs of the only node that stands still for an urgent one.
final class TimeSlicesTest {

    private static final long SLICE = 30_000;

    private final TestCell cell = new TestCell();

    private void preemption(boolean gang) {
        var rules =
                new PreemptRules(
                        PreemptRules.Type.QOS,
                        PreemptMode.SUSPEND,
                        gang,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        0,
                        0,
                        0,
                        SLICE / 1000,
                        null);
        cell.take(new Input.Configured(TestCell.configuration(Limits.NONE, rules)));
    }

    /// Job 1 stands still, and job 2 runs from `seconds` after that on.
    private void urgent(long seconds) {
        cell.node("n1", 8, 0, "a100");
        cell.submit(1, cpus(8));
        cell.round();
        cell.started(1, 1, "n1");
        cell.now += 100_000;
        cell.submit(
                2,
                new JobDescription(
                        "bob",
                        "team",
                        "batch",
                        "high",
                        "job",
                        cpus(8),
                        LaunchMode.BATCH,
                        600,
                        0,
                        true));
        cell.round();
        suspended(1, 1);
        cell.round();
        cell.now += 1000 * seconds;
        cell.started(2, 1, "n1");
    }

    private void suspended(long job, int nth) {
        cell.take(
                new Input.Reported(
                        new RunReport.Suspended(run(job, 1), new NodeName("n1"), 1, 1, nth)));
    }

    @Test
    void a_turn_ends_a_slice_after_it_began_and_not_before() {
        preemption(true);
        urgent(5);
        long began = cell.now;

        assertThat(TimeSlices.next(cell.state)).isEqualTo(began + SLICE);
        cell.now = began + SLICE - 1;
        assertThat(orders(cell.round())).isEmpty();
        cell.now = began + SLICE;
        assertThat(orders(cell.round()))
                .anySatisfy(it ->
                        assertThat(it)
                                .isInstanceOfSatisfying(
                                        Order.Suspend.class,
                                        order -> assertThat(order.run()).isEqualTo(run(2, 1))));
    }

    @Test
    void the_next_turn_begins_when_the_other_one_has_come_to_a_stand() {
        preemption(true);
        urgent(0);
        cell.now += SLICE;
        cell.round();

        assertThat(TimeSlices.next(cell.state)).as("job 2 is stopping").isEqualTo(Long.MAX_VALUE);
        cell.now += 3000;
        suspended(2, 1);
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(TimeSlices.next(cell.state)).isEqualTo(cell.now + SLICE);
    }

    @Test
    void nobody_has_a_turn_without_gang() {
        preemption(false);
        urgent(0);

        assertThat(cell.job(1).state()).isEqualTo(JobState.SUSPENDED);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
        assertThat(TimeSlices.next(cell.state)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nobody_has_a_turn_whose_cpus_nobody_has() {
        preemption(true);
        urgent(0);

        cell.ended(2, 1, "n1", RunReport.Cause.EXITED, 0);

        assertThat(TimeSlices.next(cell.state)).isEqualTo(Long.MAX_VALUE);
    }
}
