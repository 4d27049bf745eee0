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
import io.berth.contracts.Rank;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.submit.Picture;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// What a job that has ended takes in memory: in placement's state, and in a gateway's picture. Jobs (9,000, or as many as are asked for) of 1 to 8 CPUs and GPUs come, run and end on 200 nodes of 8 GPUs, one in a round; what is read
/// comes from its JSON, as in the services.
///
/// java -XX:+UseSerialGC -XX:+UseCompactObjectHeaders -cp "contracts/target/classes:slurm/target/classes:scheduling-core/target/classes:submit-service/target/classes:submit-service/target/quarkus-app/lib/main/*" benchmarks/EndedJobs.java [JOBS]
public class EndedJobs {

    private static final int NODES = 200;
    private static final int WARM_UP = 500;

    private final CellState state = new CellState();
    private final Placement placement = new Placement(state, Settings.DEFAULT);
    private final EventCodec<JobStatus> jobStates = new EventCodec<>(Topics.JOB_STATES);
    private final EventCodec<Submission> submissions = new EventCodec<>(Topics.SUBMISSIONS);
    private final EventCodec<Ranked> rankings = new EventCodec<>(Topics.RANKINGS);
    private final EventCodec<RunReport> runs = new EventCodec<>(Topics.RUNS);
    private final TreeMap<Long, List<Long>> ends = new TreeMap<>();
    private final Random random = new Random(5);
    private final int count;
    private long now = 1_790_000_000_000L;

    private EndedJobs(int count) {
        this.count = count;
    }

    public static void main(String[] arguments) throws Exception {
        new EndedJobs(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 9_000).run();
    }

    private void run() throws Exception {
        round(List.of(configured()));
        for (int i = 0; i < NODES; i++) {
            round(List.of(registered(new NodeName("n%04d".formatted(i)))));
        }
        var picture = new Picture(List.of());
        jobs(1, WARM_UP);
        show(picture, state.ended());
        var shown = List.copyOf(state.ended());
        long before = used();
        jobs(WARM_UP + 1, WARM_UP + count);
        print("placement's state", used() - before);
        before = used();
        show(picture, state.ended().tailSet(shown.getLast(), false));
        print("a gateway's picture", used() - before);
        System.out.println(picture.jobs(now).count() + " jobs, of them " + state.ended().size() + " have ended");
    }

    /// These come, and all end.
    private void jobs(long first, long last) throws Exception {
        for (long job = first; job <= last; job++) {
            now += 1 + random.nextInt(2 * 6_000);
            endThose(now);
            round(List.of(submitted(job)));
            round(List.of(ranked(job)));
        }
        endThose(Long.MAX_VALUE);
    }

    private void show(Picture picture, Collection<JobStatus> all) throws Exception {
        for (JobStatus status : all) {
            picture.jobStatus(read(jobStates, status), 0);
        }
    }

    private void endThose(long until) throws Exception {
        while (!ends.isEmpty() && ends.firstKey() <= until) {
            now = Math.max(now, ends.firstKey());
            for (long job : ends.pollFirstEntry().getValue()) {
                round(ended(job));
            }
        }
    }

    private void print(String where, long bytes) {
        System.out.printf(Locale.ROOT, "%-20s %5d bytes an ended job%n", where, bytes / count);
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static <E> E read(EventCodec<E> codec, E event) throws Exception {
        return codec.event(codec.type(event), codec.value(event));
    }

    private void round(List<Input> inputs) {
        inputs.forEach(input -> replay(Engine.decide(state, input, now)));
        replay(Engine.due(state, now));
        Pass pass = placement.stale() ? Pass.PLAN : Pass.START;
        replay(Engine.place(state, placement, now, pass));
    }

    private void replay(List<Fact> decided) {
        for (Fact fact : decided) {
            state.replay(fact);
            placement.note(fact);
            if (fact instanceof Fact.JobChanged(var job) && job.run() != null && job.run().placedAt() == now) {
                ends.computeIfAbsent(now + 60_000L * (1 + random.nextInt(60)), _ -> new ArrayList<>()).add(job.job().value());
            }
        }
    }

    private List<Input> ended(long id) throws Exception {
        JobStatus job = state.job(new JobId(id)).orElse(null);
        if (job == null || job.run() == null) {
            return List.of();
        }
        var inputs = new ArrayList<Input>();
        var run = new RunId(job.job(), job.run().lease());
        for (var it : job.run().allocations()) {
            inputs.add(new Input.Reported(read(runs, new RunReport.Started(run, it.node(), 1, 1, List.of()))));
            var used = new Consumption(random.nextInt(1_000_000), random.nextInt(10_000));
            inputs.add(new Input.Reported(read(runs, new RunReport.Ended(run, it.node(), 1, 1, RunReport.Cause.EXITED, ExitStatus.SUCCESS, used, null))));
        }
        return inputs;
    }

    private Input ranked(long id) throws Exception {
        return new Input.RankingRead(read(rankings, new Ranked(new JobId(id), new Rank((1L << 40) + id / 10, 1_000, 0, 0, 0, 1, 1_000))));
    }

    private Input submitted(long id) throws Exception {
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
        var spec = new SpecReference(0, id, HexFormat.of().toHexDigits(random.nextLong()).repeat(4));
        return new Input.Asked(read(submissions, new Submitted(new JobId(id), description, "alice", spec, null)), id);
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
