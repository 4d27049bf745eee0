package io.berth.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.packing.Policies;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
        var settings = new Settings(backfill, 100, Policies.TIGHTEST);
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            List<TraceNode> nodes = nodes(random);
            List<TraceJob> jobs = jobs(random, nodes.size());

            var rules =
                    new Rules(
                            settings,
                            "tightest",
                            Order.FIFO,
                            new Estimates(Estimates.Source.LIMIT, 1),
                            0,
                            new HalfLife(0),
                            GivingWay.NONE);

            List<Outcome> simulated = new Simulation(jobs, nodes, rules).run(_ -> {});

            assertThat(new VirtualCell(jobs, nodes, rules).run(_ -> {}))
                    .as("seed %d", seed)
                    .extracting(Outcome::start)
                    .isEqualTo(simulated.stream().map(Outcome::start).toList());
        }
    }
}
