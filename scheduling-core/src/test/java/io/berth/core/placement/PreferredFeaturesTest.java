package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Features that a job prefers: it has them where it can start so, and never waits for them.
final class PreferredFeaturesTest {

    private static final int SEEDS = 300;
    private static final int NODES = 5;
    private static final long JOB = 100;

    private static TestCell nodes() {
        var cell = new TestCell();
        for (int node = 1; node <= NODES; node++) {
            cell.node("n" + node, 8, 4, "a100");
            String rack = node <= 2 ? "old" : "new";
            cell.take(
                    new Input.NodeAsked(
                            new NodeRequest.FeaturesSet(
                                    new NodeName("n" + node), "root", List.of(rack))));
        }
        return cell;
    }

    private static ResourceRequest preferring(ResourceRequest request, String features) {
        return request.on(NodeConstraints.NONE.preferring(FeatureExpression.parse(features)));
    }

    /// Jobs of all nodes but the last, of which each ends at a time of its own.
    private static TestCell busy(Random random, ResourceRequest last) {
        TestCell cell = nodes();
        for (int job = 1; job <= 12; job++) {
            int count = 1 + random.nextInt(2);
            ResourceRequest some = gpus(count, 1 + random.nextInt(4), null);
            cell.submit(job, TestCell.job(some, 600 * (1 + random.nextInt(20))));
        }
        cell.round();
        cell.submit(JOB, TestCell.job(last, 600));
        cell.round();
        return cell;
    }

    @Test
    void a_job_starts_and_is_expected_when_it_would_be_without_them() {
        int waited = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            ResourceRequest asked = gpus(1 + random.nextInt(3), 1 + random.nextInt(4), null);
            String rather =
                    random.nextBoolean() ? "new" : random.nextBoolean() ? "old*1" : "[old|new]";

            JobStatus without = busy(new Random(seed), asked).job(JOB);
            JobStatus with = busy(new Random(seed), preferring(asked, rather)).job(JOB);

            assertThat(with.state()).as("seed %d", seed).isEqualTo(without.state());
            Planned before = without.planned();
            if (before != null) {
                waited++;
                assertThat(with.planned())
                        .as("seed %d", seed)
                        .isNotNull()
                        .extracting(Planned::start)
                        .matches(it -> it <= before.start(), "no later than " + before.start());
            }
        }
        assertThat(waited).isGreaterThan(SEEDS / 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"new", "[new|old]", "new&a100"})
    void a_job_that_waited_has_them_if_both_come_free_at_once(String features) {
        TestCell cell = nodes();
        cell.submit(1, gpus(NODES, 4, null));
        cell.round();
        for (int node = 1; node <= NODES; node++) {
            cell.ready(1, 1, "n" + node);
        }
        cell.submit(2, preferring(gpus(1, 1, null), features));
        cell.round();
        assertThat(cell.where(2)).isEmpty();

        for (int node = 1; node <= NODES; node++) {
            cell.ended(1, 1, "n" + node, Cause.EXITED, 0);
        }
        cell.round();

        assertThat(cell.where(2)).singleElement().asString().startsWith("n3:");
    }

    @Test
    void what_a_job_prefers_is_no_reason_to_wait() {
        TestCell cell = nodes();

        cell.submit(1, preferring(gpus(NODES, 4, null), "new"));
        cell.submit(2, preferring(gpus(1, 1, null), "nowhere"));
        cell.round();

        assertThat(cell.where(1)).hasSize(NODES);
        assertThat(cell.job(2).reason().slurmName()).isEqualTo("Resources");
    }
}
