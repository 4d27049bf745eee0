package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Jobs that asked once where on a node they lie change nothing for those who do not ask, and cost
/// nothing when they have started.
final class KeptSeatsTest {

    /// More than a search compares.
    private static final int NODES = 70;

    private static final NodeConstraints ALONE =
            new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null);

    private final TestCell cell = new TestCell();
    private final Placement kept = new Placement(cell.state, Settings.DEFAULT);
    private long jobs;

    /// Two GPUs on each of two sockets; on every other node these are linked.
    private void node(int number) {
        int onBoard = number % 2 == 0 ? 2 : 1;
        cell.take(
                new Input.Registered(
                        BuiltNode.of("n" + number, 2, BuiltNode.boards(4, onBoard), 0, 0, 1, 1)));
    }

    private static ResourceRequest plain(int gpus, int cpus) {
        return new ResourceRequest(
                1, 1, cpus, MemoryRequest.perNode(100), new GpuRequest(gpus, null));
    }

    private static ResourceRequest island() {
        return gpus(1, 2, null).on(NodeConstraints.NONE.inBlocks(null, true));
    }

    private static ResourceRequest ofBothSockets() {
        return new ResourceRequest(
                1, 1, 2, MemoryRequest.perNode(100), new GpuRequest(2, null, null, null, 1, null));
    }

    private long submit(ResourceRequest request, long limitSeconds) {
        note(cell.submit(++jobs, TestCell.job(request, limitSeconds)));
        return jobs;
    }

    private void note(List<Fact> facts) {
        facts.forEach(kept::note);
    }

    private void end(JobStatus job) {
        for (Allocation it : Objects.requireNonNull(job.run()).allocations()) {
            note(cell.ended(job.job().value(), 1, it.node().value(), Cause.EXITED, 0));
        }
    }

    /// What is decided now, by the one that was kept.
    private List<Fact> decide() {
        List<Fact> facts = Engine.place(cell.state, kept, cell.now, Pass.PLAN);
        facts.forEach(cell.state::replay);
        note(facts);
        return facts;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void one_that_was_kept_decides_as_a_fresh_one_whoever_asked_before(long seed) {
        var random = new Random(seed);
        for (int number = 1; number <= NODES; number++) {
            node(number);
            submit(plain(3, 9 + random.nextInt(4)), 36_000);
        }
        decide();
        long asks = 0;
        int seated = 0;
        for (int round = 0; round < 25; round++) {
            cell.now += 1 + random.nextLong(60_000);
            for (JobId id : List.copyOf(cell.state.holding())) {
                if (random.nextInt(12) == 0) {
                    end(cell.state.knownJob(id));
                }
            }
            if (asks > 0 && cell.job(asks).run() == null) {
                note(cell.cancel(asks));
            }
            asks =
                    round % 5 == 0
                            ? submit(random.nextBoolean() ? island() : ofBothSockets(), 600)
                            : 0;
            for (int more = random.nextInt(6); more > 0; more--) {
                submit(plain(1 + random.nextInt(2), 1 + random.nextInt(9)), 3600);
            }
            List<Fact> fresh =
                    Engine.place(
                            cell.state,
                            new Placement(cell.state, Settings.DEFAULT),
                            cell.now,
                            Pass.PLAN);

            assertThat(decide()).as("round %d", round).isEqualTo(fresh);
            seated += asks > 0 && cell.job(asks).run() != null ? 1 : 0;
        }
        assertThat(seated).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {6, 9, 17, 18, 20})
    void so_it_does_with_jobs_that_have_their_nodes_to_themselves_and_gangs(long seed) {
        var random = new Random(seed);
        node(2);
        node(4);
        for (int round = 0; round < 60; round++) {
            cell.now += 1000L * random.nextInt(200);
            for (int more = random.nextInt(4); more > 0; more--) {
                int cpus = 1 + random.nextInt(16);
                ResourceRequest request =
                        switch (random.nextInt(6)) {
                            case 0 -> ofBothSockets();
                            case 1 -> cpus(1, cpus).on(ALONE);
                            case 2 -> cpus(2, cpus);
                            case 3 -> plain(1 + random.nextInt(2), cpus);
                            default -> cpus(1, cpus);
                        };
                submit(request, 60L * (1 + random.nextInt(20)));
            }
            for (JobId id : List.copyOf(cell.state.holding())) {
                if (random.nextInt(6) == 0) {
                    end(cell.state.knownJob(id));
                }
            }
            List<Fact> fresh =
                    Engine.place(
                            cell.state,
                            new Placement(cell.state, Settings.DEFAULT),
                            cell.now,
                            Pass.PLAN);

            assertThat(decide()).as("round %d", round).isEqualTo(fresh);
        }
    }

    private static ResourceRequest cpus(int nodes, int each) {
        return new ResourceRequest(nodes, nodes, each, MemoryRequest.perNode(100), GpuRequest.NONE);
    }

    @Test
    void what_is_known_is_kept_when_one_that_asked_starts_and_ends() {
        node(2);
        long asks = submit(island(), 600);
        decide();
        submit(plain(4, 1), 1200);
        note(cell.take(new Input.Configured(TestCell.configuration())));
        decide();
        boolean before = known();

        note(cell.ready(asks, 1, "n2"));
        boolean running = known();
        end(cell.job(asks));

        assertThat(before).isTrue();
        assertThat(running).isTrue();
        assertThat(known()).isTrue();
    }

    /// Whether it knows when a job is expected to start: one that has forgotten all does not.
    private boolean known() {
        return kept.next(cell.now) < Long.MAX_VALUE;
    }
}
