package io.berth.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.engine.NodeScore;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The same jobs at the same times, once in the simulator and once through the whole of what
/// placement decides with, from the submission to the report of the end: they start at the same
/// times.
class LiveDecisionsTest {

    private static final int SEEDS = 30;
    private static final int JOBS = 40;
    private static final int GPUS = 8;
    private static final long MEMORY_MIB = 65_536;
    private static final long BEGINNING = 1_790_000_000_000L;

    /// A cell on virtual time, in which agents do at once what they are told.
    private static final class LiveCell {

        private final CellState state = new CellState();
        private final Placement placement;
        private final List<TraceJob> jobs;
        private final Map<Long, List<Integer>> ends = new TreeMap<>();
        private final long[] starts;
        private long now;

        LiveCell(List<TraceJob> jobs, List<TraceNode> nodes, Settings settings) {
            this.jobs = jobs;
            this.starts = new long[jobs.size()];
            this.placement = new Placement(state, settings);
            take(new Input.Configured(configuration()));
            nodes.forEach(node -> take(registered(node)));
        }

        /// The start of each job, milliseconds after the beginning.
        long[] run() {
            int arrived = 0;
            int ended = 0;
            while (ended < jobs.size()) {
                long arrival =
                        arrived == jobs.size()
                                ? Long.MAX_VALUE
                                : BEGINNING + jobs.get(arrived).submitMillis();
                now = Math.min(arrival, Math.max(now + 1, placement.next(now)));
                if (!ends.isEmpty()) {
                    now = Math.min(now, ends.keySet().iterator().next());
                }
                List<Integer> over = ends.remove(now);
                if (over != null) {
                    over.forEach(this::end);
                    ended += over.size();
                }
                while (arrived < jobs.size()
                        && BEGINNING + jobs.get(arrived).submitMillis() == now) {
                    submit(arrived++);
                }
                Pass pass = placement.stale() ? Pass.PLAN : Pass.START;
                place(pass);
                if (placement.stale() && pass == Pass.START) {
                    place(Pass.PLAN);
                }
            }
            return starts;
        }

        private void submit(int number) {
            TraceJob job = jobs.get(number);
            var request =
                    new ResourceRequest(
                            job.nodes(),
                            job.nodes(),
                            job.cpusMilli() / 1000 / job.nodes(),
                            MemoryRequest.perNode(job.memoryMib() / job.nodes()),
                            new GpuRequest(job.gpus() / job.nodes(), null));
            var id = new JobId(number + 1);
            var description =
                    new JobDescription(
                            "alice",
                            "team",
                            "batch",
                            "normal",
                            job.id(),
                            request,
                            LaunchMode.BATCH,
                            job.limitMillis() / 1000,
                            0,
                            true);
            take(
                    new Input.Asked(
                            new Submitted(
                                    id, description, "alice", new SpecReference(0, 0, ""), null),
                            number));
        }

        private void place(Pass pass) {
            for (Fact fact : replay(Engine.place(state, placement, now, pass))) {
                if (fact instanceof Fact.JobChanged(JobStatus job)
                        && job.run() != null
                        && job.run().placedAt() == now) {
                    start(job.job());
                }
            }
        }

        private void start(JobId id) {
            int number = (int) id.value() - 1;
            if (starts[number] == now - BEGINNING && now != BEGINNING) {
                return;
            }
            starts[number] = now - BEGINNING;
            for (NodeName node : nodes(id)) {
                take(new Input.Reported(new RunReport.Started(run(id), node, 1, 1, List.of())));
            }
            long end = now + jobs.get(number).durationMillis();
            ends.computeIfAbsent(end, _ -> new ArrayList<>()).add(number);
        }

        private void end(int number) {
            var id = new JobId(number + 1);
            for (NodeName node : nodes(id)) {
                take(
                        new Input.Reported(
                                new RunReport.Ended(
                                        run(id),
                                        node,
                                        1,
                                        1,
                                        RunReport.Cause.EXITED,
                                        ExitStatus.SUCCESS,
                                        Consumption.NONE,
                                        null)));
            }
        }

        private static RunId run(JobId job) {
            return new RunId(job, 1);
        }

        private List<NodeName> nodes(JobId id) {
            JobStatus.Run run = state.knownJob(id).run();
            return run == null
                    ? List.of()
                    : run.allocations().stream().map(it -> it.node()).toList();
        }

        private void take(Input input) {
            var unused = replay(Engine.decide(state, input, now));
        }

        private List<Fact> replay(List<Fact> facts) {
            for (Fact fact : facts) {
                state.replay(fact);
                placement.note(fact);
            }
            return facts;
        }
    }

    private static Configuration configuration() {
        var assembler = new ConfigurationAssembler();
        var unused =
                assembler.add(
                        new ConfigEntry.Cluster(
                                new ConfigEntry.Part(1, 1, 2),
                                "test",
                                "default",
                                "normal",
                                0,
                                604_800,
                                false,
                                new ConfigEntry.Weights(0, 0, 0, 0, 0),
                                new ConfigEntry.Prices(1000, 0, 0, Map.of())));
        return assembler
                .add(
                        new ConfigEntry.Partition(
                                new ConfigEntry.Part(1, 2, 2),
                                "batch",
                                true,
                                List.of("ALL"),
                                0,
                                600,
                                0,
                                1,
                                1,
                                1024))
                .orElseThrow();
    }

    private static Input registered(TraceNode node) {
        List<Gpu> gpus =
                IntStream.range(0, node.gpus())
                        .mapToObj(i ->
                                new Gpu(
                                        i,
                                        node.id() + "-" + i,
                                        node.gpuType(),
                                        node.gpuType(),
                                        i,
                                        40_960,
                                        0))
                        .toList();
        int cpus = node.cpusMilli() / 1000;
        var inventory =
                new Inventory(
                        1,
                        cpus,
                        1,
                        cpus,
                        node.memoryMib(),
                        gpus,
                        List.of(),
                        true,
                        null,
                        "linux",
                        "x86_64");
        return new Input.Registered(
                new NodeSeen(
                        new NodeName(node.id()),
                        node.id(),
                        node.id(),
                        "boot",
                        "test",
                        inventory,
                        List.of(),
                        0));
    }

    private static List<TraceNode> nodes(Random random) {
        return IntStream.range(0, 2 + random.nextInt(3))
                .mapToObj(i -> new TraceNode("n" + i, "a100", GPUS, 32_000, MEMORY_MIB, ""))
                .toList();
    }

    /// Jobs that fit on the nodes, and end before their limits.
    private static List<TraceJob> jobs(Random random, int nodes) {
        var jobs = new ArrayList<TraceJob>();
        long submit = 1000;
        for (int i = 0; i < JOBS; i++) {
            submit += 1000L * random.nextInt(120);
            int parts = random.nextInt(4) == 0 ? 1 + random.nextInt(nodes) : 1;
            int gpus = 1 << random.nextInt(4);
            long minutes = 1L + random.nextInt(30);
            jobs.add(
                    new TraceJob(
                            "j" + i,
                            "alice",
                            "",
                            submit,
                            1000L * (1 + random.nextInt((int) (60 * minutes))),
                            60_000 * minutes,
                            gpus * parts,
                            1000,
                            List.of(),
                            1000 * parts * (1 + random.nextInt(8)),
                            1024L * parts * (1 + random.nextInt(16)),
                            parts));
        }
        return jobs;
    }

    @ParameterizedTest
    @EnumSource(Backfill.class)
    void the_simulator_starts_jobs_when_placement_does(Backfill backfill) {
        var settings = new Settings(backfill, 100, NodeScore.BEST_FIT);
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            List<TraceNode> nodes = nodes(random);
            List<TraceJob> jobs = jobs(random, nodes.size());

            long[] simulated =
                    new Simulation(
                                    jobs,
                                    nodes,
                                    new Rules(
                                            settings,
                                            Order.FIFO,
                                            new Estimates(Estimates.Source.LIMIT, 1),
                                            0,
                                            new HalfLife(0)))
                            .run(_ -> {}).stream().mapToLong(Outcome::start).toArray();

            assertThat(new LiveCell(jobs, nodes, settings).run())
                    .as("seed %d", seed)
                    .isEqualTo(simulated);
        }
    }
}
