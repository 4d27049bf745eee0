package io.berth.priority;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Clocks;
import io.berth.log.Election;
import io.berth.log.LogClients;
import io.berth.log.LogReader;
import io.berth.log.TopicDeclarations;
import io.berth.priority.Rankings.Change;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Ranks each job as it is submitted and whenever its rank changes, and publishes the fair shares:
/// one thread that reads its inputs, folds them, and writes what follows.
///
/// It keeps nothing but the log. At its start it reads what was published (`rankings`,
/// `fair-shares`) and what it must be made of: the configuration, the nodes, the usages, the jobs
/// that placement knows (`job-states`), and of `submissions` only what placement has not read, by
/// the positions in `cell-states`. What differs it writes. So a job that was submitted while this
/// service was down is ranked, be it that placement knows it by then or not, and however long the
/// outage was: a submission leaves the log after 7 days, but not before it is in `job-states`. A
/// committed group offset would not give that, for the jobs that live must be known anyway to rank
/// them again when the configuration changes.
///
/// Of several instances one is elected to write; the others wait. A version in each record keeps
/// one that stood still from undoing what its successor said; and who is elected reads back what
/// stands in the log, and says it anew where that is not its own word.
///
/// A failure of the brokers ends the round of this life: the loop begins anew from the log.
@ApplicationScoped
public class PriorityLoop {

    private static final Logger LOG = Logger.getLogger(PriorityLoop.class);
    private static final String SERVICE = "priority-service";
    private static final String SERVICE_GROUP = "berth-priority";
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration ELECTION_POLL = Duration.ofMillis(100);
    private static final Duration GATHERING = Duration.ofMillis(20);

    /// How many records that wait already make gathering useless.
    private static final long ENOUGH = 500;

    /// Reading a large log anew takes its time.
    private static final Duration WEDGED = Duration.ofMinutes(5);

    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final long PROBE_NANOS = 5_000_000_000L;
    private static final long FIRST_PAUSE_MILLIS = 100;

    /// Read for what was published before.
    private static final List<Topic<?>> OWN = List.of(Topics.RANKINGS, Topics.FAIR_SHARES);

    /// Read from their beginnings.
    private static final List<Topic<?>> TABLES =
            List.of(Topics.CONFIG, Topics.NODE_STATES, Topics.SHARES, Topics.JOB_STATES);

    private final LogClients log;
    private final Clocks clocks;
    private final TopicDeclarations declarations;
    private final PriorityConfig config;
    private final LongAdder written = new LongAdder();
    private volatile boolean leading;
    private volatile long unread;
    private volatile Watcher watcher = _ -> {};
    private volatile Optional<String> waitsFor = Optional.of("its start");
    private volatile boolean stopping;
    private @Nullable Thread thread;

    /// Who is told how far accounts are from their shares, as [Shares#deviations] has it: after
    /// each calculation, and of none when this instance ranks no more.
    @FunctionalInterface
    interface Watcher {
        void deviations(SortedMap<String, Double> byAccount);
    }

    @Inject
    public PriorityLoop(LogClients log, TopicDeclarations declarations, PriorityConfig config) {
        this(log, declarations, config, Clocks.SYSTEM);
    }

    PriorityLoop(
            LogClients log, TopicDeclarations declarations, PriorityConfig config, Clocks clocks) {
        this.log = log;
        this.clocks = clocks;
        this.declarations = declarations;
        this.config = config;
    }

    public synchronized void start() {
        if (thread == null) {
            stopping = false;
            thread = Thread.ofPlatform().name("priority").start(this::run);
        }
    }

    /// Waits until nothing is written any more.
    public synchronized void stop() {
        if (thread == null) {
            return;
        }
        stopping = true;
        try {
            if (!thread.join(Duration.ofSeconds(2))) {
                thread.interrupt();
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread = null;
    }

    /// What the service waits for, if it does.
    public Optional<String> waitsFor() {
        return waitsFor;
    }

    /// Whether this instance is the one that ranks.
    boolean leading() {
        return leading;
    }

    /// How many rankings and fair shares it has written.
    long written() {
        return written.sum();
    }

    void watchedBy(Watcher next) {
        watcher = next;
    }

    /// How many records wait to be read, as of five seconds ago.
    long unread() {
        return unread;
    }

    private void run() {
        long pause = FIRST_PAUSE_MILLIS;
        while (!stopping) {
            try {
                live();
            } catch (InterruptException e) {
                return;
            } catch (RuntimeException e) {
                pause = waitsFor.isEmpty() ? FIRST_PAUSE_MILLIS : pause;
                LOG.warnf("Ranking begins anew: %s", e);
                waitsFor = Optional.of(e.toString());
                try {
                    Thread.sleep(pause);
                } catch (InterruptedException interrupted) {
                    return;
                }
                pause = Math.min(2 * pause, config.longestPause().toMillis());
            } catch (Error e) {
                waitsFor = Optional.of(e.toString());
                throw e;
            }
        }
    }

    private void live() {
        try (Admin admin = log.admin()) {
            var topics = new ArrayList<>(Topics.writtenBy(SERVICE));
            topics.add(Topics.deadLetters(SERVICE));
            topics.add(Topics.ELECTIONS);
            declarations.create(admin, topics);
            var read = new ArrayList<>(TABLES);
            read.add(Topics.SUBMISSIONS);
            read.add(Topics.CELL_STATES);
            TopicDeclarations.await(admin, read);
        }
        stand();
    }

    /// Stands for election, and ranks if it is elected, until it is no more.
    void stand() {
        try (var election = new Election(log, SERVICE_GROUP, WEDGED)) {
            if (awaitElection(election)) {
                rank(election);
            }
        }
    }

    /// Waits until this instance is elected; one that waits while another ranks is ready.
    private boolean awaitElection(Election election) {
        while (!stopping) {
            if (election.poll(ELECTION_POLL)) {
                return true;
            }
            if (election.decided() && waitsFor.isPresent()) {
                LOG.info("Standing by");
                waitsFor = Optional.empty();
            }
        }
        return false;
    }

    private void rank(Election election) {
        waitsFor = Optional.of("the log");
        var rankings = new Rankings();
        var shares = new Shares();
        var inputs = new Inputs(rankings, shares);
        try (var consumer = log.follower();
                var outputs = new Outputs(log.producer())) {
            Map<TopicPartition, Long> next = catchUp(inputs);
            consumer.assign(next.keySet());
            next.forEach(consumer::seek);
            LOG.info("Ranking");
            leading = true;
            new Life(consumer, inputs, rankings, shares, outputs).go(election);
        } finally {
            leading = false;
            watcher.deviations(Collections.emptySortedMap());
        }
    }

    /// Reads what there is; where to go on.
    private Map<TopicPartition, Long> catchUp(Inputs inputs) {
        try (var consumer = log.consumer()) {
            return catchUp(consumer, inputs);
        }
    }

    private static Map<TopicPartition, Long> catchUp(
            Consumer<byte[], byte[]> consumer, Inputs inputs) {
        // First the positions: what placement reads from now on is then in the submissions below.
        LogReader.readAll(
                consumer, partitions(consumer, List.of(Topics.CELL_STATES)), inputs::handle);
        List<TopicPartition> own = partitions(consumer, OWN);
        LogReader.readAll(consumer, own, inputs::handle);
        Map<TopicPartition, Long> next = new HashMap<>();
        own.stream()
                .filter(it -> it.topic().equals(Topics.RANKINGS.name()))
                .forEach(it -> next.put(it, consumer.position(it)));
        List<TopicPartition> tables = partitions(consumer, TABLES);
        List<TopicPartition> submissions = partitions(consumer, List.of(Topics.SUBMISSIONS));
        var all = new ArrayList<>(tables);
        all.addAll(submissions);
        consumer.assign(all);
        consumer.seekToBeginning(tables);
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(submissions);
        begins.forEach((partition, begin) ->
                consumer.seek(partition, Math.max(begin, inputs.consumed(partition.partition()))));
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        LogReader.readTo(consumer, ends, inputs::handle);
        inputs.forgetStrangers();
        next.putAll(ends);
        return next;
    }

    private static List<TopicPartition> partitions(
            Consumer<byte[], byte[]> consumer, List<Topic<?>> topics) {
        return topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic.name()).stream())
                .map(it -> new TopicPartition(it.topic(), it.partition()))
                .toList();
    }

    /// The loop's life from one catch-up to the next failure.
    private final class Life {

        private final Consumer<byte[], byte[]> consumer;
        private final Inputs inputs;
        private final Rankings rankings;
        private final Shares shares;
        private final Outputs outputs;
        private long calculated = clocks.nanos() - config.fairShareInterval().toNanos();
        private long probed = clocks.nanos();
        private boolean gathering;
        private SortedMap<String, Double> told = Collections.emptySortedMap();

        Life(
                Consumer<byte[], byte[]> consumer,
                Inputs inputs,
                Rankings rankings,
                Shares shares,
                Outputs outputs) {
            this.consumer = consumer;
            this.inputs = inputs;
            this.rankings = rankings;
            this.shares = shares;
            this.outputs = outputs;
        }

        void go(Election election) {
            waitsFor = Optional.empty();
            while (!stopping && election.poll()) {
                for (Change change : rankings.changes()) {
                    outputs.write(change);
                    written.increment();
                }
                inputs.deadLetters().forEach(outputs::write);
                calculateShares();
                outputs.check();
                probe(election);
                if (gathering) {
                    gather();
                }
                var records = consumer.poll(POLL);
                records.forEach(inputs::handle);
                long waiting = LogReader.unread(consumer);
                // Brokers that are slow answer with nothing, too.
                if (records.isEmpty() && waiting == 0) {
                    inputs.forgetVoid();
                    rankings.correct();
                }
                gathering = !records.isEmpty() && waiting < ENOUGH;
            }
        }

        /// Waits a moment for what comes after some records: a record at a time costs the brokers
        /// and this service several times as much as many at once.
        private void gather() {
            clocks.sleep(GATHERING.toNanos());
        }

        private void calculateShares() {
            if (clocks.nanos() - calculated >= config.fairShareInterval().toNanos()) {
                calculated = clocks.nanos();
                shares.members(rankings.members());
                shares.calculate(clocks.millis())
                        .ifPresent(factors -> {
                            outputs.write(factors);
                            written.increment();
                        });
                if (!told.equals(shares.deviations())) {
                    told = shares.deviations();
                    watcher.deviations(told);
                }
            }
        }

        private void probe(Election election) {
            if (clocks.nanos() - probed < PROBE_NANOS) {
                return;
            }
            probed = clocks.nanos();
            unread = LogReader.unread(consumer);
            waitsFor = election.answered(ANSWER) ? Optional.empty() : Optional.of("the brokers");
        }
    }
}
