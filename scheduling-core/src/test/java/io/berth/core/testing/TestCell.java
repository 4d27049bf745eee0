package io.berth.core.testing;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.Steps;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A cell in a test: inputs go in one by one, facts are kept. Partition `batch` has all nodes and a
/// limit of an hour; `urgent` is of a higher tier; `pair` has only n1 and n2 and takes one node a
/// job. QOS `high` may preempt `normal`.
public final class TestCell {

    public final CellState state = new CellState();
    public final List<Fact> facts = new ArrayList<>();
    public long now = 1_000_000;

    private long offset;

    public TestCell() {
        take(new Input.Configured(configuration()));
    }

    public static Configuration configuration() {
        return configuration(Limits.NONE);
    }

    /// With these limits of each QOS.
    public static Configuration configuration(Limits limits) {
        return configuration(limits, PreemptRules.NONE);
    }

    /// With preemption, beside that.
    public static Configuration configuration(Limits limits, PreemptRules preemption) {
        return configuration(limits, preemption, List.of());
    }

    /// With other records, beside that.
    ///
    /// @param others make each when they are told which part of the revision it is
    public static Configuration configuration(
            Limits limits,
            PreemptRules preemption,
            List<Function<ConfigEntry.Part, ConfigEntry>> others) {
        return configuration(
                1, new ConfigEntry.Weights(1000, 10000, 0, 0, 0), limits, preemption, others);
    }

    /// A later revision, with other weights of priority, and an account.
    public static Configuration configuration(long revision, ConfigEntry.Weights weights) {
        return configuration(
                revision,
                weights,
                Limits.NONE,
                PreemptRules.NONE,
                List.of(it -> new ConfigEntry.Account(it, "default", null, 1)));
    }

    private static Configuration configuration(
            long revision,
            ConfigEntry.Weights weights,
            Limits limits,
            PreemptRules preemption,
            List<Function<ConfigEntry.Part, ConfigEntry>> others) {
        var all = new ArrayList<Function<ConfigEntry.Part, ConfigEntry>>();
        all.add(it ->
                new ConfigEntry.Cluster(
                        it,
                        "test",
                        "default",
                        "normal",
                        0,
                        604_800,
                        false,
                        weights,
                        new ConfigEntry.Prices(1000, 256, 4000, Map.of("a100", 16_000L)),
                        null,
                        preemption.equals(PreemptRules.NONE) ? null : preemption));
        all.add(it -> partition(it, "batch", List.of("ALL"), 0, 1));
        all.add(it -> partition(it, "urgent", List.of("ALL"), 0, 10));
        all.add(it -> partition(it, "pair", List.of("n1", "n2"), 1, 1));
        all.add(it -> qos(it, "normal", List.of(), limits));
        all.add(it -> qos(it, "high", List.of("normal"), limits));
        all.addAll(others);
        return Configuration.of(
                revision,
                IntStream.range(0, all.size())
                        .mapToObj(i ->
                                all.get(i).apply(new ConfigEntry.Part(revision, i + 1, all.size())))
                        .toList());
    }

    /// The cluster has that too from now on.
    public void configure(Consumer<ConfigEntry.Draft> change) {
        configure(configuration(), change);
    }

    /// The configuration is that one from now on, and the cluster has that too.
    public void configure(Configuration it, Consumer<ConfigEntry.Draft> change) {
        take(
                new Input.Configured(
                        new Configuration(
                                it.revision() + 1,
                                it.cluster().with(change),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    /// The tree of the network is these switches from now on.
    public List<Fact> switches(ConfigEntry.Switch... all) {
        SequencedMap<String, ConfigEntry.Switch> switches = new LinkedHashMap<>();
        for (ConfigEntry.Switch each : all) {
            switches.put(each.name(), each);
        }
        Configuration it = state.configuration().orElseThrow();
        return take(
                new Input.Configured(
                        new Configuration(
                                it.revision() + 1,
                                it.cluster(),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                switches,
                                it.licenses())));
    }

    private static ConfigEntry partition(
            ConfigEntry.Part part, String name, List<String> nodes, int maxNodes, int tier) {
        return new ConfigEntry.Partition(
                part, name, part.number() == 2, nodes, 3600, 600, maxNodes, 1, tier, 1024);
    }

    private static ConfigEntry qos(
            ConfigEntry.Part part, String name, List<String> preempts, Limits limits) {
        return new ConfigEntry.Qos(
                part, name, 0, new QosRules("", List.of(), 1000, 0, preempts, null, limits));
    }

    /// Decides one input and replays its facts.
    public List<Fact> take(Input input) {
        return replay(Engine.decide(state, input, now));
    }

    /// Lets time act and places.
    public List<Fact> round() {
        var all = new ArrayList<>(replay(Engine.due(state, now)));
        all.addAll(
                replay(
                        Engine.place(
                                state, new Placement(state, Settings.DEFAULT), now, Pass.PLAN)));
        return all;
    }

    private List<Fact> replay(List<Fact> decided) {
        decided.forEach(state::replay);
        facts.addAll(decided);
        return decided;
    }

    public JobStatus job(long id) {
        return state.knownJob(new JobId(id));
    }

    /// A node with so many CPUs, 64 GiB and so many GPUs of a type registers.
    public List<Fact> node(String name, int cpus, int gpus, String type) {
        return take(
                new Input.Registered(
                        seen(
                                name,
                                cpus,
                                gpus,
                                type,
                                "nonce-" + name + facts.size(),
                                "boot",
                                List.of())));
    }

    /// @param type of the GPUs, or several in turn: `a100+v100`
    public static NodeSeen seen(
            String name,
            int cpus,
            int gpus,
            String type,
            String nonce,
            String boot,
            List<HeldRun> runs) {
        String[] types = type.split("[+]");
        List<Gpu> inventory =
                IntStream.range(0, gpus)
                        .mapToObj(i -> {
                            String its = types[i % types.length];
                            return new Gpu(i, "GPU-" + name + "-" + i, its, its, i, 40_960, 0);
                        })
                        .toList();
        return new NodeSeen(
                new NodeName(name),
                nonce,
                "machine-" + name,
                boot,
                "test",
                new Inventory(
                        1,
                        cpus,
                        1,
                        cpus,
                        65_536,
                        inventory,
                        List.of(Isolation.MEMORY),
                        true,
                        null,
                        "linux",
                        "x86_64"),
                runs,
                0);
    }

    public List<Fact> submit(long id, ResourceRequest request) {
        return submit(id, "batch", request, LaunchMode.BATCH, true);
    }

    /// A job of that user in partition `batch`.
    public List<Fact> submit(long id, String user, ResourceRequest request) {
        return submit(
                id,
                new JobDescription(
                        user,
                        "team",
                        "batch",
                        "normal",
                        "job",
                        request,
                        LaunchMode.BATCH,
                        600,
                        0,
                        true));
    }

    public List<Fact> submit(
            long id,
            String partition,
            ResourceRequest request,
            LaunchMode launch,
            boolean requeue) {
        return submit(
                id,
                new JobDescription(
                        "alice", "team", partition, "normal", "job", request, launch, 600, 0,
                        requeue));
    }

    /// A job of alice's in partition `batch`.
    ///
    /// @param limitSeconds 0 is no limit
    public static JobDescription job(ResourceRequest request, long limitSeconds) {
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                "job",
                request,
                LaunchMode.BATCH,
                limitSeconds,
                0,
                true);
    }

    public List<Fact> submit(long id, JobDescription description) {
        return submit(id, description, null);
    }

    public List<Fact> submit(long id, JobDescription description, @Nullable JobArray array) {
        return ask(
                new Submission.Submitted(
                        new JobId(id),
                        description,
                        description.user(),
                        new SpecReference(0, offset, "00"),
                        null,
                        array));
    }

    /// A heterogeneous job: its components have ids from that one on.
    public List<Fact> submitTogether(long first, JobDescription... components) {
        return ask(
                new Submission.Submitted(
                        new JobId(first),
                        components[0],
                        components[0].user(),
                        new SpecReference(0, offset, "00"),
                        null,
                        null,
                        List.of(components).subList(1, components.length)));
    }

    public List<Fact> ask(Submission submission) {
        return take(new Input.Asked(submission, offset++));
    }

    public List<Fact> rank(long id, long points) {
        return take(
                new Input.RankingRead(
                        new Ranked(
                                new JobId(id),
                                new Rank(++offset, 0, 0, points * 1_000_000, 0, 0, 0))));
    }

    public List<Fact> ready(long id, int lease, String node) {
        return take(
                new Input.Reported(new RunReport.Ready(run(id, lease), new NodeName(node), 1, 1)));
    }

    public List<Fact> started(long id, int lease, String node) {
        return take(
                new Input.Reported(
                        new RunReport.Started(
                                run(id, lease), new NodeName(node), 1, 1, List.of())));
    }

    public List<Fact> ended(long id, int lease, String node, RunReport.Cause cause, int code) {
        return take(
                new Input.Reported(
                        new RunReport.Ended(
                                run(id, lease),
                                new NodeName(node),
                                1,
                                1,
                                cause,
                                new ExitStatus(code, 0),
                                Consumption.NONE,
                                null)));
    }

    /// The script has exited with 0, and had steps.
    public List<Fact> ended(long id, int lease, String node, Steps steps) {
        return take(new Input.Reported(ended(id, lease, node, RunReport.Cause.EXITED).with(steps)));
    }

    /// The part could not be launched, or ended, as the node's prolog or epilog failed.
    public List<Fact> draining(long id, int lease, String node, RunReport.Cause cause, String why) {
        return take(new Input.Reported(ended(id, lease, node, cause).draining(why)));
    }

    private static RunReport.Ended ended(long id, int lease, String node, RunReport.Cause cause) {
        return new RunReport.Ended(
                run(id, lease),
                new NodeName(node),
                1,
                1,
                cause,
                ExitStatus.SUCCESS,
                Consumption.NONE,
                null);
    }

    public List<Fact> cancel(long id) {
        return ask(new Submission.CancelRequested(new JobId(id), "alice"));
    }

    public static RunId run(long id, int lease) {
        return new RunId(new JobId(id), lease);
    }

    /// A request for whole GPUs, with one CPU and 1 GiB for each task.
    public static ResourceRequest gpus(int nodes, int perNode, @Nullable String type) {
        return new ResourceRequest(
                nodes, nodes, 1, MemoryRequest.perCpu(1024), new GpuRequest(perNode, type));
    }

    public static ResourceRequest cpus(int tasks) {
        return new ResourceRequest(1, tasks, 1, MemoryRequest.perCpu(1024), GpuRequest.NONE);
    }

    public static List<Order> orders(List<Fact> facts) {
        return facts.stream()
                .flatMap(
                        fact -> fact instanceof Fact.Ordered(Order order) ? Stream.of(order) : null)
                .toList();
    }

    public static List<JobEvent> events(List<Fact> facts) {
        return facts.stream()
                .flatMap(fact ->
                        fact instanceof Fact.Announced(JobEvent event) ? Stream.of(event) : null)
                .toList();
    }

    /// Where a job runs: `node:cpus:gpu indices`, one for each node.
    public List<String> where(long id) {
        JobStatus.Run run = job(id).run();
        if (run == null) {
            return List.of();
        }
        return run.allocations().stream()
                .map(it ->
                        it.node()
                                + ":"
                                + it.cpus()
                                + ":"
                                + String.join(
                                        ",",
                                        it.gpus().stream()
                                                .map(gpu -> gpu.substring(gpu.lastIndexOf('-') + 1))
                                                .toList()))
                .toList();
    }
}
