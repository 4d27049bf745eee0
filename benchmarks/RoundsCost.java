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
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Recordings;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// What it costs placement to be replayable: time and bytes of the records of `rounds`, beside those
/// of deciding and of the facts. Jobs on 200 nodes of 8 GPUs; each moment is a round of its own, the
/// dearest way. Nothing is sent to a broker.
///
/// java -cp "contracts/target/classes:scheduling-core/target/classes:simulator/target/lib/*" benchmarks/RoundsCost.java
public class RoundsCost {

    private static final int NODES = 200;
    private static final int JOBS = 3_000;
    private static final int WARM_UP = 1_500;

    private final CellState state = new CellState();
    private final Placement placement = new Placement(state, Settings.DEFAULT);
    private final EventCodec<JobStatus> jobStates = new EventCodec<>(Topics.JOB_STATES);
    private final EventCodec<NodeStatus> nodeStates = new EventCodec<>(Topics.NODE_STATES);
    private final EventCodec<JobEvent> jobs = new EventCodec<>(Topics.JOBS);
    private final EventCodec<Order> orders = new EventCodec<>(Topics.PLACEMENTS);
    private final EventCodec<RoundEvent> rounds = new EventCodec<>(Topics.ROUNDS);
    private final TreeMap<Long, List<Long>> ends = new TreeMap<>();
    private final Random random = new Random(5);
    private long now = 1_790_000_000_000L;
    private long round;
    private long decideNanos;
    private long factNanos;
    private long roundNanos;
    private long factBytes;
    private long roundBytes;
    private long facts;
    private long counted;

    public static void main(String[] arguments) {
        new RoundsCost().run();
    }

    private void run() {
        round(List.of(configured()));
        for (int i = 0; i < NODES; i++) {
            round(List.of(registered(new NodeName("n%04d".formatted(i)))));
        }
        long submitted = 0;
        while (submitted < JOBS) {
            now += 1 + random.nextInt(2 * 7_500);
            while (!ends.isEmpty() && ends.firstKey() <= now) {
                var inputs = new ArrayList<Input>();
                ends.pollFirstEntry().getValue().forEach(job -> inputs.addAll(ended(job)));
                round(inputs);
            }
            round(List.of(submitted(++submitted)));
            if (submitted == WARM_UP) {
                decideNanos = factNanos = roundNanos = factBytes = roundBytes = facts = counted = 0;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%d rounds, %d facts, %d jobs wait, %d run%n",
                counted,
                facts,
                state.pending().size(),
                state.holding().size());
        print("decide and apply", decideNanos, 0);
        print("facts as records", factNanos, factBytes);
        print("rounds as records, digest", roundNanos, roundBytes);
    }

    private void print(String what, long nanos, long bytes) {
        System.out.printf(
                Locale.ROOT,
                "%-26s %7.1f µs a round  %7.0f bytes a round  %6.0f bytes a fact%n",
                what,
                nanos / 1000.0 / counted,
                (double) bytes / counted,
                (double) bytes / facts);
    }

    private void round(List<Input> inputs) {
        round++;
        long begun = System.nanoTime();
        var all = new ArrayList<Fact>();
        inputs.forEach(input -> replay(Engine.decide(state, input, now), all));
        replay(Engine.due(state, now), all);
        Pass pass = placement.stale() ? Pass.PLAN : Pass.START;
        replay(Engine.place(state, placement, now, pass), all);
        long decided = System.nanoTime();
        var digest = new DecisionDigest();
        long digesting = 0;
        for (Fact fact : all) {
            byte[] value = value(fact);
            if (value != null) {
                factBytes += value.length;
                long before = System.nanoTime();
                digest.add("topic", "key", value);
                digesting += System.nanoTime() - before;
            }
        }
        long written = System.nanoTime();
        int number = 0;
        for (Input input : inputs) {
            for (Recorded recorded : Recordings.of(input)) {
                roundBytes += rounds.value(new RoundEvent.Took(0, round, number++, recorded)).length;
            }
        }
        roundBytes +=
                rounds.value(
                                new RoundEvent.Decided(
                                        0,
                                        round,
                                        now,
                                        number,
                                        pass.name(),
                                        "CONSERVATIVE",
                                        500,
                                        "0.1.0",
                                        digest.toString()))
                        .length;
        long end = System.nanoTime();
        decideNanos += decided - begun;
        factNanos += written - decided - digesting;
        roundNanos += end - written + digesting;
        facts += all.size();
        counted++;
    }

    private byte[] value(Fact fact) {
        return switch (fact) {
            case Fact.JobChanged(var job) -> {
                if (job.run() != null && job.run().placedAt() == now) {
                    started(job);
                }
                yield jobStates.value(job);
            }
            case Fact.NodeChanged(var node) -> nodeStates.value(node);
            case Fact.Announced(var event) -> jobs.value(event);
            case Fact.Ordered(var order) -> orders.value(order);
            default -> null;
        };
    }

    private void started(JobStatus job) {
        long end = now + 60_000L * (1 + random.nextInt(100));
        ends.computeIfAbsent(end, _ -> new ArrayList<>()).add(job.job().value());
    }

    private List<Input> ended(long id) {
        JobStatus job = state.job(new JobId(id)).orElse(null);
        if (job == null || job.run() == null) {
            return List.of();
        }
        var inputs = new ArrayList<Input>();
        var run = new RunId(job.job(), job.run().lease());
        job.run().allocations().forEach(it -> {
            inputs.add(
                    new Input.Reported(new RunReport.Started(run, it.node(), 1, 1, List.of())));
            inputs.add(
                    new Input.Reported(
                            new RunReport.Ended(
                                    run,
                                    it.node(),
                                    1,
                                    1,
                                    RunReport.Cause.EXITED,
                                    ExitStatus.SUCCESS,
                                    Consumption.NONE,
                                    null)));
        });
        return inputs;
    }

    private void replay(List<Fact> decided, List<Fact> all) {
        for (Fact fact : decided) {
            state.replay(fact);
            placement.note(fact);
        }
        all.addAll(decided);
    }

    private Input submitted(long id) {
        var request =
                new ResourceRequest(
                        1,
                        1,
                        1 + random.nextInt(8),
                        MemoryRequest.perCpu(4096),
                        new GpuRequest(1 << random.nextInt(4), null));
        var description =
                new JobDescription(
                        "alice",
                        "team",
                        "batch",
                        "normal",
                        "job",
                        request,
                        LaunchMode.BATCH,
                        3600L * (1 + random.nextInt(8)),
                        0,
                        true);
        return new Input.Asked(
                new Submitted(
                        new JobId(id),
                        description,
                        "alice",
                        new SpecReference(0, id, "0".repeat(64)),
                        null),
                id);
    }

    private static Input registered(NodeName name) {
        List<Gpu> gpus =
                IntStream.range(0, 8)
                        .mapToObj(i -> new Gpu(i, name + "-" + i, "a100", "A100", i, 81_920, 0))
                        .toList();
        var inventory =
                new Inventory(
                        2, 64, 1, 128, 1 << 20, gpus, List.of(), true, null, "linux", "x86_64");
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
                        new ConfigEntry.Prices(1000, 0, 0, Map.of())));
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
}
