package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Hold;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.simulation.SimulatedAgent.Divides;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/// One cell with its agents on virtual time: the real engine over a log in memory, with rounds that
/// are lost before their commit, agents that die and come back, machines that reboot, and reports
/// that come twice. Every step checks the invariants.
final class SimulatedCell {

    private static final int NODES = 3;
    private static final int JOBS = 25;

    /// Of each array.
    private static final int TASKS = 3;

    private static final long MOST_BACKOFF = 64 * 60_000;

    private final Random random;
    private final CellTraits traits;
    private final SimulatedJobs jobs;
    private boolean calm;
    private final List<Input> log = new ArrayList<>();
    private final List<SimulatedAgent> agents = new ArrayList<>();
    private final TreeMap<JobId, JobStatus> jobStates = new TreeMap<>();
    private final TreeMap<NodeName, NodeStatus> nodeStates = new TreeMap<>();
    private final TreeSet<JobId> submitted = new TreeSet<>();
    private final TreeMap<JobId, JobEvent.Ended> ended = new TreeMap<>();
    private final TreeMap<RunId, TreeSet<NodeName>> codeStarted = new TreeMap<>();
    private final CellLaws laws;
    private final PreemptionLaws preemption;
    private final Follower follower = new Follower();
    private CellState state = new CellState();
    private final Settings settings;
    private Placement placement;
    private final Rerun rerun;
    private Pass pass = Pass.START;

    /// Whether expected starts have passed long ago, upon each of which a service plans anew.
    private boolean overdue;

    private int committed;
    private int divisions;
    private int rounds;
    private long now = 1_000_000;

    SimulatedCell(long seed) {
        this(seed, false);
    }

    /// @param urgent whether jobs take the place of others in any case, and for deadlines too
    SimulatedCell(long seed, boolean urgent) {
        random = new Random(seed);
        // A fifth of all cells: it takes as long again as the cell itself.
        rerun = new Rerun(seed % 5 == 0 ? new Random(seed).nextInt(12) : Integer.MAX_VALUE);
        // In another fifth passes are cut off, again and again.
        settings =
                seed % 5 == 1 ? Settings.DEFAULT.with(1 + (int) (seed / 5 % 3)) : Settings.DEFAULT;
        placement = new Placement(state, settings);
        traits = CellTraits.of(seed, urgent, random);
        jobs = new SimulatedJobs(traits, random, new Random(seed));
        laws = new CellLaws(traits, agents);
        preemption = new PreemptionLaws(traits.configuration(), traits.limited());
        log.add(new Input.Configured(traits.configuration()));
        for (int i = 1; i <= NODES; i++) {
            agents.add(
                    new SimulatedAgent(
                            "n" + i,
                            "machine-" + i,
                            traits.mixed() && i > 1 ? "a100+v100" : "a100",
                            traits::machine,
                            this::report,
                            () -> random.nextInt(8) == 0,
                            () -> random.nextInt(8) == 0,
                            traits.dividing() ? this::divides : null));
        }
    }

    private Divides divides() {
        return calm ? Divides.AT_ONCE : Divides.values()[random.nextInt(Divides.values().length)];
    }

    /// So many rounds were decided, those that were lost too.
    int rounds() {
        return rounds;
    }

    /// So often a job gave way for another one.
    int preemptions() {
        return preemption.preemptions();
    }

    /// So often a job gave back what it had borrowed.
    int reclaims() {
        return preemption.reclaims();
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
            if (step % 1_000 == 999 && traits.dividing()) {
                skipBackoff(); // What failed before is told only when its node is back.
            }
            calmStep();
            check();
        }
        assertThat(ended.keySet()).as("every accepted job ends").isEqualTo(submitted);
        ended.values().forEach(CellLaws::checkBooks);
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
        if (traits.dividing()) {
            skipBackoff();
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

    private void skipBackoff() {
        now += MOST_BACKOFF;
        overdue = true;
    }

    private void submit() {
        if (submitted.size() == JOBS) {
            return;
        }
        var job = new JobId(submitted.size() + 1);
        JobDescription description = jobs.description(job, now);
        submitted.add(job);
        JobArray array = null;
        if (job.value() % 6 == 2 && submitted.size() + TASKS <= JOBS) {
            long last = job.value() + TASKS - 1;
            for (long id = job.value() + 1; id <= last; id++) {
                submitted.add(new JobId(id));
            }
            array =
                    new JobArray(
                            IndexSet.parse("0-" + (TASKS - 1)),
                            1 + (int) (job.value() % 2),
                            List.of(new JobArray.Ids(job.value(), last)));
        }
        var components = new ArrayList<JobDescription>();
        // Every sixth job is a heterogeneous one.
        boolean alone = traits.inOwnBlocks() && description.partition().equals("urgent");
        int others =
                job.value() % 6 != 4 || alone ? 0 : traits.limited() ? 1 : 1 + random.nextInt(2);
        for (int i = 0; i < others && submitted.size() < JOBS; i++) {
            submitted.add(new JobId(submitted.size() + 1));
            components.add(jobs.component(description));
        }
        append(
                new Input.Asked(
                        new Submission.Submitted(
                                job,
                                description,
                                "alice",
                                new SpecReference(0, 0, "00"),
                                null,
                                array,
                                components),
                        log.size()));
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
            SetLaws.checkStarted(jobStates::get, this::prepared, run);
            assertThat(codeStarted.computeIfAbsent(run, _ -> new TreeSet<>()).add(agent.node))
                    .as("run %s starts once on %s", run, agent.node)
                    .isTrue();
        }
        if (agent.mustRegister()) {
            register(agent);
        }
    }

    private boolean prepared(RunId run, NodeName node) {
        return agents.stream().anyMatch(it -> it.node.equals(node) && it.prepared(run));
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
        CellLaws.checkRound(state, placed, now, placement.next(now));
        SetLaws.check(state);
        facts.addAll(placed);
        return facts;
    }

    /// What has been kept from round to round explains and decides the same as the state alone.
    private List<Fact> placed() {
        pass = random.nextInt(3) == 0 || overdue ? Pass.PLAN : Pass.START;
        overdue = false;
        var alone = new Placement(state, settings);
        if (rounds % 4 == 0) {
            for (JobId job : state.eligible()) {
                assertThat(placement.explain(job, now)).isEqualTo(alone.explain(job, now));
            }
        }
        List<Fact> byTheState = Engine.place(state, alone, now, pass);
        List<Fact> decided = Engine.place(state, placement, now, pass);
        if (!decided.equals(byTheState)) {
            assertThat(decided).as("decided by what was kept alone").allMatch(byTheState::contains);
            assertThat(byTheState).as("decided by the state alone").allMatch(decided::contains);
        }
        assertThat(decided).isEqualTo(byTheState);
        rounds++;
        preemption.decided(state, decided, pass, now);
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
                    preemption.said(event);
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
        placement = new Placement(state, settings);
    }

    private CellState rebuilt() {
        var rebuilt = new CellState();
        if (committed > 0) {
            rebuilt.replay(new Fact.ConfigurationTaken(traits.configuration()));
        }
        nodeStates.values().forEach(status -> rebuilt.replay(new Fact.NodeChanged(status)));
        jobStates.values().forEach(status -> rebuilt.replay(new Fact.JobChanged(status)));
        return rebuilt;
    }

    private void check() {
        if (random.nextInt(8) == 0) {
            checkRebuilt();
        }
        laws.check(state);
    }

    private void checkRebuilt() {
        CellState other = rebuilt();
        assertThat(List.copyOf(other.jobs())).isEqualTo(List.copyOf(state.jobs()));
        assertThat(List.copyOf(other.nodes())).isEqualTo(List.copyOf(state.nodes()));
        assertThat(other.pending()).isEqualTo(state.pending());
        assertThat(other.eligible()).isEqualTo(state.eligible());
    }
}
