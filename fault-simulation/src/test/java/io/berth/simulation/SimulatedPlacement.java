package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.LogPosition;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.simulation.SimulatedLog.FencedOff;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// An instance of placement: what the service does with the log around the real engine. A round is
/// taken in steps, and between any two it may stand still, be succeeded, or die.
final class SimulatedPlacement implements PlacementInstance {

    /// Of its transactions.
    static final String ID = "berth-placement-0";

    static final String SUBMISSIONS = Topics.SUBMISSIONS.name();
    static final String RANKINGS = Topics.RANKINGS.name();
    static final String RUNS = Topics.RUNS.name();
    static final String NODES = Topics.NODES.name();
    static final String NODE_REQUESTS = Topics.NODE_REQUESTS.name();
    static final String CONFIG = Topics.CONFIG.name();
    static final String JOBS = Topics.JOBS.name();
    static final String JOB_STATES = Topics.JOB_STATES.name();
    static final String NODE_STATES = Topics.NODE_STATES.name();
    static final String CELL_STATES = Topics.CELL_STATES.name();
    static final String ORDERS = Topics.PLACEMENTS.name();

    /// Those that are kept by key.
    static final List<String> TABLES =
            List.of(RANKINGS, NODES, CONFIG, JOB_STATES, NODE_STATES, CELL_STATES);

    private static final List<String> INPUTS =
            List.of(CONFIG, SUBMISSIONS, RANKINGS, RUNS, NODES, NODE_REQUESTS);

    /// Before the first round.
    static final CellStatus CELL_BEFORE = new CellStatus(0, 0, 0, List.of(), 0, 0, "");

    private record Write(String topic, String key, @Nullable Object value) {}

    /// What heartbeats say of the nodes that are known.
    interface Heartbeats {
        Map<NodeName, Presence> say(CellState state);
    }

    /// A leader whose clock is further off ends before it decides anything.
    static final long MOST_SKEW_MILLIS = 2_000;

    private final SimulatedLog log;
    private long skewMillis;
    private boolean cutOff;
    private final Queue<Write> writes = new ArrayDeque<>();
    private CellStatus cell = CELL_BEFORE;
    private CellState state = new CellState();
    private ConfigurationAssembler assembler = new ConfigurationAssembler();
    private @Nullable Placement placement;
    private long epoch;
    private boolean leading;

    /// A round is decided, and not committed yet as far as it knows.
    private boolean open;

    SimulatedPlacement(SimulatedLog log) {
        this.log = log;
    }

    @Override
    public void skew(long millis) {
        skewMillis = millis;
    }

    private boolean clockIsOff() {
        return Math.abs(skewMillis) > MOST_SKEW_MILLIS;
    }

    @Override
    public void cutOff(boolean now) {
        cutOff = now;
    }

    @Override
    public boolean leading() {
        return leading;
    }

    @Override
    public void die() {
        leading = false;
    }

    /// Is elected: fences its predecessor, and begins from the log alone. Whether it leads.
    @Override
    public boolean lead() {
        if (cutOff || clockIsOff()) {
            return false;
        }
        epoch = log.initTransactions(ID);
        writes.clear();
        open = false;
        state = new CellState();
        cell = CELL_BEFORE;
        assembler = new ConfigurationAssembler();
        for (Message message : log.read(CELL_STATES, 0)) {
            if (message.value() instanceof CellStatus last) {
                cell = last;
            }
        }
        for (Message message : log.read(CONFIG, 0)) {
            if (message.value() instanceof ConfigEntry it && before(message)) {
                assembler
                        .add(it)
                        .ifPresent(whole -> state.replay(new Fact.ConfigurationTaken(whole)));
            }
        }
        rebuild(log, state);
        for (Message message : log.read(RANKINGS, 0)) {
            if (message.value() instanceof Ranked it
                    && before(message)
                    && state.job(it.job()).isEmpty()) {
                state.replay(new Fact.RankKept(it.job(), it.rank()));
            }
        }
        state.seenUpTo(cell.highestJob());
        placement = new Placement(state, Settings.DEFAULT);
        leading = true;
        return true;
    }

    private static Map<String, Long> positions(CellStatus cell) {
        var positions = new TreeMap<String, Long>();
        cell.inputs().forEach(it -> positions.put(it.topic(), it.offset()));
        return positions;
    }

    private boolean before(Message message) {
        return message.offset() < positions(cell).getOrDefault(message.topic(), 0L);
    }

    /// Replays the tables of jobs and nodes, as they are in the log.
    static void rebuild(SimulatedLog log, CellState state) {
        log.read(NODE_STATES, 0).forEach(it -> replay(it, state));
        log.read(JOB_STATES, 0).forEach(it -> replay(it, state));
    }

    static void replay(Message message, CellState state) {
        if (message.value() instanceof NodeStatus it) {
            state.replay(new Fact.NodeChanged(it));
        } else if (message.value() instanceof JobStatus it) {
            state.replay(new Fact.JobChanged(it));
        } else if (message.value() == null && message.topic().equals(JOB_STATES)) {
            state.replay(new Fact.JobForgotten(new JobId(Long.parseLong(message.key()))));
        }
    }

    /// The next step of a round: decides one, writes some of it, or commits it. What was committed.
    ///
    /// @param now the time that is right
    /// @param heartbeats asked when the inputs are decided
    @Override
    public List<Message> step(long now, Heartbeats heartbeats, RandomGenerator random) {
        if (!awake()) {
            return List.of();
        }
        try {
            if (!open) {
                decide(now, heartbeats, random);
            }
            send(random.nextInt(4) == 0 ? random.nextInt(writes.size() + 1) : writes.size());
            return writes.isEmpty() && random.nextInt(4) != 0 ? commit(random) : List.of();
        } catch (FencedOff e) {
            die();
            return List.of();
        }
    }

    @Override
    public List<Message> wholeRound(long now, Heartbeats heartbeats, RandomGenerator random) {
        var committed = new ArrayList<Message>();
        if (!awake()) {
            return committed;
        }
        try {
            if (open) {
                send(writes.size());
                committed.addAll(commit(random));
            }
            if (!open && awake()) {
                decide(now, heartbeats, random);
                send(writes.size());
                committed.addAll(commit(random));
            }
            return committed;
        } catch (FencedOff e) {
            die();
            return committed;
        }
    }

    /// Whether it leads and can do anything. Between two rounds it compares the clocks.
    private boolean awake() {
        if (leading && !cutOff && !open && clockIsOff()) {
            die();
        }
        return leading && !cutOff;
    }

    private void send(int some) throws FencedOff {
        for (int i = 0; i < some; i++) {
            Write write = writes.remove();
            log.send(ID, epoch, write.topic(), write.key(), write.value());
        }
    }

    /// A commit without an answer may have happened: it is asked for again.
    private List<Message> commit(RandomGenerator random) throws FencedOff {
        List<Message> committed = log.commit(ID, epoch);
        open = random.nextInt(16) == 0;
        return committed;
    }

    private void decide(long right, Heartbeats heartbeats, RandomGenerator random) {
        open = true;
        long now = Math.max(cell.cellTime(), right + skewMillis);
        var facts = new ArrayList<Fact>();
        Map<String, Long> positions = positions(cell);
        for (String topic : INPUTS) {
            take(topic, positions, facts, now, random);
        }
        heartbeats
                .say(state)
                .forEach((node, presence) ->
                        apply(new Input.PresenceChanged(node, presence), facts, now));
        keep(Engine.due(state, now), facts);
        Pass pass = random.nextInt(3) == 0 ? Pass.PLAN : Pass.START;
        if (placement != null) {
            keep(Engine.place(state, placement, now, pass), facts);
        }
        List<LogPosition> inputs =
                positions.entrySet().stream()
                        .map(it -> new LogPosition(it.getKey(), "", 0, it.getValue()))
                        .toList();
        cell =
                new CellStatus(
                        0,
                        cell.round() + 1,
                        now,
                        inputs,
                        state.highestJob(),
                        state.configuration().map(Configuration::revision).orElse(0L),
                        "");
        facts.forEach(this::write);
        writes.add(new Write(CELL_STATES, "0", cell));
    }

    private void take(
            String topic,
            Map<String, Long> positions,
            List<Fact> facts,
            long now,
            RandomGenerator random) {
        List<Message> waiting = log.read(topic, positions.getOrDefault(topic, 0L));
        int most = random.nextInt(4) == 0 ? random.nextInt(waiting.size() + 1) : waiting.size();
        for (Message message : waiting.subList(0, most)) {
            if (message.value() instanceof NodeSeen seen
                    && seen.reportsEnd() > positions.getOrDefault(RUNS, 0L)) {
                return;
            }
            Input input = input(message);
            if (input != null) {
                apply(input, facts, now);
            }
            positions.put(topic, message.offset() + 1);
        }
        if (most == waiting.size()) {
            positions.put(topic, log.end(topic));
        }
    }

    private @Nullable Input input(Message message) {
        return switch (message.value()) {
            case Submission it -> new Input.Asked(it, message.offset());
            case Ranked it -> new Input.RankingRead(it);
            case RunReport it -> new Input.Reported(it);
            case NodeSeen it -> new Input.Registered(it);
            case NodeRequest it -> new Input.NodeAsked(it);
            case ConfigEntry it -> assembler.add(it).<Input>map(Input.Configured::new).orElse(null);
            case null -> null;
            default -> throw new AssertionError(message);
        };
    }

    private void apply(Input input, List<Fact> facts, long now) {
        keep(Engine.decide(state, input, now), facts);
    }

    private void keep(List<Fact> decided, List<Fact> facts) {
        for (Fact fact : decided) {
            state.replay(fact);
            if (placement != null) {
                placement.note(fact);
            }
            facts.add(fact);
        }
    }

    /// As the service does: every word, and of each job and node only its last state.
    private void write(Fact fact) {
        Write write =
                switch (fact) {
                    case Fact.JobChanged(var it) -> new Write(JOB_STATES, it.job().toString(), it);
                    case Fact.JobForgotten(var job) -> new Write(JOB_STATES, job.toString(), null);
                    case Fact.NodeChanged(var it) ->
                            new Write(NODE_STATES, it.node().toString(), it);
                    case Fact.Announced(var it) -> new Write(JOBS, it.job().toString(), it);
                    case Fact.Ordered(var it) -> new Write(ORDERS, it.node().toString(), it);
                    case Fact.RankKept _, Fact.ConfigurationTaken _, Fact.FairSharesTaken _ -> null;
                };
        if (write != null) {
            boolean table = write.topic().equals(JOB_STATES) || write.topic().equals(NODE_STATES);
            writes.removeIf(it ->
                    table && it.topic().equals(write.topic()) && it.key().equals(write.key()));
            writes.add(write);
        }
    }

    /// Not in the middle of a round.
    @Override
    public void assertRebuilds(RandomGenerator random) {
        if (!leading || cutOff || open || random.nextInt(12) != 0) {
            return;
        }
        var other = new CellState();
        rebuild(log, other);
        assertThat(List.copyOf(other.jobs())).isEqualTo(List.copyOf(state.jobs()));
        assertThat(List.copyOf(other.nodes())).isEqualTo(List.copyOf(state.nodes()));
    }
}
