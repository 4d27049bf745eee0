package io.berth.contracts;

import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.MemoryRequest.Per;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part.Underuse;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Suspensions;
import io.berth.contracts.event.Trigger;
import io.berth.contracts.event.Usage;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// One event of every type of every topic with every field set, and one more with none of the
/// optional fields where there are any.
final class SampleEvents {
    /// An event and the name of the golden file that it is written to.
    record Sample<E>(Topic<E> topic, String name, E event) {
        @Override
        public String toString() {
            return topic.name() + "/" + name;
        }
    }

    static final Topic<DeadLetter> DEAD_LETTERS = Topics.deadLetters("submit-service");

    private static final String SHA = "a3".repeat(32);
    private static final NodeName NODE = new NodeName("gpu-01");
    private static final JobId JOB = new JobId(17);
    private static final RunId RUN = new RunId(JOB, 2);
    private static final SpecReference SPEC = new SpecReference(0, 41, SHA);
    private static final IdempotencyKey KEY = new IdempotencyKey("0b7e", SHA);
    private static final ExitStatus EXIT = new ExitStatus(1, 9);
    private static final Charge CHARGE = new Charge(4000, 8_192_000, 1000, 1000, 250_000);
    private static final JobDescription DESCRIPTION =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            2, 3, 4, new MemoryRequest(Per.NODE, 8192), new GpuRequest(2, "a100")),
                    LaunchMode.PER_NODE,
                    3600,
                    10,
                    true);
    private static final JobDescription RESERVED =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            1,
                            1,
                            1,
                            new MemoryRequest(Per.NODE, 8192),
                            GpuRequest.NONE,
                            new NodeConstraints(
                                    null, List.of(), List.of(), Sharing.SHARED, null, "exercise"),
                            Map.of("matlab", 2)),
                    LaunchMode.BATCH,
                    3600,
                    0,
                    true);
    private static final JobDescription SHAPED =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            1,
                            1,
                            1,
                            new MemoryRequest(Per.NODE, 8192),
                            GpuRequest.NONE,
                            NodeConstraints.built(new NodeShape(2, 32, 1))),
                    LaunchMode.BATCH,
                    3600,
                    0,
                    true);
    private static final JobDescription IN_ROW =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            2,
                            4,
                            1,
                            new MemoryRequest(Per.NODE, 8192),
                            GpuRequest.NONE,
                            new NodeConstraints(
                                    null,
                                    List.of(NODE),
                                    List.of(),
                                    Sharing.SHARED,
                                    null,
                                    null,
                                    new NodeShape(0, 0, 0, 10_240L),
                                    true),
                            null,
                            8,
                            new NodeRange(2, 4, true)),
                    LaunchMode.BATCH,
                    3600,
                    0,
                    true);
    private static final JobDescription IN_PARTS =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            1,
                            1,
                            1,
                            new MemoryRequest(Per.NODE, 8192),
                            GpuRequest.of(new ShareRequest(GpuSharing.MPS, 250, 8192L), "a100")),
                    LaunchMode.BATCH,
                    3600,
                    0,
                    true);
    private static final Allocation PART_OF_A_GPU =
            new Allocation(
                    NODE,
                    0,
                    1,
                    IndexSet.parse("0"),
                    8192,
                    List.of("GPU-1"),
                    new GpuShare(GpuSharing.MPS, 250, 1000, 20_480));
    private static final JobDescription ON_TERMS =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            2,
                            3,
                            4,
                            new MemoryRequest(Per.GPU, 8192),
                            new GpuRequest(0, "a100", 1, null, null, 40_000L),
                            new NodeConstraints(
                                    FeatureExpression.parse("[rack1|rack2]&nvme"),
                                    List.of(NODE),
                                    List.of(new NodeName("gpu-09")),
                                    Sharing.NODE,
                                    new SwitchLimit(1, 600L))),
                    LaunchMode.BATCH,
                    3600,
                    10,
                    true,
                    JobTerms.NONE.with(to -> {
                        to.hold = Hold.USER;
                        to.beginAt = 1_800_000_000_000L;
                        to.deadlineAt = 1_900_000_000_000L;
                        to.timeMinSeconds = 600L;
                        to.dependency =
                                new Dependency(
                                        true,
                                        List.of(
                                                new Dependency.Clause(
                                                        Dependency.Type.AFTER,
                                                        new JobId(9),
                                                        3,
                                                        300),
                                                new Dependency.Clause(
                                                        Dependency.Type.SINGLETON, null, null, 0)));
                        to.killOnInvalidDependency = true;
                        to.signal = new WarningSignal(10, 60, true);
                        to.priority = 500L;
                        to.comment = "first try";
                    }));
    private static final JobDescription IMPATIENT =
            DESCRIPTION.on(JobTerms.NONE.with(to -> to.maxWaitSeconds = 7200L));
    private static final JobDescription SHORTENED =
            DESCRIPTION.on(
                    JobTerms.NONE.with(to -> {
                        to.timeMinSeconds = 600L;
                        to.askedLimitSeconds = 7200L;
                    }));
    private static final JobDescription IN_ARRAY =
            DESCRIPTION.on(
                    JobTerms.NONE.with(to -> to.array = new ArrayTask(JOB, 4, 3, 0, 8, 4, 2)));
    private static final Submission.Submitted SET =
            new Submission.Submitted(
                    JOB, DESCRIPTION, "alice", SPEC, KEY, null, List.of(IN_PARTS, DESCRIPTION));
    private static final List<Submission.Submitted> HET = SET.jobs();
    private static final Allocation ALLOCATION =
            new Allocation(NODE, 0, 2, IndexSet.parse("0-7"), 8192, List.of("GPU-a1", "GPU-a2"));
    private static final EndedRun ENDED_RUN =
            new EndedRun(1, List.of(ALLOCATION), 100, 110, 1100, JobState.PENDING, EXIT, CHARGE);
    private static final EndedRun PREEMPTED_RUN =
            new EndedRun(
                    1,
                    List.of(ALLOCATION),
                    100,
                    110,
                    1100,
                    JobState.PENDING,
                    EXIT,
                    CHARGE,
                    250L,
                    JobState.PREEMPTED,
                    null,
                    null);
    private static final EndedRun LOST_RUN =
            new EndedRun(
                    1,
                    List.of(ALLOCATION),
                    100,
                    110,
                    1100,
                    JobState.PENDING,
                    EXIT,
                    CHARGE,
                    null,
                    JobState.PREEMPTED,
                    null,
                    1980L);
    private static final EndedRun MEASURED_RUN =
            new EndedRun(
                    1,
                    List.of(ALLOCATION),
                    100,
                    110,
                    1100,
                    JobState.COMPLETED,
                    EXIT,
                    CHARGE,
                    null,
                    null,
                    new Consumption(8000, 512, 64L, 32L),
                    null);
    private static final Inventory INVENTORY =
            new Inventory(
                    2,
                    32,
                    2,
                    128,
                    1_031_000,
                    List.of(new Gpu(0, "GPU-a1", "a100", "NVIDIA A100-SXM4-80GB", 0, 81_920, 1)),
                    List.of(Isolation.DEVICES, Isolation.CPUSET, Isolation.MEMORY),
                    true,
                    "dgx-a100",
                    "Linux 6.1",
                    "amd64");
    private static final NodeSeen SEEN =
            new NodeSeen(
                    NODE,
                    "nonce-1",
                    "machine-1",
                    "boot-1",
                    "0.1.0",
                    INVENTORY,
                    List.of(new HeldRun(RUN, HeldRun.Phase.RUNNING)),
                    7);
    private static final NodeSeen SEEN_WITH_HARDWARE =
            new NodeSeen(
                    NODE,
                    "nonce-2",
                    "machine-1",
                    "boot-1",
                    "0.2.0",
                    withHardware(List.of()),
                    List.of(),
                    8);
    private static final NodeSeen SEEN_WITH_CORES =
            new NodeSeen(
                    NODE,
                    "nonce-5",
                    "machine-1",
                    "boot-1",
                    "0.2.0",
                    withHardware(IntStream.range(0, 128).mapToObj(cpu -> cpu % 64).toList()),
                    List.of(),
                    8);
    private static final NodeSeen SEEN_FENCING =
            new NodeSeen(
                    NODE, "nonce-3", "machine-1", "boot-1", "0.3.0", INVENTORY, List.of(), 9, 600L);
    private static final NodeSeen SEEN_UNHEALTHY =
            new NodeSeen(
                    NODE,
                    "nonce-4",
                    "machine-1",
                    "boot-1",
                    "0.4.0",
                    INVENTORY,
                    List.of(),
                    10,
                    null,
                    "/scratch is read-only",
                    null,
                    null,
                    null);
    private static final Part PART = new Part(3, 1, 6);

    private static final GpuSample SAMPLE =
            new GpuSample(
                    "GPU-a1",
                    97,
                    39_000L,
                    312_500L,
                    9_000_000_000L,
                    61,
                    1410,
                    1215,
                    4L,
                    0L,
                    List.of(4711L),
                    Hardware.Health.HEALTHY);

    private static final GpuConsumption GPU = new GpuConsumption(2, 87, 39_000L, 1_250_000L);
    private static final Steps STEPS =
            new Steps(
                    List.of(
                            new Step(0, "python", 4, 8, 2, 115, 900, EXIT, 5200L),
                            new Step(1, "sleep", 1, 8, 2, 910, 1100, null, null)),
                    3);

    private static final TasksUsage OF_TASKS =
            TasksUsage.of(
                    Map.of(
                            4, new Consumption(3000, 90, 7L, null),
                            5, new Consumption(3900, 200, 2L, null)));

    private static final Steps STEPS_BY_TASK =
            new Steps(
                    List.of(
                            new Step(0, "python", 2, 8, 2, 115, 900, EXIT, 5200L)
                                    .counted(7000, 300, false, OF_TASKS)),
                    0);

    private static final Steps COUNTED_STEPS =
            new Steps(
                    List.of(
                            new Step(0, "python", 4, 8, 2, 115, 900, EXIT, 5200L, 700L, true, null),
                            new Step(1, "sleep", 1, 8, 2, 910, 1100, null, 9L, 2L, null, null)),
                    0);

    private final List<Sample<?>> samples = new ArrayList<>();

    static List<Sample<?>> all() {
        var events = new SampleEvents();
        events.ofTheGateway();
        events.ofPriorityAndAccounting();
        SampleConfiguration.ofNewKinds().forEach(it -> events.add(Topics.CONFIG, it));
        SampleConfiguration.inFull().forEach(it -> events.addNamed("full", Topics.CONFIG, it));
        SampleConfiguration.ofPreemption()
                .forEach(it -> events.addNamed("preemption", Topics.CONFIG, it));
        SampleConfiguration.ofReservations()
                .forEach(it -> events.addNamed("reserved", Topics.CONFIG, it));
        events.addNamed("use", Topics.CONFIG, SampleConfiguration.ofUse());
        events.addNamed("groups", Topics.CONFIG, SampleConfiguration.ofGroups());
        events.addNamed("weights", Topics.CONFIG, SampleConfiguration.ofWeights());
        events.addNamed("gpu-defaults", Topics.CONFIG, SampleConfiguration.ofGpuDefaults());
        events.addNamed("sockets", Topics.CONFIG, SampleConfiguration.ofSockets());
        events.addNamed("over-subscribe", Topics.CONFIG, SampleConfiguration.ofOverSubscribe());
        events.addNamed("own-blocks", Topics.CONFIG, SampleConfiguration.ofOwnBlocks());
        events.addNamed("purging", Topics.CONFIG, SampleConfiguration.ofPurging());
        events.addNamed("deadline", Topics.CONFIG, SampleConfiguration.ofDeadlines());
        events.addNamed("reclaim", Topics.CONFIG, SampleConfiguration.ofReclaim());
        events.addNamed("guarantee", Topics.CONFIG, SampleConfiguration.ofGuarantee());
        events.ofPlacement();
        events.ofJobs();
        events.ofAgents();
        return events.samples;
    }

    private <E> void add(Topic<E> topic, E event) {
        samples.add(new Sample<>(topic, event.getClass().getSimpleName(), event));
    }

    private <E> void addMinimal(Topic<E> topic, E event) {
        samples.add(new Sample<>(topic, event.getClass().getSimpleName() + ".minimal", event));
    }

    private <E> void addNamed(String suffix, Topic<E> topic, E event) {
        String name = event.getClass().getSimpleName() + "." + suffix;
        samples.add(new Sample<>(topic, name, event));
    }

    private void ofTheGateway() {
        add(Topics.SUBMISSIONS, new Submission.Submitted(JOB, DESCRIPTION, "root", SPEC, KEY));
        addMinimal(
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, DESCRIPTION, "alice", SPEC, null));
        addNamed(
                "sealed",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB, DESCRIPTION, "alice", SPEC.by("q83vEjRWeJCrze8SNFZ4kA=="), null));
        add(Topics.SUBMISSIONS, new Submission.CancelRequested(JOB, "alice"));
        addNamed(
                "terms",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        ON_TERMS,
                        "alice",
                        SPEC,
                        null,
                        new JobArray(
                                IndexSet.parse("0,4,8"),
                                2,
                                List.of(new JobArray.Ids(17, 18), new JobArray.Ids(101, 101)))));
        addNamed(
                "reserved",
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, RESERVED, "alice", SPEC, null));
        addNamed(
                "shape",
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, SHAPED, "alice", SPEC, null));
        addNamed(
                "sockets",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        1,
                                        4,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        new GpuRequest(4, "a100", null, null, 2, null),
                                        NodeConstraints.built(new NodeShape(2, 0, 0, null, 2)))),
                        "alice",
                        SPEC,
                        null));
        addNamed(
                "threads",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        1,
                                        4,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        GpuRequest.NONE,
                                        NodeConstraints.built(
                                                new NodeShape(0, 0, 0, null, null, 1)))),
                        "alice",
                        SPEC,
                        null));
        addNamed(
                "prefer",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        1,
                                        4,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        GpuRequest.NONE,
                                        NodeConstraints.NONE.preferring(
                                                FeatureExpression.parse("h100&nvme")))),
                        "alice",
                        SPEC,
                        null));
        addNamed(
                "types",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        2,
                                        2,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        GpuRequest.ofTypes(Map.of("a100", 2, "v100", 1), null))),
                        "alice",
                        SPEC,
                        null));
        var threePerTask = new GpuRequest(0, null, 3, null, null, null);
        addNamed(
                "types-of-tasks",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        2,
                                        3,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        threePerTask.of(Map.of("a100", 2, "v100", 1)))),
                        "alice",
                        SPEC,
                        null));
        var threeInAll = new GpuRequest(0, null, null, 3, null, null);
        addNamed(
                "types-in-all",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        2,
                                        2,
                                        1,
                                        new MemoryRequest(Per.NODE, 8192),
                                        threeInAll.of(Map.of("a100", 2, "v100", 1)))),
                        "alice",
                        SPEC,
                        null));
        var sixOfSockets = new GpuRequest(6, null, null, null, 3, null);
        addNamed(
                "types-of-sockets",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        SHAPED.with(
                                new ResourceRequest(
                                        1,
                                        1,
                                        2,
                                        new MemoryRequest(Per.NODE, 8192),
                                        sixOfSockets.of(Map.of("a100", 2, "v100", 4)))),
                        "alice",
                        SPEC,
                        null));
        addNamed(
                "wait",
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, IMPATIENT, "alice", SPEC, null));
        addNamed(
                "row",
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, IN_ROW, "alice", SPEC, null));
        addNamed(
                "racks",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB, constrained("[rack1*2&rack2*4]"), "alice", SPEC, null));
        // More alternatives than a job may have that is submitted now.
        addNamed(
                "brackets",
                Topics.SUBMISSIONS,
                new Submission.Submitted(
                        JOB,
                        constrained(String.join("&", Collections.nCopies(7, "[rack1|rack2]"))),
                        "alice",
                        SPEC,
                        null));
        addNamed(
                "part",
                Topics.SUBMISSIONS,
                new Submission.Submitted(JOB, IN_PARTS, "alice", SPEC, null));
        addNamed("het", Topics.SUBMISSIONS, SET);
        add(Topics.SUBMISSIONS, new Submission.Held(JOB, "alice", Hold.USER));
        add(Topics.SUBMISSIONS, new Submission.Released(JOB, "root", Hold.ADMIN));
        add(Topics.SUBMISSIONS, new Submission.RequeueRequested(JOB, "root", true));
        add(
                Topics.SUBMISSIONS,
                new Submission.SignalRequested(JOB, "alice", 10, SignalTarget.BATCH));
        addNamed(
                "step",
                Topics.SUBMISSIONS,
                new Submission.SignalRequested(JOB, "alice", 9, SignalTarget.STEPS, 3));
        add(Topics.SUBMISSIONS, new Submission.SuspendRequested(JOB, "root"));
        add(Topics.SUBMISSIONS, new Submission.ResumeRequested(JOB, "root"));
        add(
                Topics.SUBMISSIONS,
                new Submission.Amended(
                        JOB,
                        "alice",
                        new Amendment(
                                "team_b",
                                "interactive",
                                "high",
                                "renamed",
                                ON_TERMS.request(),
                                7200L,
                                -5,
                                false,
                                ON_TERMS.conditions(),
                                4)));
        add(Topics.NODE_REQUESTS, new NodeRequest.DrainRequested(NODE, "root", "bad fan"));
        add(Topics.NODE_REQUESTS, new NodeRequest.ResumeRequested(NODE, "root"));
        add(Topics.NODE_REQUESTS, new NodeRequest.DownRequested(NODE, "root", "gone"));
        add(
                Topics.NODE_REQUESTS,
                new NodeRequest.FeaturesSet(NODE, "root", List.of("rack1", "nvme")));
        add(Topics.NODE_REQUESTS, new NodeRequest.WeightSet(NODE, "root", 20));
        var output =
                new OutputRequest(
                        NODE,
                        JOB,
                        "alice",
                        false,
                        -65_536,
                        true,
                        "ws://127.0.0.1:7600/v1/sessions/ab12",
                        "s3cret",
                        null);
        add(Topics.OUTPUT_REQUESTS, output);
        addNamed("proven", Topics.OUTPUT_REQUESTS, output.proven("key of the job"));
        add(
                Topics.STEP_REQUESTS,
                StepRequest.proven(
                        NODE,
                        RUN,
                        "ws://127.0.0.1:7600/v1/sessions/ab12",
                        "s3cret",
                        "key of the job"));
        add(
                Topics.TRIGGERS,
                new Trigger.Asked(
                        18,
                        "root",
                        Trigger.Occasion.IDLE,
                        null,
                        List.of(NODE),
                        List.of(NODE),
                        600,
                        true,
                        List.of("/usr/sbin/suspend_node", "--soft"),
                        1_700_000_000_000L));
        addNamed(
                "job",
                Topics.TRIGGERS,
                new Trigger.Asked(
                        19,
                        "alice",
                        Trigger.Occasion.TIME,
                        JOB,
                        List.of(),
                        List.of(),
                        -600,
                        false,
                        List.of("/home/alice/save"),
                        1_700_000_000_000L));
        add(
                Topics.TRIGGERS,
                new Trigger.Progress(
                        18,
                        2,
                        NODE.value(),
                        List.of(new Trigger.Watched(NODE, 1_700_000_000_000L, true))));
        add(Topics.SPECS, spec("err-%j", "in.txt", null, null, null, null));
        addMinimal(Topics.SPECS, spec(null, null, null, null, null, null));
        addNamed("container", Topics.SPECS, spec(null, null, null, "/images/torch", null, null));
        addNamed("keyed", Topics.SPECS, spec(null, null, null, null, "key of the job", null));
        addNamed(
                "called",
                Topics.SPECS,
                spec(null, null, null, null, null, "/home/alice/train.sh --epochs 3"));
        addNamed(
                "mail",
                Topics.SPECS,
                spec(
                        null,
                        null,
                        new MailRequest(List.of(MailType.BEGIN, MailType.END), "alice@lab"),
                        null,
                        null,
                        null));
        add(Topics.ID_BLOCKS, new IdBlockClaimed("submit-service-1"));
        add(DEAD_LETTERS, new DeadLetter("berth.submissions.v1", 0, 12, "not a Submitted", "e30="));
    }

    private static JobSpec spec(
            @Nullable String error,
            @Nullable String input,
            @Nullable MailRequest mail,
            @Nullable String container,
            @Nullable String key,
            @Nullable String command) {
        return new JobSpec(
                JOB,
                DESCRIPTION,
                "#!/bin/sh\necho \"größer\"\n",
                List.of("--epochs", "3"),
                Map.of("HOME", "/home/alice", "LANG", "C.UTF-8"),
                "/home/alice",
                "slurm-%j.out",
                error,
                input,
                true,
                "login-1",
                mail,
                container,
                key,
                command);
    }

    private void ofPriorityAndAccounting() {
        add(
                Topics.RANKINGS,
                new Ranked(JOB, new Rank(5, 1_000_000, 2_000_000, 3_000_000, -10_000_000, 12, 99)));
        add(
                Topics.FAIR_SHARES,
                new FairShares(
                        8,
                        1_700_000_000_000L,
                        10_000_000_000L,
                        List.of(
                                new FairShares.Factor(
                                        "team_a", "alice", 125_000, 500_000, 800_000))));
        addNamed(
                "full",
                Topics.RANKINGS,
                new Ranked(
                        JOB,
                        new Rank(
                                5,
                                1_000_000,
                                2_000_000,
                                0,
                                -10_000_000,
                                12,
                                99,
                                7_000L,
                                8_000L,
                                null)));
        addNamed(
                "site",
                Topics.RANKINGS,
                new Ranked(JOB, new Rank(6, 0, 0, 0, 0, 12, 99, null, null, 500_000_000L)));
        add(
                Topics.SHARES,
                new Usage("team_a", "alice", 1_700_000_000_000L, 2_559_000_000L, null, List.of()));
        var spending = new Spending(new Charge(8_000, 4_096_000, 1_000, 500, 2_559_000_000L), 500);
        addNamed(
                "full",
                Topics.SHARES,
                new Usage(
                        "team_a",
                        "alice",
                        1_700_000_000_000L,
                        2_559_000_000L,
                        1_699_999_999_000L,
                        List.of(
                                new Usage.Spent(
                                        "batch", "normal", spending, spending.plus(spending)))));
        var byType = new Spending(new Charge(8, 4, 2, 1, 2, Map.of("a100", 1L, "h100", 1L)), 1);
        addNamed(
                "types",
                Topics.SHARES,
                new Usage(
                        "team_a",
                        "alice",
                        1_700_000_000_000L,
                        2,
                        null,
                        List.of(new Usage.Spent("batch", "normal", byType, byType))));
        addNamed(
                "full",
                Topics.FAIR_SHARES,
                new FairShares(
                        8,
                        1_700_000_000_000L,
                        10_000_000_000L,
                        List.of(),
                        1_699_999_999_000L,
                        List.of(new FairShares.Budget("account/team_a", spending))));
        add(
                Topics.CONFIG,
                new ConfigEntry.Cluster(
                        PART,
                        "berth",
                        "default",
                        "normal",
                        604_800,
                        604_800,
                        false,
                        new ConfigEntry.Weights(1000, 10_000, 100, 500, 2000),
                        new ConfigEntry.Prices(1000, 250, 30_000, Map.of("a100", 40_000L))));
        addNamed("parts", Topics.CONFIG, SampleConfiguration.ofSharedGpus());
        add(
                Topics.CONFIG,
                new ConfigEntry.Partition(
                        new Part(3, 2, 6),
                        "batch",
                        true,
                        List.of("gpu-01", "gpu-02"),
                        259_200,
                        3600,
                        16,
                        100,
                        1,
                        2048));
        add(Topics.CONFIG, new ConfigEntry.Account(new Part(3, 3, 6), "team_a", "science", 60));
        addMinimal(Topics.CONFIG, new ConfigEntry.Account(new Part(3, 4, 6), "science", null, 100));
        add(
                Topics.CONFIG,
                new ConfigEntry.Association(new Part(3, 5, 6), "team_a", "alice", 50, true));
        add(Topics.CONFIG, new ConfigEntry.Qos(new Part(3, 6, 6), "normal", 100));
    }

    private void ofPlacement() {
        add(Topics.PLACEMENTS, new Order.Sync(NODE, 4, "nonce-1", List.of(RUN)));
        add(Topics.PLACEMENTS, new Order.Refused(NODE, 4, "nonce-2", "another machine"));
        addNamed(
                "for-now",
                Topics.PLACEMENTS,
                new Order.Refused(NODE, 4, "nonce-2", "another agent", true));
        add(
                Topics.PLACEMENTS,
                new Order.Launch(
                        NODE, 4, 1, RUN, SPEC, LaunchMode.BATCH, true, List.of(ALLOCATION), 3600));
        add(Topics.PLACEMENTS, new Order.Go(NODE, 4, 2, RUN));
        add(Topics.PLACEMENTS, new Order.Stop(NODE, 4, 3, RUN, JobState.CANCELLED, 30));
        addNamed(
                "notice",
                Topics.PLACEMENTS,
                new Order.Stop(NODE, 4, 3, RUN, JobState.PREEMPTED, 60, true));
        add(Topics.PLACEMENTS, new Order.Suspend(NODE, 4, 6, RUN, 1, 2));
        add(Topics.PLACEMENTS, new Order.Resume(NODE, 4, 7, RUN));
        addNamed(
                "job",
                Topics.PLACEMENTS,
                new Order.Launch(
                        NODE,
                        4,
                        1,
                        RUN,
                        SPEC,
                        LaunchMode.BATCH,
                        true,
                        List.of(ALLOCATION),
                        3600,
                        IN_ARRAY));
        addNamed(
                "over",
                Topics.PLACEMENTS,
                new Order.Launch(
                        NODE,
                        4,
                        1,
                        RUN,
                        SPEC,
                        LaunchMode.BATCH,
                        true,
                        List.of(ALLOCATION),
                        3600,
                        IN_ARRAY,
                        600L,
                        List.of()));
        addNamed(
                "het",
                Topics.PLACEMENTS,
                new Order.Launch(
                        NODE,
                        4,
                        1,
                        RUN,
                        SPEC,
                        LaunchMode.BATCH,
                        true,
                        List.of(ALLOCATION),
                        3600,
                        HET.getFirst().description(),
                        null,
                        HET.stream()
                                .map(it ->
                                        new Order.HetGroup(
                                                new RunId(it.job(), RUN.lease()),
                                                it.description(),
                                                List.of(ALLOCATION)))
                                .toList()));
        add(Topics.PLACEMENTS, new Order.Signal(NODE, 4, 4, RUN, 10, SignalTarget.STEPS, null));
        addNamed(
                "step",
                Topics.PLACEMENTS,
                new Order.Signal(NODE, 4, 4, RUN, 9, SignalTarget.STEPS, 3));
        add(Topics.PLACEMENTS, new Order.Limit(NODE, 4, 5, RUN, 7200));
        ofMig();
        addNamed(
                "hold",
                Topics.NODE_STATES,
                new NodeStatus(
                        NODE,
                        4,
                        3,
                        NodeStatus.Presence.UP,
                        SEEN,
                        new NodeHold(NodeHold.Kind.DRAIN, "bad fan", "root", 1000),
                        List.of("nvme", "rack1")));
        add(Topics.NODE_STATES, new NodeStatus(NODE, 4, 3, NodeStatus.Presence.SILENT, SEEN));
        addNamed(
                "weight",
                Topics.NODE_STATES,
                new NodeStatus(NODE, 4, 3, NodeStatus.Presence.UP, SEEN).weighing(20));
        add(
                Topics.CELL_STATES,
                new CellStatus(
                        0,
                        900,
                        1_700_000_000_000L,
                        List.of(new LogPosition("berth.submissions.v1", "topic-id", 0, 12)),
                        17,
                        3,
                        SHA));
        ofGres();
        ofRounds();
    }

    private void ofMig() {
        List<MigPlacement> halves =
                List.of(new MigPlacement("3g.20gb", 0, 4), new MigPlacement("3g.20gb", 4, 4));
        var gpu =
                new MigGpu(
                        1,
                        "GPU-a2",
                        "a100",
                        List.of(
                                new MigProfile("1g.5gb", 4864, 1, List.of(0, 1, 2, 3, 4, 5, 6), 7),
                                new MigProfile("3g.20gb", 19_968, 4, List.of(0, 4), 2)),
                        List.of(new MigPlacement("1g.5gb", 0, 1)),
                        "nvmlGpuInstanceDestroy: in use");
        var seen =
                new NodeSeen(
                        NODE,
                        "nonce-1",
                        "machine-1",
                        "boot-1",
                        "0.1.0",
                        INVENTORY.withGpus(INVENTORY.gpus(), List.of(gpu)),
                        List.of(),
                        7);
        var underway =
                new NodeSeen(
                        NODE,
                        "nonce-2",
                        "machine-1",
                        "boot-1",
                        "0.1.0",
                        INVENTORY.withGpus(INVENTORY.gpus(), List.of(gpu.underway())),
                        List.of(),
                        7);
        addNamed("dividing", Topics.NODES, underway);
        add(Topics.PLACEMENTS, new Order.Partition(NODE, 4, 8, "GPU-a2", halves));
        addNamed("mig", Topics.NODES, seen);
        addNamed(
                "mig",
                Topics.NODE_STATES,
                new NodeStatus(NODE, 4, 3, NodeStatus.Presence.UP, seen)
                        .divided(new Division("GPU-a2", 1000, halves, 316_000, 1)));
        addNamed("mig", Topics.CONFIG, SampleConfiguration.ofMigGpus());
        addNamed("private", Topics.CONFIG, SampleConfiguration.ofPrivateData());
        addNamed("cores", Topics.NODES, SEEN_WITH_CORES);
        addNamed("cores", Topics.CONFIG, SampleConfiguration.ofWholeCores());
        addNamed("packing", Topics.CONFIG, SampleConfiguration.ofPacking());
        addNamed("ended", Topics.CONFIG, SampleConfiguration.ofEndedJobs());
        addNamed("levels", Topics.CONFIG, SampleConfiguration.ofAdminLevels());
        addNamed("exclusive", Topics.CONFIG, SampleConfiguration.ofExclusive());
    }

    private void ofGres() {
        var held =
                List.of(
                        new Gres("fpga", "xilinx", 1, List.of("/dev/xfpga1")),
                        new Gres("nic", null, 1));
        var seen =
                new NodeSeen(
                        NODE,
                        "nonce-1",
                        "machine-1",
                        "boot-1",
                        "0.1.0",
                        INVENTORY.having(held),
                        List.of(),
                        7);
        var allocation =
                new Allocation(NODE, 0, 1, IndexSet.parse("0-3"), 4096, List.of(), null, held);
        var asked =
                new JobDescription(
                        DESCRIPTION.user(),
                        DESCRIPTION.account(),
                        DESCRIPTION.partition(),
                        DESCRIPTION.qos(),
                        DESCRIPTION.name(),
                        DESCRIPTION.request().holding(List.of(new Gres("nic", null, 1))),
                        DESCRIPTION.launch(),
                        DESCRIPTION.timeLimitSeconds(),
                        DESCRIPTION.nice(),
                        DESCRIPTION.requeue());
        addNamed("gres", Topics.NODES, seen);
        addNamed("gres", Topics.JOBS, new JobEvent.Queued(JOB, 90, asked));
        addNamed("gres", Topics.JOBS, new JobEvent.Placed(JOB, 100, 2, List.of(allocation), 4));
        addNamed("gres", Topics.CONFIG, SampleConfiguration.ofGres());
        addNamed("blocks", Topics.CONFIG, SampleConfiguration.ofBlocks());
        var segments = NodeConstraints.NONE.inBlocks(1, true);
        addNamed(
                "segments",
                Topics.JOBS,
                new JobEvent.Queued(
                        JOB,
                        90,
                        new JobDescription(
                                DESCRIPTION.user(),
                                DESCRIPTION.account(),
                                DESCRIPTION.partition(),
                                DESCRIPTION.qos(),
                                DESCRIPTION.name(),
                                DESCRIPTION.request().on(segments),
                                DESCRIPTION.launch(),
                                DESCRIPTION.timeLimitSeconds(),
                                DESCRIPTION.nice(),
                                DESCRIPTION.requeue())));
    }

    private void ofRounds() {
        var kept =
                new Recorded(
                        "berth.submissions.v1/CancelRequested",
                        12L,
                        "{\"job\":17,\"user\":\"alice\"}");
        add(Topics.ROUNDS, new RoundEvent.Took(0, 900, 0, kept));
        add(
                Topics.ROUNDS,
                new RoundEvent.Decided(
                        0, 900, 1_700_000_000_000L, 1, "PLAN", "CONSERVATIVE", 500, "0.1.0", SHA));
        add(
                Topics.SNAPSHOTS,
                new SnapshotEvent.Held(
                        0, 900, 0, new Recorded("berth.rankings.v1/Ranked", null, "{}")));
        add(Topics.SNAPSHOTS, new SnapshotEvent.Complete(0, 900, 1_700_000_000_000L, 1, 17));
    }

    private void ofJobs() {
        add(Topics.JOBS, new JobEvent.Queued(JOB, 90, DESCRIPTION));
        add(Topics.JOBS, new JobEvent.Placed(JOB, 100, 2, List.of(ALLOCATION), 45_000));
        addNamed(
                "part",
                Topics.JOBS,
                new JobEvent.Placed(JOB, 100, 2, List.of(PART_OF_A_GPU), 45_000));
        addNamed("part", Topics.JOBS, new JobEvent.Started(JOB, 110, 2, Enforcement.NONE));
        add(Topics.JOBS, new JobEvent.Started(JOB, 110, 2));
        add(Topics.JOBS, new JobEvent.Requeued(JOB, 1100, ENDED_RUN, Reason.NODE_DOWN));
        add(Topics.JOBS, new JobEvent.Amended(JOB, 95, ON_TERMS, "root"));
        addNamed("shortened", Topics.JOBS, new JobEvent.Amended(JOB, 95, SHORTENED, "alice"));
        add(Topics.JOBS, new JobEvent.Held(JOB, 96, Hold.ADMIN, "root", null));
        addNamed(
                "failed",
                Topics.JOBS,
                new JobEvent.Held(
                        JOB,
                        96,
                        Hold.ADMIN,
                        "placement-service",
                        "decide on job 17: java.lang.NullPointerException"));
        add(Topics.JOBS, new JobEvent.Released(JOB, 97, "root"));
        add(
                Topics.JOBS,
                new JobEvent.Suspended(
                        JOB, 120, 2, SuspendCause.PREEMPTION, "root", new JobId(18)));
        addMinimal(
                Topics.JOBS,
                new JobEvent.Suspended(JOB, 120, 2, SuspendCause.TIME_SLICE, null, null));
        add(Topics.JOBS, new JobEvent.Resumed(JOB, 130, 2));
        add(Topics.JOBS, new JobEvent.SuspendFailed(JOB, 120, 2, "gpu-01: no freezer"));
        add(Topics.JOBS, new JobEvent.GpusUnderused(JOB, 120, 2, NODE, 3, 1800));
        add(Topics.JOBS, new JobEvent.GpusUsedAgain(JOB, 130, 2, NODE));
        add(Topics.JOBS, new JobEvent.StepsEnded(JOB, 1100, 2, NODE, STEPS));
        addNamed(
                "counted-by-task",
                Topics.JOBS,
                new JobEvent.StepsEnded(JOB, 1100, 2, NODE, STEPS_BY_TASK));
        addNamed(
                "counted", Topics.JOBS, new JobEvent.StepsEnded(JOB, 1100, 2, NODE, COUNTED_STEPS));
        add(
                Topics.JOBS,
                new JobEvent.Preempted(
                        JOB,
                        140,
                        2,
                        new JobId(18),
                        PreemptMode.REQUEUE,
                        PreemptReason.PARTITION_PRIO,
                        60,
                        7_200_000));
        addNamed(
                "reclaim",
                Topics.JOBS,
                new JobEvent.Preempted(
                        JOB,
                        140,
                        2,
                        new JobId(18),
                        PreemptMode.REQUEUE,
                        PreemptReason.RECLAIM,
                        0,
                        7_200_000));
        addNamed(
                "preempted",
                Topics.JOBS,
                new JobEvent.Requeued(JOB, 1100, PREEMPTED_RUN, Reason.NONE));
        addNamed("lost", Topics.JOBS, new JobEvent.Requeued(JOB, 1100, LOST_RUN, Reason.NONE));
        addNamed(
                "gpu-failed",
                Topics.JOBS,
                new JobEvent.Requeued(JOB, 1100, ENDED_RUN, Reason.NONE, "XID 79 of GPU 0"));
        addNamed(
                "measured",
                Topics.JOBS,
                new JobEvent.Requeued(JOB, 1100, MEASURED_RUN, Reason.NONE));
        add(Topics.JOBS, ended("root", "cancelled by root"));
        addMinimal(Topics.JOBS, ended(null, null));
        var part = new JobStatus.Part(ALLOCATION, JobStatus.Part.Phase.STARTED, 4, 1);
        add(Topics.JOB_STATES, runningStatus());
        addNamed("full", Topics.JOB_STATES, fullStatus());
        addMinimal(Topics.JOB_STATES, waitingStatus(null, null));
        addNamed("part", Topics.JOB_STATES, statusOfPart());
        addNamed(
                "underused",
                Topics.JOB_STATES,
                typedStatus(part.using(new Underuse(900, 3)), false, null));
        addNamed("held", Topics.JOB_STATES, waitingStatus(Hold.ADMIN, 0L));
        var drains = Map.of("GPU-1", "7x1g.10gb");
        var planned = new JobStatus.Planned(2000, 9000, List.of(NODE), 3, null, drains);
        addNamed("drains", Topics.JOB_STATES, waitingStatus(null, null, planned));
        addNamed("suspended", Topics.JOB_STATES, suspendedStatus(null));
        addNamed("saved", Topics.JOB_STATES, suspendedStatus(40L));
        addNamed("types", Topics.JOB_STATES, typedStatus(part, false, null));
        addNamed("over-subscribes", Topics.JOB_STATES, typedStatus(part, true, null));
        addNamed(
                "claim",
                Topics.JOB_STATES,
                typedStatus(part, false, new JobStatus.Claim(1100, 91_100)));
        addNamed("clearing", Topics.JOB_STATES, clearingStatus());
        addNamed("partitions", Topics.JOB_STATES, statusInPartitions());
    }

    private static JobEvent.Ended ended(@Nullable String cancelledBy, @Nullable String message) {
        return new JobEvent.Ended(
                JOB,
                1200,
                DESCRIPTION,
                JobState.CANCELLED,
                Reason.NONE,
                EXIT,
                80,
                List.of(ENDED_RUN),
                cancelledBy,
                message);
    }

    private static JobDescription constrained(String features) {
        return new JobDescription(
                "alice",
                "team_a",
                "batch",
                "normal",
                "train",
                new ResourceRequest(
                        6,
                        6,
                        1,
                        new MemoryRequest(Per.NODE, 8192),
                        GpuRequest.NONE,
                        new NodeConstraints(
                                FeatureExpression.parse(features),
                                List.of(),
                                List.of(),
                                Sharing.USER,
                                null)),
                LaunchMode.BATCH,
                3600,
                0,
                true);
    }

    private static JobStatus runningStatus() {
        return new JobStatus(
                JOB,
                DESCRIPTION,
                "alice",
                SPEC,
                KEY,
                12,
                80,
                JobState.COMPLETING,
                Reason.OUT_OF_MEMORY,
                new Rank(5, 1, 2, 3, -10, 12, 99),
                new JobStatus.Run(
                        2,
                        1150,
                        1160,
                        true,
                        45_000,
                        new JobStatus.Outcome(
                                JobState.OUT_OF_MEMORY,
                                Reason.OUT_OF_MEMORY,
                                EXIT,
                                "out of memory"),
                        List.of(
                                new JobStatus.Part(
                                        ALLOCATION, JobStatus.Part.Phase.STARTED, 4, 1))),
                List.of(ENDED_RUN),
                1200,
                EXIT,
                "root",
                "out of memory");
    }

    private static JobStatus fullStatus() {
        JobStatus it = runningStatus();
        return new JobStatus(
                it.job(),
                it.description(),
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                it.state(),
                it.reason(),
                it.rank(),
                it.run(),
                it.ended(),
                it.endedAt(),
                it.exit(),
                it.cancelledBy(),
                it.message(),
                new JobStatus.Planned(2000, 9000, List.of(ALLOCATION.node()), 3),
                null,
                null,
                null);
    }

    private static JobStatus statusOfPart() {
        JobStatus it = runningStatus();
        return new JobStatus(
                it.job(),
                IN_PARTS,
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                it.state(),
                it.reason(),
                it.rank(),
                new JobStatus.Run(
                        2,
                        1150,
                        1160,
                        true,
                        45_000,
                        null,
                        List.of(
                                new JobStatus.Part(
                                                PART_OF_A_GPU, JobStatus.Part.Phase.STARTED, 4, 1)
                                        .heldBy(Enforcement.MPS))),
                it.ended(),
                it.endedAt(),
                it.exit(),
                it.cancelledBy(),
                it.message(),
                new JobStatus.Planned(2000, 9000, List.of(NODE), 3, "GPU-1", Map.of()),
                null,
                null,
                null);
    }

    private static JobStatus suspendedStatus(@Nullable Long savedMillis) {
        JobStatus it = runningStatus();
        return new JobStatus(
                it.job(),
                it.description(),
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                JobState.SUSPENDED,
                Reason.NONE,
                it.rank(),
                new JobStatus.Run(
                        2,
                        1150,
                        1160,
                        true,
                        45_000,
                        new JobStatus.Outcome(
                                JobState.PENDING,
                                Reason.NONE,
                                EXIT,
                                null,
                                JobState.PREEMPTED,
                                9000L),
                        List.of(new JobStatus.Part(ALLOCATION, JobStatus.Part.Phase.STARTED, 4, 1)),
                        new Suspensions(
                                2,
                                300,
                                new Suspensions.Current(
                                        SuspendCause.PREEMPTION,
                                        "root",
                                        new JobId(18),
                                        List.of(0),
                                        1500,
                                        true)),
                        savedMillis,
                        Map.of(),
                        null,
                        null),
                it.ended(),
                0,
                null,
                null,
                null);
    }

    private static JobStatus waitingStatus(@Nullable Hold hold, @Nullable Long eligibleAt) {
        return waitingStatus(hold, eligibleAt, null);
    }

    private static JobStatus waitingStatus(
            @Nullable Hold hold, @Nullable Long eligibleAt, JobStatus.@Nullable Planned planned) {
        return new JobStatus(
                JOB,
                DESCRIPTION,
                "alice",
                SPEC,
                null,
                12,
                80,
                JobState.PENDING,
                Reason.RESOURCES,
                Rank.NONE,
                null,
                List.of(),
                0,
                null,
                null,
                null,
                planned,
                hold,
                eligibleAt,
                null);
    }

    /// Of a run on GPUs whose types are known.
    ///
    /// @param shares whether others may have its CPUs too
    /// @param claim since when it has its place, if that was cleared for it
    private static JobStatus typedStatus(
            JobStatus.Part part, boolean shares, JobStatus.@Nullable Claim claim) {
        JobStatus it = runningStatus();
        return new JobStatus(
                it.job(),
                it.description(),
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                JobState.RUNNING,
                Reason.NONE,
                it.rank(),
                new JobStatus.Run(
                        1,
                        1150,
                        1160,
                        false,
                        45_000,
                        null,
                        List.of(part),
                        null,
                        null,
                        Map.of("a100", 1L, "h100", 1L),
                        shares,
                        claim),
                List.of(),
                0,
                null,
                null,
                null);
    }

    /// Of a job that takes the place of another one, on terms of its own.
    private static JobStatus clearingStatus() {
        JobStatus it = waitingStatus(null, null);
        return new JobStatus(
                it.job(),
                DESCRIPTION.on(JobTerms.NONE.with(to -> to.preemption = PreemptPolicy.ALWAYS)),
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                it.state(),
                it.reason(),
                it.rank(),
                null,
                List.of(),
                0,
                null,
                null,
                null,
                null,
                null,
                null,
                new JobStatus.Clearing(
                        1000, 91_000, List.of(NODE), List.of(new RunId(new JobId(9), 2))));
    }

    /// Of a job that may start in either of two partitions.
    private static JobStatus statusInPartitions() {
        JobStatus it = waitingStatus(null, null);
        return new JobStatus(
                it.job(),
                DESCRIPTION.inAnyOf(List.of("batch", "spot")),
                it.submittedBy(),
                it.spec(),
                it.key(),
                it.submission(),
                it.submittedAt(),
                it.state(),
                it.reason(),
                it.rank(),
                null,
                List.of(),
                0,
                null,
                null,
                null,
                new JobStatus.Planned(2000, 9000, List.of(NODE), 3, null, Map.of(), "spot"),
                null,
                null,
                new JobStatus.Clearing(
                        1000, 91_000, List.of(NODE), List.of(new RunId(new JobId(9), 2)), "spot"));
    }

    private void ofAgents() {
        add(Topics.RUNS, new RunReport.Ready(RUN, NODE, 4, 1));
        add(
                Topics.RUNS,
                new RunReport.Started(
                        RUN, NODE, 4, 2, List.of(Isolation.CPUSET, Isolation.MEMORY)));
        addNamed(
                "part",
                Topics.RUNS,
                new RunReport.Started(
                        RUN, NODE, 4, 1, List.of(Isolation.MEMORY), Enforcement.NONE));
        add(Topics.RUNS, runEnded("no such file"));
        addMinimal(Topics.RUNS, runEnded(null));
        add(Topics.NODES, SEEN);
        add(Topics.HEARTBEATS, new Heartbeat(NODE, 4, 3, List.of(RUN), 250, 12_000));
        addNamed("hardware", Topics.NODES, SEEN_WITH_HARDWARE);
        addNamed("fencing", Topics.NODES, SEEN_FENCING);
        addNamed("unhealthy", Topics.NODES, SEEN_UNHEALTHY);
        addNamed("life", Topics.NODES, SEEN.in(new NodeSeen.Life("spool-1", 1_795_000_000_000L)));
        addNamed(
                "keys",
                Topics.NODES,
                SEEN.by("MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
                        .sealing("MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="));
        addNamed(
                "gpus",
                Topics.HEARTBEATS,
                new Heartbeat(NODE, 4, 3, List.of(RUN), 250, 12_000, List.of(SAMPLE), List.of()));
        addNamed(
                "used",
                Topics.HEARTBEATS,
                new Heartbeat(
                        NODE,
                        4,
                        3,
                        List.of(RUN),
                        250,
                        12_000,
                        List.of(),
                        List.of(new RunUsage(RUN, new Consumption(8000, 512, 64L, 32L)))));
        addNamed(
                "steps",
                Topics.HEARTBEATS,
                using(new StepUsage(3, 4, 7000, 300, null, null, null)));
        addNamed(
                "named-steps",
                Topics.HEARTBEATS,
                using(new StepUsage(3, 4, 7000, 300, "python", 1_700_000_000_000L, null)));
        addNamed(
                "steps-by-task",
                Topics.HEARTBEATS,
                using(new StepUsage(3, 2, 7000, 300, "python", 1_700_000_000_000L, OF_TASKS)));
        addNamed(
                "io",
                Topics.RUNS,
                new RunReport.Ended(
                        RUN,
                        NODE,
                        4,
                        3,
                        RunReport.Cause.EXITED,
                        EXIT,
                        new Consumption(8000, 512, 64L, 32L),
                        "GPU 0 failed"));
        addNamed(
                "energy",
                Topics.RUNS,
                new RunReport.Ended(
                        RUN,
                        NODE,
                        4,
                        3,
                        RunReport.Cause.EXITED,
                        EXIT,
                        new Consumption(8000, 512).with(GPU),
                        null));
        addNamed(
                "steps",
                Topics.RUNS,
                new RunReport.Ended(
                                RUN,
                                NODE,
                                4,
                                3,
                                RunReport.Cause.EXITED,
                                EXIT,
                                new Consumption(8000, 512),
                                null)
                        .with(STEPS));
        addNamed("prolog", Topics.RUNS, runEnded("the prolog ended with 4").draining("prolog: 4"));
        add(Topics.RUNS, new RunReport.Suspended(RUN, NODE, 4, 6, 1));
        add(Topics.RUNS, new RunReport.CheckpointSaved(RUN, NODE, 4, 6, 900));
        add(Topics.RUNS, new RunReport.NotSuspended(RUN, NODE, 4, 6, 1, "no freezer"));
        add(Topics.RUNS, new RunReport.GpusUnderused(RUN, NODE, 4, 6, 3, 1800));
        add(Topics.RUNS, new RunReport.GpusUsedAgain(RUN, NODE, 4, 6));
        addNamed(
                "suspended",
                Topics.NODES,
                new NodeSeen(
                        NODE,
                        "nonce-3",
                        "machine-1",
                        "boot-1",
                        "0.2.0",
                        INVENTORY,
                        List.of(new HeldRun(RUN, HeldRun.Phase.SUSPENDED)),
                        9));
        addNamed(
                "gpu",
                Topics.RUNS,
                new RunReport.Ended(
                        RUN,
                        NODE,
                        4,
                        3,
                        RunReport.Cause.GPU_FAILED,
                        new ExitStatus(0, 15),
                        new Consumption(8000, 512),
                        "GPU GPU-a1 failed: XID 79, the GPU has fallen off the bus"));
    }

    private static Inventory withHardware(List<Integer> cores) {
        var whole =
                new GpuHardware(
                        GpuHardware.Vendor.NVIDIA,
                        "0000:07:00.0",
                        "1560521",
                        "8.0",
                        IndexSet.parse("48-63"),
                        400,
                        true,
                        Map.of("0000:c4:00.0", 2),
                        new GpuHardware.Fabric("8d2c1b7e-0000-0000-0000-00000000beef", 3),
                        null,
                        null);
        var slice =
                new GpuHardware(
                        GpuHardware.Vendor.NVIDIA,
                        "0000:0f:00.0",
                        null,
                        null,
                        null,
                        null,
                        null,
                        Map.of(),
                        null,
                        new GpuHardware.MigInstance("GPU-a2", 7, 0, IndexSet.parse("66-67")),
                        null);
        return new Inventory(
                2,
                32,
                2,
                128,
                1_031_000,
                List.of(
                        new Gpu(0, "GPU-a1", "a100", "NVIDIA A100-SXM4-40GB", 2, 40_960, 3, whole),
                        new Gpu(1, "MIG-b1", "a100_1g.5gb", "MIG 1g.5gb", 3, 4864, 3, slice)),
                List.of(Isolation.DEVICES),
                false,
                null,
                "Linux 6.1",
                "amd64",
                new GpuLinks(List.of("X NV12", "NV12 X")),
                new Hardware(
                        List.of(new Hardware.NumaNode(0, IndexSet.parse("0-63"), 515_000)),
                        List.of(new Hardware.HugePages(2048, 512)),
                        900_000,
                        List.of(
                                new Hardware.GpuDriver(
                                        GpuHardware.Vendor.NVIDIA, "550.54.15", "12.4", null)),
                        List.of(
                                new Hardware.OutOfService(
                                        2,
                                        "GPU-a3",
                                        "0000:47:00.0",
                                        Hardware.Health.LOST,
                                        "the GPU does not answer")),
                        null,
                        cores));
    }

    private static RunReport.Ended runEnded(@Nullable String message) {
        return new RunReport.Ended(
                RUN,
                NODE,
                4,
                3,
                RunReport.Cause.LAUNCH_FAILED,
                EXIT,
                new Consumption(8000, 512),
                message);
    }

    /// A heartbeat of a node on which a run uses that in a step.
    private static Heartbeat using(StepUsage step) {
        return new Heartbeat(
                NODE,
                4,
                3,
                List.of(RUN),
                250,
                12_000,
                List.of(),
                List.of(new RunUsage(RUN, new Consumption(8000, 512), List.of(step))));
    }
}
