package io.berth.placement;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.log.Clocks;
import io.berth.log.Pulse;
import io.berth.log.trace.Spans;
import io.berth.placement.kafka.InputReader;
import io.berth.placement.kafka.InputReader.Read;
import io.berth.placement.kafka.Oversized;
import io.berth.placement.kafka.Recovered;
import io.berth.placement.kafka.RoundWriter.Round;
import io.berth.placement.kafka.Snapshots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One time of leading a cell, from a recovery to the first error. Rounds follow one another: read
/// inputs, decide, write all facts in one transaction.
///
/// Facts are replayed into the state as they are decided, so that the next decision sees them; a
/// round that cannot be written therefore ends the tenure, and its state is dropped.
final class Tenure implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Tenure.class);

    /// The longest wait for inputs: presences are looked at this often.
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    /// Facts that are enough for a round.
    static final int ENOUGH_FACTS = 2_000;

    private static final long LONGEST_PAUSE_NANOS = 50_000_000;

    /// A cell that has no rounds asks for the broker's time so often.
    private static final long MOST_UNHEARD_NANOS = TimeUnit.MINUTES.toNanos(1);

    /// The plan is put in order at most so often.
    private static final long REPLAN_MILLIS = 500;

    /// After placing has failed, and no job is known that is to blame.
    private static final long PLACE_AGAIN_MILLIS = 5_000;

    private final Recovered cell;
    private final CellState state;
    private final Placement placement;
    private final CellTime time;
    private final NodeWatch heartbeats;
    private final CellMeters meters;
    private final Snapshots snapshots;
    private final Rules rules;
    private final QueueSpans queueSpans;
    private final Faults faults;
    private final NodeKeys nodeKeys = new NodeKeys();
    private final List<Input> applied = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private final List<DeadLetter> letters = new ArrayList<>();

    /// The records that the round's facts follow from, by the first fact of each decision; nothing
    /// for those that follow from none.
    private final TreeMap<Integer, Optional<ConsumerRecord<byte[], byte[]>>> origins =
            new TreeMap<>();

    /// Why the last registration of a node was refused, which is told once.
    private final Map<NodeName, String> refusals = new TreeMap<>();

    private long round;
    private boolean first = true;
    private long plannedAt;
    private long nextStart = Long.MAX_VALUE;
    private long noStartBefore;
    private boolean placingFailed;
    private boolean dueFailed;
    private long nextRoundNanos;
    private long clocksNanos;

    /// How a cell is led.
    ///
    /// @param minInterval between the starts of two rounds
    /// @param enoughFacts a round with so many takes no further input: the next one does. So its
    ///   transaction stays short, however much is asked at once; one input alone may say more
    /// @param version of this service
    /// @param spans where those of jobs that were placed go
    /// @param clocks of this machine
    /// @param pulse of the loop, which waits while a round is written
    record Rules(
            Duration minInterval,
            int enoughFacts,
            Settings settings,
            String version,
            Spans spans,
            Clocks clocks,
            Pulse pulse) {}

    Tenure(
            Recovered cell,
            NodeWatch heartbeats,
            CellMeters meters,
            Rules rules,
            Snapshots snapshots,
            Faults faults) {
        this.cell = cell;
        this.rules = rules;
        this.queueSpans = new QueueSpans(rules.spans());
        this.snapshots = snapshots;
        this.faults = faults;
        this.state = cell.state();
        this.placement = new Placement(state, rules.settings());
        this.heartbeats = heartbeats;
        this.meters = meters;
        this.time =
                new CellTime(cell.last().cellTime(), rules.clocks()::millis, rules.clocks()::nanos);
        this.round = cell.last().round();
        this.nextRoundNanos = rules.clocks().nanos();
        watchNodes();
    }

    /// Leads until told to stop, which is asked before each round. Nothing is decided before the
    /// clocks were compared.
    void lead(BooleanSupplier stop) {
        compareClocks();
        while (!stop.getAsBoolean()) {
            if (rules.clocks().nanos() - clocksNanos > MOST_UNHEARD_NANOS) {
                compareClocks();
            }
            waitOutPause();
            cell.inputs().fetch(Duration.ofMillis(waitMillis()));
            long begun = rules.clocks().nanos();
            decide(begun, time.now());
            nextRoundNanos = nextRound(begun, rules.clocks().nanos());
            measure(() -> meters.picture(state, cell.inputs()::unread));
        }
    }

    @Override
    public void close() {
        snapshots.close();
        cell.inputs().close();
        cell.rounds().close();
    }

    /// One round.
    ///
    /// @param begun reading of [Clocks#nanos]
    private void decide(long begun, long now) {
        applied.clear();
        facts.clear();
        letters.clear();
        origins.clear();
        boolean asked = takeInputs(now);
        faults.toHold(job -> state.job(job).isPresent())
                .forEach((job, why) -> take(new Input.PlacingFailed(job, why), now));
        presences()
                .forEach((node, presence) -> take(new Input.PresenceChanged(node, presence), now));
        dueFailed = false;
        replay(Engine.due(state, now, this::dueFailed), Optional.empty());
        Pass pass = place(asked || !facts.isEmpty(), now);
        if (facts.isEmpty() && letters.isEmpty()) {
            return;
        }
        letters.forEach(letter ->
                LOG.atWarn()
                        .addKeyValue("record", letter.position())
                        .addKeyValue("cause", letter.cause())
                        .log("Dead letter"));
        long decided = rules.clocks().nanos();
        write(now, pass);
        meters.round(decided - begun, rules.clocks().nanos() - decided, letters.size());
        measure(() -> meters.facts(facts, state));
        measure(() -> queueSpans.written(facts));
        watchNodes();
    }

    /// Decides the inputs that there are, one by one, until the round is large enough. Whether
    /// there were any.
    private boolean takeInputs(long now) {
        boolean any = false;
        while (facts.size() < rules.enoughFacts()) {
            Read read = cell.inputs().next().orElse(null);
            if (read == null) {
                break;
            }
            any = true;
            switch (read) {
                case Read.Applicable(Input input, var record) ->
                        nodeKeys.objection(state, input, record)
                                .map(why -> InputReader.letter(record, why))
                                .ifPresentOrElse(letters::add, () -> apply(input, record, now));
                case Read.Poisonous(DeadLetter letter) -> letters.add(letter);
            }
        }
        return any;
    }

    /// Who starts is asked after a change, and when a start is expected. The plan follows the order
    /// of priority a moment later.
    ///
    /// @return null if it was not asked
    private @Nullable Pass place(boolean changed, long now) {
        boolean plan = first || (placement.stale() && now - plannedAt >= REPLAN_MILLIS);
        if (now < noStartBefore || (!plan && !changed && now < nextStart)) {
            return null;
        }
        first = false;
        plannedAt = plan ? now : plannedAt;
        Pass pass = plan ? Pass.PLAN : Pass.START;
        List<Fact> placed;
        long begun = rules.clocks().nanos();
        try {
            placed = Engine.place(state, placement, now, pass);
        } catch (RuntimeException e) {
            failed(e, now);
            return null;
        }
        long took = rules.clocks().nanos() - begun;
        measure(() -> meters.passed(pass, took, placement.tally()));
        placingFailed = false;
        faults.placed();
        replay(placed, Optional.empty());
        nextStart = placed.stream().anyMatch(Tenure::admits) ? now : placement.next(now);
        return pass;
    }

    /// Nothing of the pass counts. It is tried once more, with nothing kept from the passes before;
    /// if it fails again, the job is held that it failed on. Where there is none, nobody is placed
    /// for a while.
    private void failed(RuntimeException e, long now) {
        DecisionFailed failure = DecisionFailed.on("placing", e);
        JobId job = jobOf(failure);
        faults.tell(Faults.Kind.PLACING, job, failure.subject(), e);
        boolean goesOn = !placingFailed || (job != null && waits(job) && faults.hold(job, e));
        placingFailed = true;
        first = true;
        noStartBefore = goesOn ? now : now + PLACE_AGAIN_MILLIS;
        nextStart = noStartBefore;
    }

    private boolean waits(JobId job) {
        return state.job(job).filter(it -> it.state() == JobState.PENDING).isPresent();
    }

    private void dueFailed(DecisionFailed failure) {
        dueFailed = true;
        faults.tell(Faults.Kind.DUE, jobOf(failure), failure.subject(), failure);
    }

    private static @Nullable JobId jobOf(DecisionFailed failure) {
        return failure.job() == null ? null : new JobId(failure.job());
    }

    /// Whether the fact lets a job start that might not: one that depends on a job just placed.
    private static boolean admits(Fact fact) {
        return fact instanceof Fact.JobChanged(var job)
                && job.eligible()
                && job.reason() == Reason.NONE;
    }

    /// Decides one input. Deciding changes nothing, so an input on which it fails can be put aside;
    /// so is one that a tenure before this one failed on.
    private void apply(Input input, ConsumerRecord<byte[], byte[]> record, long now) {
        List<Fact> decided;
        try {
            RuntimeException before = faults.leftOut(record);
            if (before != null) {
                throw before;
            }
            decided = Engine.decide(state, input, now);
        } catch (RuntimeException e) {
            DeadLetter letter = InputReader.letter(record, e);
            faults.tell(Faults.Kind.INPUT, record, e);
            letters.add(letter);
            return;
        }
        applied.add(input);
        replay(decided, Optional.of(record));
        if (!decided.isEmpty()) {
            queueSpans.read(input, record);
        }
        if (input instanceof Input.Registered(var seen)) {
            if (accepted(seen)) {
                heartbeats.registered(seen.node());
                refusals.remove(seen.node());
            } else {
                decided.forEach(this::tellRefusal);
            }
        }
    }

    /// An agent that is refused for now asks again and again.
    private void tellRefusal(Fact fact) {
        if (fact instanceof Fact.Ordered(Order.Refused it)
                && !it.why().equals(refusals.put(it.node(), it.why()))) {
            LOG.atWarn()
                    .addKeyValue("node", it.node())
                    .addKeyValue("why", it.why())
                    .log("Registration refused");
        }
    }

    private boolean accepted(NodeSeen seen) {
        return state.node(seen.node())
                .filter(node -> node.seen().nonce().equals(seen.nonce()))
                .isPresent();
    }

    /// Decides an input that stands in no topic.
    private void take(Input input, long now) {
        List<Fact> decided;
        try {
            decided = Engine.decide(state, input, now);
        } catch (RuntimeException e) {
            faults.tell(Faults.Kind.INPUT, input.toString(), e);
            return;
        }
        applied.add(input);
        replay(decided, Optional.empty());
    }

    private void write(long now, @Nullable Pass pass) {
        round++;
        long revision = state.configuration().map(Configuration::revision).orElse(0L);
        var status =
                new CellStatus(
                        cell.last().cell(),
                        round,
                        now,
                        cell.inputs().positions(),
                        state.highestJob(),
                        revision,
                        "");
        var decided =
                new Decided(
                        cell.last().cell(),
                        round,
                        now,
                        applied.size(),
                        pass == null ? null : pass.name(),
                        rules.settings().backfill().name(),
                        rules.settings().depth(),
                        rules.version(),
                        "");
        var written =
                new Round(
                        status,
                        List.copyOf(applied),
                        List.copyOf(facts),
                        List.copyOf(letters),
                        decided);
        time.asking();
        rules.pulse().waits();
        try {
            heard(cell.rounds().write(written));
        } catch (Oversized e) {
            leaveOut(e.fact(), e);
            throw e;
        }
        snapshots.after(status, state);
    }

    private void compareClocks() {
        time.asking();
        rules.pulse().waits();
        heard(cell.rounds().brokerTime(cell.last()));
    }

    private void heard(long brokerTime) {
        time.heard(brokerTime);
        clocksNanos = rules.clocks().nanos();
        rules.pulse().beat();
        meters.clocks(time.machineOffset(), time.cellOffset());
    }

    /// Makes facts of what is decided. If the state cannot take one, it is no state any more.
    private void replay(List<Fact> decided, Optional<ConsumerRecord<byte[], byte[]>> origin) {
        origins.put(facts.size(), origin);
        for (Fact fact : decided) {
            facts.add(fact);
            try {
                state.replay(fact);
            } catch (RuntimeException e) {
                leaveOut(facts.size() - 1, e);
                throw e;
            }
            try {
                placement.note(fact);
            } catch (RuntimeException e) {
                faults.tell(Faults.Kind.PLACING, "a fact", e);
            }
        }
    }

    /// The next tenure leaves out what that fact of the round follows from.
    private void leaveOut(int index, RuntimeException e) {
        Fact fact = facts.get(index);
        JobId job = jobOf(fact);
        faults.tell(Faults.Kind.REPLAY, job, fact.getClass().getSimpleName(), e);
        origins.floorEntry(index)
                .getValue()
                .ifPresentOrElse(
                        record -> faults.leaveOut(record, e),
                        () -> {
                            if (job != null) {
                                var unused = faults.hold(job, e);
                            }
                        });
    }

    /// The job without which the fact would not be; null if that is not known.
    private static @Nullable JobId jobOf(Fact fact) {
        return switch (fact) {
            case Fact.JobChanged(var status) -> status.job();
            case Fact.Ordered(Order.Launch launch) -> launch.run().job();
            case Fact.Ordered _,
                    Fact.Announced _,
                    Fact.NodeChanged _,
                    Fact.JobForgotten _,
                    Fact.RankKept _,
                    Fact.ConfigurationTaken _,
                    Fact.FairSharesTaken _ ->
                    null;
        };
    }

    private void measure(Runnable measuring) {
        try {
            measuring.run();
        } catch (RuntimeException e) {
            faults.tell(Faults.Kind.METRICS, "metrics", e);
        }
    }

    private Map<NodeName, Presence> presences() {
        return heartbeats.latest();
    }

    private void watchNodes() {
        heartbeats.watch(
                state.nodes().stream()
                        .map(it ->
                                new Presences.Watched(
                                        it.node(),
                                        it.epoch(),
                                        it.presence(),
                                        it.seen().fenceSeconds(),
                                        it.seen().key()))
                        .toList());
    }

    private long waitMillis() {
        long now = time.now();
        long due = Math.min(nextDue(now), nextStart);
        return due == Long.MAX_VALUE
                ? LONGEST_WAIT_MILLIS
                : Math.clamp(due - now, 0, LONGEST_WAIT_MILLIS);
    }

    private long nextDue(long now) {
        if (dueFailed) {
            return Long.MAX_VALUE;
        }
        try {
            return Engine.nextDue(state, now);
        } catch (RuntimeException e) {
            faults.tell(Faults.Kind.DUE, "the next time", e);
            return Long.MAX_VALUE;
        }
    }

    /// No round begins before this: after the least interval, and after a pause as long as the last
    /// round took. So under load inputs gather, and a round, whose transaction costs much more than
    /// what is in it, serves more of them; one that was waited for is not late.
    private long nextRound(long begun, long ended) {
        return Math.max(
                begun + rules.minInterval().toNanos(),
                ended + Math.min(ended - begun, LONGEST_PAUSE_NANOS));
    }

    private void waitOutPause() {
        long left = nextRoundNanos - rules.clocks().nanos();
        if (left > 0) {
            rules.clocks().sleep(left);
        }
    }
}
