package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.Dependency;
import io.berth.contracts.EndedRun;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Hold;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeRange;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.SpecReference;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.packing.Policies;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Holding;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import io.berth.simulation.SimulatedAgent.Divides;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One cell with its agents on virtual time: the real engine over a log in memory, with rounds that
/// are lost before their commit, agents that die and come back, machines that reboot, and reports
/// that come twice. Every step checks the invariants.
final class SimulatedCell {

    private static final int NODES = 3;
    private static final int JOBS = 25;

    private static final List<String> USERS = List.of("alice", "bob");
    private static final int MOST_JOBS = 2;
    private static final long MOST_BACKOFF = 64 * 60_000;
    private static final long MOST_GPUS = 8;
    private static final Limits LIMITS =
            new Limits(
                    Map.of(Limit.MAX_JOBS, (long) MOST_JOBS),
                    Map.of(
                            Limit.MAX_TRES_PER_USER,
                            Map.of(Tres.GPU, MOST_GPUS),
                            Limit.GRP_TRES_RUN_MINS,
                            Map.of(Tres.CPU, 160L)));

    private final Random random;
    private final boolean urgent;
    private final boolean limited;

    /// Whether half of the GPUs of two nodes are given out in parts.
    private final boolean sharing;

    /// Whether each node has a GPU in MIG mode, which is divided as jobs need it.
    private final boolean dividing;

    /// Whether the jobs of partition `urgent` share their blocks with nobody; n1 and n2 are one.
    private final boolean inOwnBlocks;

    /// Whether all nodes but the first have GPUs of two types.
    private final boolean mixed;

    private boolean calm;
    private final Configuration configuration;
    private final List<Input> log = new ArrayList<>();
    private final List<SimulatedAgent> agents = new ArrayList<>();
    private final TreeMap<JobId, JobStatus> jobStates = new TreeMap<>();
    private final TreeMap<NodeName, NodeStatus> nodeStates = new TreeMap<>();
    private final TreeSet<JobId> submitted = new TreeSet<>();
    private final TreeMap<JobId, JobEvent.Ended> ended = new TreeMap<>();
    private final TreeMap<RunId, TreeSet<NodeName>> codeStarted = new TreeMap<>();
    private final PreemptionLaws laws;
    private final Follower follower = new Follower();
    private CellState state = new CellState();
    private Placement placement = new Placement(state, Settings.DEFAULT);
    private final Rerun rerun;
    private Pass pass = Pass.START;
    private int committed;
    private int divisions;
    private int rounds;
    private long now = 1_000_000;

    SimulatedCell(long seed) {
        this(seed, false);
    }

    /// @param urgent whether jobs take the place of others in any case, and for deadlines too
    SimulatedCell(long seed, boolean urgent) {
        this.urgent = urgent;
        random = new Random(seed);
        // A fifth of all cells: it takes as long again as the cell itself.
        rerun = new Rerun(seed % 5 == 0 ? new Random(seed).nextInt(12) : Integer.MAX_VALUE);
        limited = seed % 2 == 1;
        sharing = seed % 4 == 2;
        var plain = TestCell.configuration(limited ? LIMITS : Limits.NONE, preemption());
        dividing = seed % 4 == 3;
        mixed = !dividing && seed % 3 == 0;
        inOwnBlocks = seed % 5 < 2;
        var ofBlocks = inOwnBlocks ? inOwnBlocks(plain) : plain;
        configuration =
                packing(
                        sharing ? sharing(ofBlocks) : dividing ? dividing(ofBlocks) : ofBlocks,
                        seed);
        laws = new PreemptionLaws(configuration, limited);
        log.add(new Input.Configured(configuration));
        for (int i = 1; i <= NODES; i++) {
            agents.add(
                    new SimulatedAgent(
                            "n" + i,
                            mixed && i > 1 ? "a100+v100" : "a100",
                            this::report,
                            () -> random.nextInt(8) == 0,
                            () -> random.nextInt(8) == 0,
                            dividing ? this::divides : null));
        }
    }

    private Divides divides() {
        return calm ? Divides.AT_ONCE : Divides.values()[random.nextInt(Divides.values().length)];
    }

    private static Configuration inOwnBlocks(Configuration it) {
        Partition urgent = Objects.requireNonNull(it.partitions().get("urgent"));
        var rules =
                new PartitionRules(
                        State.UP,
                        1,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        0,
                        false,
                        null,
                        null,
                        Use.ANY.with(to -> to.exclusiveTopology = true));
        var partitions = new LinkedHashMap<>(it.partitions());
        partitions.put(
                "urgent",
                new Partition(
                        urgent.part(),
                        urgent.name(),
                        urgent.isDefault(),
                        urgent.nodes(),
                        urgent.maxTimeSeconds(),
                        urgent.defaultTimeSeconds(),
                        urgent.maxNodes(),
                        urgent.jobFactor(),
                        urgent.tier(),
                        urgent.defMemoryMibPerCpu(),
                        rules));
        var block = new Block("first", List.of(new NodeName("n1"), new NodeName("n2")));
        var blocks = new Blocks(List.of(block), List.of());
        return new Configuration(
                it.revision(),
                it.cluster().with(to -> to.blocks = blocks),
                partitions,
                it.accounts(),
                it.associations(),
                it.qos(),
                it.reservations(),
                it.switches(),
                it.licenses());
    }

    private static Configuration dividing(Configuration it) {
        return with(
                it,
                it.cluster()
                        .with(to ->
                                to.migGpus =
                                        List.of(new MigGpus(List.of("ALL"), null, null, 1, 2))));
    }

    /// Half of all cells name a policy.
    private static Configuration packing(Configuration it, long seed) {
        List<String> names = Policies.live();
        String name = seed % 8 < 4 ? null : names.get((int) (seed / 8 % names.size()));
        return with(it, it.cluster().with(to -> to.packing = name));
    }

    private static Configuration sharing(Configuration it) {
        var shared =
                new SharedGpus(
                        List.of("n1", "n2"),
                        IndexSet.parse("0-1"),
                        GpuSharing.MPS,
                        GpuSharing.THOUSANDTHS);
        return with(it, it.cluster().with(to -> to.sharedGpus = List.of(shared)));
    }

    private static Configuration with(Configuration it, ConfigEntry.Cluster cluster) {
        return new Configuration(
                it.revision(),
                cluster,
                it.partitions(),
                it.accounts(),
                it.associations(),
                it.qos(),
                it.reservations(),
                it.switches(),
                it.licenses());
    }

    private PreemptRules preemption() {
        PreemptMode mode =
                PreemptMode.values()[
                        urgent
                                ? 1 + random.nextInt(PreemptMode.values().length - 1)
                                : random.nextInt(PreemptMode.values().length)];
        return mode == PreemptMode.OFF
                ? PreemptRules.NONE
                : new PreemptRules(
                        random.nextBoolean()
                                ? PreemptRules.Type.PARTITION_PRIO
                                : PreemptRules.Type.QOS,
                        mode,
                        mode == PreemptMode.SUSPEND && random.nextBoolean(),
                        random.nextBoolean() ? PreemptMode.REQUEUE : PreemptMode.OFF,
                        10L * random.nextInt(2),
                        random.nextBoolean(),
                        random.nextInt(4),
                        0,
                        10L * random.nextInt(2),
                        5,
                        urgent && random.nextBoolean() ? 60L : null);
    }

    /// So many rounds were decided, those that were lost too.
    int rounds() {
        return rounds;
    }

    /// So often a job gave way for another one.
    int preemptions() {
        return laws.preemptions();
    }

    /// Trouble for a while, then calm until every job is over. The invariants are asserted after
    /// each step.
    ///
    /// @return how many jobs took more than one run to end
    int run() {
        for (int step = 0; step < 400; step++) {
            troubledStep();
            check();
        }
        calm();
        for (int step = 0; step < 3_000 && ended.size() < submitted.size(); step++) {
            if (step == 1_000 && dividing) {
                now += MOST_BACKOFF; // What failed before is told only when its node is back.
            }
            calmStep();
            check();
        }
        assertThat(ended.keySet()).as("every accepted job ends").isEqualTo(submitted);
        ended.values().forEach(SimulatedCell::checkBooks);
        assertThat(state.holding()).isEmpty();
        return (int) ended.values().stream().filter(it -> it.runs().size() > 1).count();
    }

    private void troubledStep() {
        SimulatedAgent agent = agents.get(random.nextInt(NODES));
        switch (random.nextInt(20)) {
            case 0, 1 -> submit();
            case 2 -> cancel();
            case 3 -> agent.kill();
            case 4, 5 -> register(agent);
            case 6 -> exitOne(agent, random.nextInt(4) == 0 ? 1 : 0);
            case 7 -> {
                if (random.nextInt(6) == 0) {
                    agent.reboot(random.nextBoolean());
                }
            }
            case 8 -> loseARound();
            case 9 -> now += random.nextInt(20_000);
            case 10, 11, 12 -> round();
            case 13 -> {
                if (random.nextInt(3) == 0) {
                    agent.shutDown();
                }
            }
            case 14 -> {
                if (random.nextInt(4) == 0) {
                    cutOff(agent);
                }
            }
            case 17 -> control();
            case 18 -> askNode(agent.node);
            default -> started(agent, agent.obey());
        }
    }

    /// The agent is not heard any more, the node ends its runs, and then, if it is not back before,
    /// placement counts on that.
    private void cutOff(SimulatedAgent agent) {
        agent.fence(random.nextInt(8));
        if (random.nextInt(4) != 0) {
            append(new Input.PresenceChanged(agent.node, NodeStatus.Presence.FENCED));
        }
    }

    private void control() {
        if (submitted.isEmpty()) {
            return;
        }
        var job = new JobId(1 + random.nextInt(submitted.size()));
        ask(
                switch (random.nextInt(8)) {
                    case 0 -> new Submission.Held(job, "alice", Hold.USER);
                    case 1 -> new Submission.Released(job, "root", Hold.ADMIN);
                    case 2 -> new Submission.RequeueRequested(job, "alice", random.nextBoolean());
                    case 3 -> new Submission.SignalRequested(job, "alice", 10, SignalTarget.ALL);
                    case 4, 5 -> new Submission.ResumeRequested(job, "root");
                    default -> new Submission.SuspendRequested(job, "root");
                });
    }

    private void askNode(NodeName node) {
        append(
                new Input.NodeAsked(
                        switch (random.nextInt(4)) {
                            case 0 -> new NodeRequest.DrainRequested(node, "root", "fan");
                            case 1 -> new NodeRequest.DownRequested(node, "root", "fan");
                            default -> new NodeRequest.ResumeRequested(node, "root");
                        }));
    }

    private void ask(Submission submission) {
        append(new Input.Asked(submission, log.size()));
    }

    /// Nobody holds jobs or nodes any more.
    private void calm() {
        calm = true;
        if (dividing) {
            now += MOST_BACKOFF;
        }
        for (JobId job : submitted) {
            ask(new Submission.Released(job, "root", Hold.ADMIN));
            ask(new Submission.ResumeRequested(job, "root"));
        }
        for (SimulatedAgent agent : agents) {
            append(new Input.NodeAsked(new NodeRequest.ResumeRequested(agent.node, "root")));
        }
    }

    private void calmStep() {
        now += 50;
        SimulatedAgent agent = agents.get(random.nextInt(NODES));
        switch (random.nextInt(8)) {
            case 0 -> {
                if (!agent.alive()) {
                    register(agent);
                }
            }
            case 1, 2 -> {
                // Now and then also in calm, when most runs run.
                if (random.nextInt(50) == 0) {
                    cutOff(agent);
                } else {
                    exitOne(agent, 0);
                }
            }
            case 3, 4 -> round();
            default -> started(agent, agent.obey());
        }
    }

    private void submit() {
        if (submitted.size() == JOBS) {
            return;
        }
        var job = new JobId(submitted.size() + 1);
        JobDescription description = description(job);
        submitted.add(job);
        var components = new ArrayList<JobDescription>();
        // Every sixth job is a heterogeneous one.
        boolean alone = inOwnBlocks && description.partition().equals("urgent");
        int others = job.value() % 6 != 4 || alone ? 0 : limited ? 1 : 1 + random.nextInt(2);
        for (int i = 0; i < others && submitted.size() < JOBS; i++) {
            submitted.add(new JobId(submitted.size() + 1));
            components.add(component(description));
        }
        append(
                new Input.Asked(
                        new Submission.Submitted(
                                job,
                                description,
                                "alice",
                                new SpecReference(0, 0, "00"),
                                null,
                                null,
                                components),
                        log.size()));
    }

    private JobDescription description(JobId job) {
        int nodes = random.nextInt(4) == 0 ? 2 : 1;
        int tasks = nodes * (1 + random.nextInt(2));
        int cpusPerTask = 1 + random.nextInt(2);
        GpuRequest gpus =
                sharing && nodes == 1 && random.nextBoolean()
                        ? GpuRequest.of(
                                new ShareRequest(
                                        GpuSharing.MPS, 50 * (1 + random.nextInt(20)), null),
                                null)
                        : dividing && nodes == 1 && random.nextBoolean()
                                ? instances()
                                : wholeGpus(job, nodes);
        // Every fifth job takes a node more where one is free.
        boolean wide = job.value() % 5 == 0 && gpus.share() == null;
        var request =
                new ResourceRequest(
                        nodes,
                        tasks,
                        cpusPerTask,
                        MemoryRequest.perCpu(1024),
                        gpus,
                        null,
                        null,
                        null,
                        wide ? new NodeRange(nodes, nodes + 1, true) : null);
        var description =
                new JobDescription(
                        USERS.get(random.nextInt(2)),
                        "team",
                        random.nextInt(4) == 0 ? "urgent" : "batch",
                        random.nextInt(4) == 0 ? "high" : "normal",
                        "job",
                        request,
                        random.nextBoolean() ? LaunchMode.BATCH : LaunchMode.PER_NODE,
                        600,
                        0,
                        random.nextInt(4) != 0,
                        terms(job));
        return inPartitions(job, description);
    }

    /// Some may start in several; none that is a component of a set.
    private static JobDescription inPartitions(JobId job, JobDescription description) {
        return switch (job.value() % 6 == 4 ? 0 : (int) (job.value() % 7)) {
            case 3 -> description.inAnyOf(List.of("pair", "batch"));
            case 5 -> description.inAnyOf(List.of("batch", "urgent", "pair"));
            default -> description;
        };
    }

    /// A small one, so that all can run at once, and users' limits let them.
    private JobDescription component(JobDescription first) {
        boolean many = first.request().totalGpus() > 4;
        return new JobDescription(
                USERS.get(random.nextInt(2)),
                "team",
                first.partition(),
                random.nextInt(4) == 0 ? "high" : "normal",
                "job",
                TestCell.gpus(1, many ? 0 : random.nextInt(2), null),
                LaunchMode.BATCH,
                600,
                0,
                random.nextInt(8) != 0,
                random.nextBoolean() ? first.terms() : null);
    }

    /// Where nodes have GPUs of two types, two of three jobs take no more of one than those have,
    /// and the third takes some of each.
    private GpuRequest wholeGpus(JobId job, int nodes) {
        int most = mixed && nodes > 1 ? 2 : 4;
        int count = random.nextInt(sharing ? Math.min(most, 2) + 1 : most + 1);
        return mixed && job.value() % 3 == 1
                ? GpuRequest.ofTypes(Map.of("a100", sharing ? 1 : 1 + count % 2, "v100", 1), null)
                : new GpuRequest(count, null);
    }

    private GpuRequest instances() {
        return switch (random.nextInt(3)) {
            case 0 -> new GpuRequest(1, "h100_7g.80gb");
            case 1 -> new GpuRequest(1 + random.nextInt(2), "3g.40gb");
            default -> new GpuRequest(1 + random.nextInt(4), "1g.10gb");
        };
    }

    private @Nullable JobTerms terms(JobId job) {
        if (urgent && random.nextInt(4) == 0) {
            long deadline = now + 600_000 + random.nextInt(150_000);
            return JobTerms.NONE.with(to -> to.deadlineAt = deadline);
        }
        if (random.nextInt(3) != 0 || job.value() == 1) {
            return null;
        }
        var other = new JobId(1 + random.nextInt((int) job.value() - 1));
        Dependency.Type[] types = Dependency.Type.values();
        Dependency.Type type = types[random.nextInt(types.length)];
        boolean alone = type == Dependency.Type.SINGLETON;
        var clause = new Dependency.Clause(type, alone ? null : other, null, 0);
        return JobTerms.NONE.with(to -> {
            to.hold = random.nextInt(4) == 0 ? Hold.USER : null;
            to.beginAt = random.nextBoolean() ? now + random.nextInt(30_000) : null;
            to.dependency = new Dependency(false, List.of(clause));
            to.killOnInvalidDependency = true;
        });
    }

    private void cancel() {
        if (!submitted.isEmpty()) {
            var job = new JobId(1 + random.nextInt(submitted.size()));
            append(new Input.Asked(new Submission.CancelRequested(job, "alice"), log.size()));
        }
    }

    private void register(SimulatedAgent agent) {
        if (agent.stillCutOff()) {
            return;
        }
        NodeSeen seen = agent.start();
        append(new Input.Registered(seen));
    }

    private void exitOne(SimulatedAgent agent, int code) {
        agent.awake().stream().findFirst().ifPresent(run -> agent.exit(run, code));
    }

    private void report(RunReport report) {
        append(new Input.Reported(report));
        if (random.nextInt(10) == 0) {
            append(new Input.Reported(report));
        }
    }

    private void append(Input input) {
        log.add(input);
    }

    private void started(SimulatedAgent agent, List<RunId> runs) {
        for (RunId run : runs) {
            SetLaws.checkStarted(jobStates::get, run);
            assertThat(codeStarted.computeIfAbsent(run, _ -> new TreeSet<>()).add(agent.node))
                    .as("run %s starts once on %s", run, agent.node)
                    .isTrue();
        }
        if (agent.mustRegister()) {
            register(agent);
        }
    }

    /// How often a GPU was divided.
    int divisions() {
        return divisions;
    }

    private List<Fact> decideRound(int until) {
        var facts = new ArrayList<Fact>();
        for (Input input : log.subList(committed, until)) {
            facts.addAll(replay(Engine.decide(state, input, now)));
        }
        facts.addAll(replay(Engine.due(state, now)));
        List<Fact> placed = replay(placed());
        checkNoWorkForThoseWhoLeft(placed);
        checkClearings();
        SetLaws.check(state);
        facts.addAll(placed);
        return facts;
    }

    /// What has been kept from round to round explains and decides the same as the state alone.
    private List<Fact> placed() {
        pass = random.nextInt(3) == 0 ? Pass.PLAN : Pass.START;
        var alone = new Placement(state, Settings.DEFAULT);
        if (rounds % 4 == 0) {
            for (JobId job : state.eligible()) {
                assertThat(placement.explain(job, now)).isEqualTo(alone.explain(job, now));
            }
        }
        List<Fact> byTheState = Engine.place(state, alone, now, pass);
        List<Fact> decided = Engine.place(state, placement, now, pass);
        assertThat(decided).isEqualTo(byTheState);
        rounds++;
        laws.decided(state, decided, pass, now);
        return decided;
    }

    private List<Fact> replay(List<Fact> facts) {
        for (Fact fact : facts) {
            state.replay(fact);
            placement.note(fact);
        }
        return facts;
    }

    private void round() {
        int until = committed + random.nextInt(log.size() - committed + 1);
        rerun.before(state);
        List<Fact> decided = decideRound(until);
        rerun.after(log.subList(committed, until), now, pass, decided);
        for (Fact fact : decided) {
            switch (fact) {
                case Fact.JobChanged(var status) -> jobStates.put(status.job(), status);
                case Fact.NodeChanged(var status) -> nodeStates.put(status.node(), status);
                case Fact.JobForgotten(var job) -> jobStates.remove(job);
                case Fact.Ordered(var order) -> {
                    divisions += order instanceof Order.Partition ? 1 : 0;
                    agents.stream()
                            .filter(agent -> agent.node.equals(order.node()))
                            .forEach(agent -> agent.deliver(order));
                }
                case Fact.Announced(JobEvent event) -> {
                    laws.said(event);
                    if (event instanceof JobEvent.Ended over) {
                        assertThat(ended.put(over.job(), over))
                                .as("job %s ends once", over.job())
                                .isNull();
                    }
                }
                case Fact.RankKept _, Fact.ConfigurationTaken _, Fact.FairSharesTaken _ -> {}
            }
        }
        follower.read(decided);
        follower.assertKnows(jobStates.values());
        committed = until;
    }

    /// The service dies after deciding and before its commit: its successor has only the log.
    private void loseARound() {
        decideRound(committed + random.nextInt(log.size() - committed + 1));
        state = rebuilt();
        placement = new Placement(state, Settings.DEFAULT);
    }

    private CellState rebuilt() {
        var rebuilt = new CellState();
        if (committed > 0) {
            rebuilt.replay(new Fact.ConfigurationTaken(configuration));
        }
        nodeStates.values().forEach(status -> rebuilt.replay(new Fact.NodeChanged(status)));
        jobStates.values().forEach(status -> rebuilt.replay(new Fact.JobChanged(status)));
        return rebuilt;
    }

    private void check() {
        if (random.nextInt(8) == 0) {
            checkRebuilt();
        }
        checkCapacity();
        if (dividing) {
            checkHeldIsThere();
        }
        checkLimits();
        checkLeases();
        checkBlocks();
    }

    /// Nobody is in the blocks of a job of partition `urgent` beside it.
    private void checkBlocks() {
        for (JobId job : inOwnBlocks ? state.holding() : new TreeSet<JobId>()) {
            if (state.knownJob(job).description().partition().equals("urgent")) {
                Set<NodeName> its = blocks(job);
                for (JobId other : state.holding()) {
                    assertThat(other.equals(job) || Collections.disjoint(blocks(other), its))
                            .as("%s is in blocks of %s", other, job)
                            .isTrue();
                }
            }
        }
    }

    /// The first nodes of the blocks in which a run holds something.
    private Set<NodeName> blocks(JobId job) {
        var blocks = new TreeSet<NodeName>();
        for (Part part : Objects.requireNonNull(state.knownJob(job).run()).parts()) {
            String name = part.allocation().node().value();
            if (part.phase() != Part.Phase.ENDED) {
                blocks.add(new NodeName(name.equals("n2") ? "n1" : name));
            }
        }
        return blocks;
    }

    private void checkRebuilt() {
        CellState other = rebuilt();
        assertThat(List.copyOf(other.jobs())).isEqualTo(List.copyOf(state.jobs()));
        assertThat(List.copyOf(other.nodes())).isEqualTo(List.copyOf(state.nodes()));
        assertThat(other.pending()).isEqualTo(state.pending());
        assertThat(other.eligible()).isEqualTo(state.eligible());
    }

    private void checkNoWorkForThoseWhoLeft(List<Fact> placed) {
        assertThat(placed)
                .noneMatch(fact ->
                        fact instanceof Fact.Ordered(Order.Launch launch)
                                && state.node(launch.node()).orElseThrow().presence()
                                        == NodeStatus.Presence.LEFT);
    }

    /// A job that nodes are cleared for waits for its victims alone: what they leave nobody gets
    /// but one that nodes were cleared for before, where a victim of its own could not stand still.
    private void checkClearings() {
        for (JobStatus job : state.jobs()) {
            if (job.clearing() != null) {
                assertThat(job.clearing().victims().stream().anyMatch(this::giving) || behind(job))
                        .as("job %s waits for those who give way", job)
                        .isTrue();
                assertThat(job.clearing().nodes())
                        .allMatch(node -> state.node(node).orElseThrow().open());
                assertThat(job.clearing().until()).isGreaterThan(now);
            }
        }
    }

    private boolean behind(JobStatus job) {
        JobStatus.Clearing its = Objects.requireNonNull(job.clearing());
        return state.jobs().stream()
                .map(JobStatus::clearing)
                .filter(Objects::nonNull)
                .filter(it ->
                        it.since() < its.since()
                                || (it.since() == its.since() && it.until() < its.until()))
                .anyMatch(it -> it.nodes().stream().anyMatch(its.nodes()::contains));
    }

    private boolean giving(RunId id) {
        JobStatus.Run run = state.job(id.job()).map(JobStatus::run).orElse(null);
        return run != null
                && run.lease() == id.lease()
                && (run.outcome() != null || !run.standstill().suspended());
    }

    private void checkCapacity() {
        for (NodeStatus node : state.nodes()) {
            Inventory inventory = node.seen().inventory();
            Holding holding = state.holdingOn(node.node());
            assertThat(holding.cpus()).isLessThanOrEqualTo(inventory.cpus());
            // What a node lost by a reboot is held until the run's other nodes know.
            if (!dividing) {
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
    private void checkHeldIsThere() {
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

    private void checkLimits() {
        var held = new TreeMap<String, List<JobDescription>>();
        for (JobId job : limited ? state.holding() : new TreeSet<JobId>()) {
            JobDescription it = state.knownJob(job).description();
            held.computeIfAbsent(it.user() + " " + it.qos(), _ -> new ArrayList<>()).add(it);
        }
        held.forEach((who, jobs) -> {
            assertThat(jobs).as(who).hasSizeLessThanOrEqualTo(MOST_JOBS);
            assertThat(jobs.stream().mapToLong(it -> it.request().totalGpus()).sum())
                    .as(who)
                    .isLessThanOrEqualTo(MOST_GPUS);
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

    private static void checkBooks(JobEvent.Ended event) {
        long freed = event.submittedAt();
        for (EndedRun run : event.runs()) {
            assertThat(run.placedAt())
                    .as("runs of job %s follow one another", event.job())
                    .isGreaterThanOrEqualTo(freed);
            freed = run.freedAt();
            long suspended = Objects.requireNonNullElse(run.suspendedMillis(), 0L);
            long millis = run.freedAt() - run.placedAt() - suspended;
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
}
