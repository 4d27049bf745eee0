package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.CONFIG;
import static io.berth.simulation.SimulatedPlacement.NODE_REQUESTS;
import static io.berth.simulation.SimulatedPlacement.RANKINGS;
import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.accounting.db.Ledger;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.RunId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Submission;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.core.testing.TestCell;
import io.berth.simulation.SimulatedClients.Group;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A whole mesh on virtual time: gateways, priority, two instances of placement, agents and books
/// around one [SimulatedLog]. A story of numbers says what happens to it, step by step; the
/// invariants of `docs/faults.md` are asserted after each.
final class SimulatedMesh {

    private static final int NODES = 3;

    /// One more than there are nodes: another one goes by the name of the first.
    private static final int MACHINES = NODES + 1;

    private static final long HOUR = 3_600_000;

    /// What happens by itself happens at least so often.
    private static final long MOST_UNHEARD_MILLIS = 5_000;

    private final SimulatedLog log;
    private final boolean tells;
    private final List<PlacementInstance> placements;

    /// Null where ranks are made up.
    private final @Nullable Rankers rankers;

    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final MeshUsers users;
    private final Heard heard;
    private final List<MeshNode> nodes = new ArrayList<>();
    private final List<SimulatedBooks.Batch> batches = new ArrayList<>();
    private final SimulatedBooks books;
    private final MeshAuditor auditor = new MeshAuditor();
    private final TreeMap<RunId, TreeSet<NodeName>> codeStarted = new TreeMap<>();
    private final TreeMap<JobId, Long> versions = new TreeMap<>();
    private final List<String> told = new ArrayList<>();
    private Random random = new Random(0);
    private Configuration configuration = TestCell.configuration();
    private boolean rankerSeesLog = true;
    private boolean booksSeeLog = true;
    private long now = 1_000_000;

    /// @param tells whether it keeps in words what happens
    /// @param services whether they are models
    SimulatedMesh(SimulatedLog log, boolean tells, Services services) {
        this.log = log;
        this.tells = tells;
        RandomGenerator chance = () -> random.nextLong();
        if (services == Services.MODELLED) {
            placements = List.of(new SimulatedPlacement(log), new SimulatedPlacement(log));
            rankers = null;
            users = new SimulatedUsers(log, this::tell, () -> now);
        } else {
            var group = new Group();
            Supplier<PlacementInstance> instance =
                    () ->
                            new ServicePlacement(
                                    log, group, chance, () -> now, auditor::state, meters);
            placements = List.of(instance.get(), instance.get());
            rankers = new Rankers(log, chance, () -> now);
            users = new ServiceUsers(log, this::tell, chance, () -> now);
        }
        heard = new Heard(log);
        books = new SimulatedBooks(log, services == Services.REAL ? new Ledger() : null);
        log.now(now);
        configure();
        for (int i = 0; i < MACHINES; i++) {
            String name = "n" + (i % NODES + 1);
            String machine = "machine-" + i;
            nodes.add(
                    services == Services.MODELLED
                            ? new SimulatedNode(name, machine, log, () -> random.nextInt(8) == 0)
                            : new ServiceNode(
                                    name,
                                    machine,
                                    log,
                                    heard,
                                    () -> auditor.position(SimulatedPlacement.NODES),
                                    chance,
                                    () -> now));
        }
    }

    /// What gateways, placement, priority and agents are in it.
    enum Services {
        /// Models of what they do with the log, around the real engine.
        MODELLED,
        /// The services themselves, on clients of the simulated log.
        REAL
    }

    /// What happened, in words.
    List<String> told() {
        return told;
    }

    /// Trouble as the story has it, then calm until every job is over.
    void live(List<Long> story) {
        try {
            for (long step : story) {
                random = new Random(step);
                goOn();
                trouble();
                check();
            }
            random = new Random(story.size());
            calm();
            for (int step = 0; step < 2_000 && !over(); step++) {
                calmStep();
                check();
            }
            checkEnd();
        } finally {
            placements.forEach(PlacementInstance::die);
            nodes.forEach(MeshNode::end);
            users.die();
            if (rankers != null) {
                rankers.die();
            }
        }
    }

    private void tell(Object... words) {
        if (tells) {
            told.add(Stream.of(words).map(String::valueOf).collect(Collectors.joining()));
        }
    }

    /// Services go on while something happens to others.
    private void goOn() {
        if (rankers != null) {
            if (random.nextBoolean()) {
                rankers.trouble(random);
            }
            if (random.nextInt(3) == 0) {
                round(placements.get(random.nextInt(2)));
            }
            users.goOn(random);
            obey(anyNode(), random.nextInt(3) == 0);
            if (random.nextInt(8) == 0) {
                anyNode().reportUnheard();
            }
        }
    }

    private void trouble() {
        MeshNode node = anyNode();
        switch (random.nextInt(30)) {
            case 0, 1 -> users.request(random);
            case 2 -> users.repeat(random);
            case 3 -> users.land(random);
            case 4 -> users.restartGateway(random);
            case 5 -> rank();
            case 6 -> ask();
            case 7 -> {
                tell(node, ": agent is killed");
                node.kill();
            }
            case 8, 9 -> register(node);
            case 10 -> exit(node, random.nextInt(4) == 0 ? 1 : 0);
            case 11 -> lose(node);
            case 12 -> {
                // Agents that are services do nothing as long as they are.
                boolean cut = random.nextInt(rankers == null ? 2 : 4) == 0;
                tell(node, cut ? " is cut off" : " is connected");
                node.cutOff(cut);
            }
            case 13 -> elect(random.nextInt(2));
            case 14 -> {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        tell("placement dies");
                        placements.get(random.nextInt(2)).die();
                    }
                    case 1 -> {
                        tell("an open transaction is ended");
                        log.timeOut(SimulatedPlacement.ID);
                    }
                    default -> {}
                }
            }
            case 15 -> {
                tell("tables are compacted");
                heard.read();
                log.compact(SimulatedPlacement.TABLES);
            }
            case 16 -> {
                if (booksSeeLog) {
                    batches.add(books.read());
                }
            }
            case 17 -> keepBooks();
            case 18 -> pass(random.nextInt(20_000));
            case 19, 20, 21, 22 -> round(placements.get(random.nextInt(2)));
            case 23 -> {
                if (random.nextBoolean()) {
                    node.reportUnheard();
                } else {
                    node.report(1);
                }
            }
            case 24 -> {
                if (random.nextInt(3) == 0) {
                    configure();
                } else {
                    skew();
                }
            }
            case 25 -> cutOff();
            default -> obey(node, false);
        }
    }

    /// Priorities are weighed in another way from now on.
    private void configure() {
        configuration =
                TestCell.configuration(
                        configuration.revision() + 1,
                        new Weights(1000, 10000, random.nextInt(1000), 0, random.nextInt(1000)));
        tell("revision ", configuration.revision(), " of the configuration");
        for (ConfigEntry entry : configuration.entries()) {
            log.append(CONFIG, Topics.CONFIG.key().apply(entry), entry);
        }
    }

    /// Somebody's clock goes wrong: placement's by too much, now and then.
    private void skew() {
        if (random.nextBoolean()) {
            users.skewGateway(random);
        } else {
            int which = random.nextInt(2);
            long most = random.nextInt(4) == 0 ? HOUR : SimulatedPlacement.MOST_SKEW_MILLIS;
            long skew = random.nextLong(-most, most + 1);
            tell("the clock of placement ", which, " is off by ", skew, " ms");
            placements.get(which).skew(skew);
        }
    }

    /// Somebody cannot reach the log any more, or can again, whatever the others can.
    private void cutOff() {
        boolean cut = random.nextBoolean();
        switch (random.nextInt(4)) {
            case 0 -> users.cutOffGateway(cut, random);
            case 1 -> rankerSeesLog = !cut;
            case 2 -> booksSeeLog = !cut;
            default -> {
                int which = random.nextInt(2);
                tell("placement ", which, cut ? " is cut off" : " is connected");
                placements.get(which).cutOff(cut);
            }
        }
    }

    private void pass(long millis) {
        for (long left = millis; left > 0; left -= MOST_UNHEARD_MILLIS) {
            now += Math.min(left, MOST_UNHEARD_MILLIS);
            log.now(now);
            nodes.forEach(MeshNode::look);
        }
    }

    private MeshNode anyNode() {
        return nodes.get(random.nextInt(MACHINES));
    }

    private void write(Submission submission) {
        log.append(SUBMISSIONS, submission.job().toString(), submission);
    }

    private @Nullable JobId anyJob() {
        List<JobId> jobs = List.copyOf(auditor.queued());
        return jobs.isEmpty() ? null : jobs.get(random.nextInt(jobs.size()));
    }

    /// The next version of a job's rank, or one that an instance wrote that stood still meanwhile.
    private void rank() {
        if (rankers != null) {
            rankers.trouble(random);
            return;
        }
        JobId job = anyJob();
        if (job != null && rankerSeesLog) {
            long version = versions.merge(job, 1L, Long::sum);
            if (random.nextInt(3) == 0) {
                version = random.nextLong(version);
            }
            tell("job ", job, " is ranked, version ", version);
            log.append(
                    RANKINGS,
                    job.toString(),
                    new Ranked(job, new Rank(version, random.nextInt(1000), 0, 0, 0, 0, 0)));
        }
    }

    private void ask() {
        JobId job = anyJob();
        if (random.nextInt(3) == 0) {
            NodeName node = anyNode().name();
            NodeRequest asked =
                    switch (random.nextInt(4)) {
                        case 0 -> new NodeRequest.DrainRequested(node, "root", "fan");
                        case 1 -> {
                            // His word is proof: he has switched it off.
                            boolean spoolLost = random.nextBoolean();
                            nodes.stream()
                                    .filter(it -> it.name().equals(node))
                                    .forEach(it -> it.reboot(spoolLost));
                            yield new NodeRequest.DownRequested(node, "root", "fan");
                        }
                        default -> new NodeRequest.ResumeRequested(node, "root");
                    };
            tell(asked);
            log.append(NODE_REQUESTS, node.value(), asked);
        } else if (job != null) {
            Submission asked =
                    switch (random.nextInt(6)) {
                        case 0 -> new Submission.Held(job, "alice", Hold.USER);
                        case 1 -> new Submission.Released(job, "root", Hold.ADMIN);
                        case 2 ->
                                new Submission.RequeueRequested(job, "alice", random.nextBoolean());
                        case 3 -> new Submission.SuspendRequested(job, "root");
                        case 4 -> new Submission.ResumeRequested(job, "root");
                        default -> new Submission.CancelRequested(job, "alice");
                    };
            tell(asked);
            users.ask(asked, random);
        }
    }

    private void register(MeshNode node) {
        tell(node, " registers");
        node.register();
    }

    private void exit(MeshNode node, int code) {
        RunId run = node.exit(code);
        if (run != null) {
            tell(node, ": run ", run, " exits with ", code);
        }
    }

    private void lose(MeshNode node) {
        switch (random.nextInt(6)) {
            case 0 -> {
                boolean spoolLost = random.nextBoolean();
                tell(node, " reboots", spoolLost ? ", its spool is lost" : "");
                node.reboot(spoolLost);
            }
            case 1 -> {
                tell(node, " ends its runs, for it is not heard");
                pass(node.fence());
            }
            case 2 -> {
                tell(node, " is shut down");
                node.shutDown();
            }
            case 3 -> {
                tell(node, " is down if it is not heard");
                node.silentForLong();
            }
            case 4 -> {
                if (node.copied(auditor.state())) {
                    tell("a copy of ", node, " registers");
                }
            }
            default -> {}
        }
    }

    private void obey(MeshNode node, boolean all) {
        for (RunId run : node.obey(all)) {
            tell(node, ": run ", run, " starts");
            auditor.started(run, this::prepared);
            assertThat(codeStarted.computeIfAbsent(run, _ -> new TreeSet<>()).add(node.name()))
                    .as("run %s starts once on %s", run, node.name())
                    .isTrue();
        }
    }

    private boolean prepared(RunId run, NodeName node) {
        return nodes.stream().anyMatch(it -> it.name().equals(node) && it.prepared(run));
    }

    /// The one before is not told: it learns it from the log.
    private void elect(int which) {
        if (!placements.get(which).leading() && placements.get(which).lead()) {
            tell("placement ", which, " leads");
        }
    }

    private void round(PlacementInstance placement) {
        boolean whole = random.nextInt(3) != 0;
        committed(
                whole
                        ? placement.wholeRound(now, this::presences, random)
                        : placement.step(now, this::presences, random));
        placement.assertRebuilds(random);
    }

    private void committed(List<Message> messages) {
        auditor.read(messages, now);
        for (Message message : messages) {
            switch (message.value()) {
                case JobEvent event -> tell("placement: ", event);
                case Order order -> tell("placement: ", order);
                case JobStatus job -> checkLost(job);
                case null, default -> {}
            }
        }
        if (random.nextInt(24) == 0) {
            var late = new CellState();
            SimulatedPlacement.rebuild(log, late);
            auditor.assertKnownTo(late);
        }
    }

    /// A run whose end stands in the log, or that runs, is not taken for lost. A component of a
    /// heterogeneous job may end for what another one has lost.
    private void checkLost(JobStatus job) {
        Run run = job.run();
        String why = run == null || run.outcome() == null ? null : run.outcome().message();
        if (run == null
                || why == null
                || !why.endsWith(" came back without the run")
                || job.description().het() != null) {
            return;
        }
        var id = new RunId(job.job(), run.lease());
        for (MeshNode node : nodes) {
            boolean named = why.startsWith("node " + node.name() + " ");
            assertThat(named && node.toldEnd(id))
                    .as("the end of run %s is not known, and %s has told it", id, node)
                    .isFalse();
            assertThat(named && node.scripts().contains(id))
                    .as("run %s is taken for lost, and runs on %s", id, node)
                    .isFalse();
        }
    }

    /// Of the machines that have the names of nodes.
    private Map<NodeName, Presence> presences(CellState state) {
        var presences = new TreeMap<NodeName, Presence>();
        for (MeshNode node : nodes) {
            state.node(node.name())
                    .filter(node::registered)
                    .ifPresent(it -> presences.put(node.name(), node.presence(it)));
        }
        return presences;
    }

    private void keepBooks() {
        if (!batches.isEmpty()) {
            SimulatedBooks.Batch batch = batches.remove(random.nextInt(batches.size()));
            if (random.nextInt(4) != 0) {
                books.enter(batch);
            }
        }
    }

    /// Nobody is cut off or holds anything any more; what was on its way has come, and who has no
    /// answer asks again.
    private void calm() {
        tell("calm");
        nodes.forEach(it -> it.cutOff(false));
        placements.forEach(it -> it.cutOff(false));
        placements.forEach(it -> it.skew(0));
        rankerSeesLog = true;
        booksSeeLog = true;
        users.calm(random);
        nodes.stream().filter(MeshNode::unanswered).forEach(this::register);
        nodes.forEach(it ->
                log.append(
                        NODE_REQUESTS,
                        it.name().value(),
                        new NodeRequest.ResumeRequested(it.name(), "root")));
        if (placements.stream().noneMatch(PlacementInstance::leading)) {
            elect(0);
        }
        if (rankers != null) {
            rankers.settle();
            rankers.assertRanked(auditor.state(), configuration);
        }
    }

    /// Everybody does what there is to do.
    private void calmStep() {
        pass(200);
        users.calm(random);
        for (MeshNode node : nodes) {
            if (node.refusedItsOwn(auditor.state())) {
                // Somebody looks at it.
                node.kill();
            }
            if (!node.alive()) {
                register(node);
            }
            obey(node, true);
            exit(node, 0);
            node.report(10);
        }
        if (rankers != null) {
            rankers.calm(auditor, configuration);
        }
        if (random.nextInt(10) == 0) {
            auditor.queued().forEach(this::release);
        }
        placements.forEach(this::round);
        if (placements.stream().noneMatch(PlacementInstance::leading)) {
            elect(random.nextInt(2));
        }
    }

    private void release(JobId job) {
        if (!auditor.hasEnded(job)) {
            write(new Submission.Released(job, "root", Hold.ADMIN));
            write(new Submission.ResumeRequested(job, "root"));
        }
    }

    private boolean over() {
        return auditor.queued().stream().allMatch(auditor::hasEnded)
                && users.answered()
                && users.acknowledged().stream().allMatch(auditor::hasEnded)
                && nodes.stream().noneMatch(MeshNode::hasReports)
                && unsettled().isEmpty();
    }

    private List<MeshNode> unsettled() {
        return nodes.stream().filter(it -> !it.settled(auditor.state())).toList();
    }

    private void check() {
        users.check();
        var leases = new TreeMap<JobId, Integer>();
        for (MeshNode node : nodes) {
            for (RunId run : node.scripts()) {
                Integer other = leases.putIfAbsent(run.job(), run.lease());
                assertThat(other == null || other == run.lease())
                        .as("leases %s and %s run at once", other, run)
                        .isTrue();
            }
        }
    }

    private void checkEnd() {
        assertThat(users.acknowledged()).as("acknowledged jobs end").allMatch(auditor::hasEnded);
        assertThat(auditor.queued())
                .as("one job for each request at most")
                .hasSizeLessThanOrEqualTo(users.wanted());
        assertThat(unsettled()).as("nodes that placement does not know as they are").isEmpty();
        assertThat(over()).as("every job ends").isTrue();
        batches.forEach(books::enter);
        books.enter(books.read());
        books.assertBalance(auditor.ended());
        var late = new CellState();
        SimulatedPlacement.rebuild(log, late);
        auditor.assertKnownTo(late);
        assertThat(late.holding()).isEmpty();
        users.checkEnd(auditor, late);
        if (rankers != null) {
            rankers.settle();
            rankers.assertRanked(late, configuration);
            rankers.assertNoOtherRanked(late);
        }
        assertThat(log.end(Topics.deadLetters("placement-service").name())).isZero();
        assertThat(log.end(Topics.deadLetters("submit-service").name())).isZero();
        assertThat(meters.find("berth.placement.failed.decisions").counters())
                .allMatch(it -> it.count() == 0);
    }
}
