package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.EndedRun;
import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/// What holds in a simulated cell after every step, whatever trouble it is in.
record CellLaws(CellTraits cell, List<SimulatedAgent> agents) {

    void check(CellState state) {
        checkCapacity(state);
        if (cell.dividing()) {
            checkHeldIsThere(state);
        }
        checkLimits(state);
        checkLeases();
        checkBlocks(state);
        AllocationLaws.check(state);
    }

    /// What holds after every round too.
    ///
    /// @param placed in it
    /// @param next when the next one may decide more
    static void checkRound(CellState state, List<Fact> placed, long now, long next) {
        checkNoWorkForThoseWhoLeft(state, placed);
        if (next > now) {
            checkClearings(state, now); // No pass was cut off.
        }
        AllocationLaws.checkStarted(state, placed);
    }

    /// Nobody is in the blocks of a job beside it that is of partition `urgent`, or wants to be
    /// alone there.
    private void checkBlocks(CellState state) {
        for (JobId job : cell.inOwnBlocks() ? state.holding() : new TreeSet<JobId>()) {
            JobDescription its = state.knownJob(job).description();
            if (its.partition().equals("urgent")
                    || its.request().where().sharing() == Sharing.TOPOLOGY) {
                Set<NodeName> nodes = blocks(state, job);
                for (JobId other : state.holding()) {
                    assertThat(
                                    other.equals(job)
                                            || Collections.disjoint(blocks(state, other), nodes))
                            .as("%s is in blocks of %s", other, job)
                            .isTrue();
                }
            }
        }
    }

    /// The first nodes of the blocks in which a run holds something.
    private static Set<NodeName> blocks(CellState state, JobId job) {
        var blocks = new TreeSet<NodeName>();
        for (Part part : Objects.requireNonNull(state.knownJob(job).run()).parts()) {
            String name = part.allocation().node().value();
            if (part.phase() != Part.Phase.ENDED) {
                blocks.add(new NodeName(name.equals("n2") ? "n1" : name));
            }
        }
        return blocks;
    }

    private static void checkNoWorkForThoseWhoLeft(CellState state, List<Fact> placed) {
        assertThat(placed)
                .noneMatch(fact ->
                        fact instanceof Fact.Ordered(Order.Launch launch)
                                && state.node(launch.node()).orElseThrow().presence()
                                        == NodeStatus.Presence.LEFT);
    }

    /// A job that nodes are cleared for waits for its victims alone: what they leave nobody gets
    /// but one that nodes were cleared for before, where a victim of its own could not stand still.
    private static void checkClearings(CellState state, long now) {
        for (JobStatus job : state.jobs()) {
            if (job.clearing() != null) {
                assertThat(
                                job.clearing().victims().stream()
                                                .anyMatch(run -> giving(state, run))
                                        || behind(state, job))
                        .as("job %s waits for those who give way", job)
                        .isTrue();
                assertThat(job.clearing().nodes())
                        .allMatch(node -> state.node(node).orElseThrow().open());
                assertThat(job.clearing().until()).isGreaterThan(now);
            }
        }
    }

    private static boolean behind(CellState state, JobStatus job) {
        JobStatus.Clearing its = Objects.requireNonNull(job.clearing());
        return state.jobs().stream()
                .map(JobStatus::clearing)
                .filter(Objects::nonNull)
                .filter(it ->
                        it.since() < its.since()
                                || (it.since() == its.since() && it.until() < its.until()))
                .anyMatch(it -> it.nodes().stream().anyMatch(its.nodes()::contains));
    }

    private static boolean giving(CellState state, RunId id) {
        JobStatus.Run run = state.job(id.job()).map(JobStatus::run).orElse(null);
        return run != null
                && run.lease() == id.lease()
                && (run.outcome() != null || !run.standstill().suspended());
    }

    private void checkCapacity(CellState state) {
        for (NodeStatus node : state.nodes()) {
            Inventory inventory = node.seen().inventory();
            Holding holding = state.holdingOn(node.node());
            assertThat(holding.cpus()).isLessThanOrEqualTo(inventory.cpus());
            // What a node lost by a reboot is held until the run's other nodes know.
            if (!cell.dividing()) {
                assertThat(holding.gpus()).isLessThanOrEqualTo(inventory.gpus().size());
            }
            assertThat(holding.memoryMib()).isLessThanOrEqualTo(inventory.memoryMib());
            assertThat(holding.twice()).as("something of %s is held twice", node).isFalse();
        }
        for (SimulatedAgent agent : agents) {
            var busy = new BitSet();
            for (IndexSet cpus : agent.busy()) {
                assertThat(busy.intersects(cpus.toBitSet()))
                        .as("two runs run on one CPU of %s: %s", agent.node, agent.busy())
                        .isFalse();
                busy.or(cpus.toBitSet());
            }
        }
    }

    /// What a run holds is there: no GPU was divided under it. Nothing is held of a GPU that is
    /// being divided.
    private void checkHeldIsThere(CellState state) {
        for (JobId id : state.holding()) {
            JobStatus.Run run = Objects.requireNonNull(state.knownJob(id).run());
            for (Part part : run.outcome() == null ? run.parts() : List.<Part>of()) {
                NodeStatus node = state.node(part.allocation().node()).orElseThrow();
                var there = new TreeSet<String>();
                for (Gpu gpu : node.seen().inventory().gpus()) {
                    if (!node.dividing(gpu)) {
                        there.add(gpu.uuid());
                    }
                }
                assertThat(
                                part.phase() == Part.Phase.ENDED
                                        || there.containsAll(part.allocation().gpus()))
                        .as("what %s holds on %s is there", run, node)
                        .isTrue();
            }
        }
    }

    private void checkLimits(CellState state) {
        var held = new TreeMap<String, List<JobDescription>>();
        for (JobId job : cell.limited() ? state.holding() : new TreeSet<JobId>()) {
            JobDescription it = state.knownJob(job).description();
            held.computeIfAbsent(it.user() + " " + it.qos(), _ -> new ArrayList<>()).add(it);
        }
        held.forEach((who, jobs) -> {
            assertThat(jobs).as(who).hasSizeLessThanOrEqualTo(CellTraits.MOST_JOBS);
            assertThat(jobs.stream().mapToLong(it -> it.request().totalGpus()).sum())
                    .as(who)
                    .isLessThanOrEqualTo(CellTraits.MOST_GPUS);
        });
    }

    /// No code of two leases of one job runs at the same time.
    private void checkLeases() {
        var leases = new TreeMap<JobId, Integer>();
        for (SimulatedAgent agent : agents) {
            for (RunId run : agent.scripts()) {
                Integer other = leases.putIfAbsent(run.job(), run.lease());
                assertThat(other == null || other == run.lease())
                        .as("leases %s and %s run at once", other, run)
                        .isTrue();
            }
        }
    }

    static void checkBooks(JobEvent.Ended event) {
        long freed = event.submittedAt();
        for (EndedRun run : event.runs()) {
            assertThat(run.placedAt())
                    .as("runs of job %s follow one another", event.job())
                    .isGreaterThanOrEqualTo(freed);
            freed = run.freedAt();
            long suspended = Objects.requireNonNullElse(run.suspendedMillis(), 0L);
            long millis = run.freedAt() - run.placedAt() - suspended;
            assertThat(run.charge().cpuMillis())
                    .isEqualTo(sum(run, it -> it.cpus().size()) * millis);
            assertThat(run.charge().memoryMibMillis())
                    .isEqualTo(sum(run, Allocation::memoryMib) * millis);
            assertThat(run.charge().nodeMillis()).isEqualTo(run.allocations().size() * millis);
            assertThat(run.charge().gpuMillis())
                    .isEqualTo(
                            run.allocations().stream()
                                    .mapToLong(it ->
                                            it.share() == null
                                                    ? it.gpus().size() * millis
                                                    : millis * it.share().parts() / it.share().of())
                                    .sum());
        }
        assertThat(event.runs()).extracting(EndedRun::lease).isSorted().doesNotHaveDuplicates();
    }

    private static long sum(EndedRun run, ToLongFunction<Allocation> amount) {
        return run.allocations().stream().mapToLong(amount).sum();
    }
}
