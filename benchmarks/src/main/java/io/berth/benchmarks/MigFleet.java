package io.berth.benchmarks;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.mig.Divided;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/// Nodes of two H100 in MIG mode that may be divided anew, both in sevenths now, all of which runs
/// hold; and jobs that wait for larger instances. Seeded, so that each run measures the same.
final class MigFleet {

    private static final String ONE = "1g.10gb";

    /// The placement table of an H100 of 80 GB.
    private static final List<MigProfile> TABLE =
            List.of(
                    new MigProfile(ONE, 9_856, 1, IntStream.range(0, 7).boxed().toList(), 7),
                    new MigProfile("2g.20gb", 19_712, 2, List.of(0, 2, 4), 3),
                    new MigProfile("3g.40gb", 39_424, 4, List.of(0, 4), 2),
                    new MigProfile("4g.40gb", 39_424, 4, List.of(0), 1),
                    new MigProfile("7g.80gb", 78_848, 8, List.of(0), 1));

    private static final int GPUS = 2;
    private static final int JOBS_AT_ONCE = 5_000;

    private final CellState state = new CellState();
    private final Placement placement = new Placement(state, Settings.DEFAULT);
    private final Random random = new Random(42);
    private final long now = 1_790_000_000_000L;
    private long jobs;
    private long offset;

    /// @param waiting how many jobs wait
    MigFleet(int nodes, int waiting) {
        take(configured());
        for (int i = 0; i < nodes; i++) {
            take(registered(new NodeName("n%05d".formatted(i))));
        }
        for (int instances : new int[] {4, 2, 1}) {
            for (int i = 0; i < 2 * nodes; i++) {
                submit(ONE, instances);
                if (i % JOBS_AT_ONCE == 0) {
                    pass(Pass.START);
                }
            }
            pass(Pass.START);
        }
        if (!state.pending().isEmpty()) {
            throw new IllegalStateException("%d do not run".formatted(state.pending().size()));
        }
        for (int i = 0; i < waiting; i++) {
            submitLarge();
        }
        pass(Pass.PLAN);
    }

    private void take(Input input) {
        replay(Engine.decide(state, input, now));
    }

    private void replay(List<Fact> facts) {
        for (Fact fact : facts) {
            state.replay(fact);
            placement.note(fact);
        }
    }

    /// Decides who starts and what is divided.
    ///
    /// @return how many facts that made
    int pass(Pass pass) {
        List<Fact> facts = Engine.place(state, placement, now, pass);
        replay(facts);
        return facts.size();
    }

    /// A job that wants one larger instance.
    JobId submitLarge() {
        return submit(TABLE.get(1 + random.nextInt(TABLE.size() - 1)).name(), 1);
    }

    private JobId submit(String profile, int instances) {
        var job = new JobId(++jobs);
        var request =
                new ResourceRequest(
                        1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(instances, profile));
        var description =
                new JobDescription(
                        "alice",
                        "team",
                        "batch",
                        "normal",
                        "job",
                        request,
                        LaunchMode.BATCH,
                        60L * (1 + random.nextInt(1440)),
                        0,
                        true);
        var spec = new SpecReference(0, offset, "0".repeat(64));
        take(new Input.Asked(new Submitted(job, description, "alice", spec, null), offset++));
        return job;
    }

    void cancel(JobId job) {
        take(new Input.Asked(new CancelRequested(job, "alice"), offset++));
    }

    /// Whether GPUs run empty for a job.
    boolean drains(JobId job) {
        JobStatus.Planned planned = state.knownJob(job).planned();
        return planned != null && !planned.drains().isEmpty();
    }

    private static Input registered(NodeName name) {
        var inventory =
                new Inventory(
                        2, 16, 1, 32, 1 << 20, List.of(), List.of(), true, null, "linux", "x86_64");
        List<String> uuids = IntStream.range(0, GPUS).mapToObj(i -> name + "-" + i).toList();
        List<MigGpu> gpus =
                IntStream.range(0, GPUS)
                        .mapToObj(i -> new MigGpu(i, uuids.get(i), "h100", TABLE, List.of(), null))
                        .toList();
        List<MigPlacement> sevenths = IntStream.range(0, 7).mapToObj(TABLE.getFirst()::at).toList();
        inventory = inventory.withGpus(List.of(), gpus);
        for (String uuid : uuids) {
            inventory = Divided.inventory(inventory, uuid, sevenths, "a");
        }
        return new Input.Registered(
                new NodeSeen(
                        name,
                        "nonce" + name,
                        "machine" + name,
                        "boot",
                        "test",
                        inventory,
                        List.of(),
                        0));
    }

    private static Input configured() {
        var assembler = new ConfigurationAssembler();
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
                                new ConfigEntry.Prices(1000, 0, 0, Map.of()))
                        .with(to -> to.migGpus = List.of(rule())));
        return new Input.Configured(
                assembler
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
                        .orElseThrow());
    }

    private static MigGpus rule() {
        return new MigGpus(
                List.of("ALL"),
                null,
                null,
                MigGpus.DEFAULT_COST_SECONDS,
                MigGpus.DEFAULT_HOLD_SECONDS);
    }
}
