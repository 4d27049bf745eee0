package io.berth.accounting;

import io.berth.accounting.db.Batch;
import io.berth.accounting.db.Books;
import io.berth.accounting.db.BooksStopped;
import io.berth.accounting.kafka.JobsTopic;
import io.berth.contracts.DeadLetter;
import io.berth.contracts.LogPosition;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.Pulse;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the books: reads the `jobs` topic from where they stand and enters each batch in one
/// transaction with the new position, so that a record counts once whatever is killed.
///
/// While the database or the brokers are away it reads nothing, tries again, and goes on from what
/// the books then say. Where it must not guess it stops.
@ApplicationScoped
public class BooksLoop {

    private static final Logger LOG = LoggerFactory.getLogger(BooksLoop.class);
    private static final long PROBE_NANOS = 5_000_000_000L;
    private static final long BEHIND_NANOS = 30_000_000_000L;
    private static final long LONGEST_GATHERING_MILLIS = 200;

    /// How many times as long as a batch took events are gathered for the next one.
    private static final int GATHERING = 4;

    /// How many events that wait already make gathering useless.
    private static final long ENOUGH = 500;

    private final Books books;
    private final ClusterConfiguration configuration;
    private final SharesLoop shares;
    private final NodesLoop nodes;
    private final KafkaConnection kafka;
    private final AccountingConfig config;
    private final Events<DeadLetter> deadLetters =
            new Events<>(Topics.deadLetters("accounting-service"), "accounting-service");
    private final LongAdder booked = new LongAdder();
    private final LongAdder unbookable = new LongAdder();
    private final Pulse pulse = new Pulse();
    private volatile long unread;

    /// Reading of the clock when all that there was had been entered last; empty before.
    private volatile OptionalLong caughtUpNanos = OptionalLong.empty();

    private volatile Condition condition = new Condition.Waiting("its start");
    private boolean established;
    private boolean migrated;
    private volatile boolean stopping;
    private @Nullable Thread thread;

    public BooksLoop(
            Books books,
            ClusterConfiguration configuration,
            SharesLoop shares,
            NodesLoop nodes,
            KafkaConnection kafka,
            AccountingConfig config) {
        this.books = books;
        this.configuration = configuration;
        this.shares = shares;
        this.nodes = nodes;
        this.kafka = kafka;
        this.config = config;
    }

    /// Starts reading from where the books stand.
    public synchronized void start() {
        if (thread == null) {
            stopping = false;
            thread = Thread.ofPlatform().name("books").start(this::run);
        }
    }

    /// Stops reading and waits until nothing is entered any more.
    public synchronized void stop() {
        if (thread != null) {
            stopping = true;
            Threads.end(thread);
            thread = null;
            pulse.ended();
        }
    }

    /// Whether the loop turns, or waits as it should.
    boolean alive() {
        return pulse.alive();
    }

    public Condition condition() {
        return condition;
    }

    /// How many events this instance has entered.
    long booked() {
        return booked.sum();
    }

    /// How many records it has put aside.
    long unbookable() {
        return unbookable.sum();
    }

    /// How many records wait to be read.
    long unread() {
        return unread;
    }

    /// Whether events may wait to be booked that are older than half a minute. A job is known to
    /// the other services for longer after its end.
    public boolean behind() {
        OptionalLong last = caughtUpNanos;
        return !(condition instanceof Condition.Running)
                || last.isEmpty()
                || System.nanoTime() - last.getAsLong() > BEHIND_NANOS;
    }

    private void run() {
        var pauses = new Pauses(config.longestPause());
        while (!stopping) {
            try {
                keep(pauses);
            } catch (BooksStopped e) {
                pulse.ended();
                LOG.error("The books are stopped: {}", e.getMessage());
                condition = new Condition.Stopped(String.valueOf(e.getMessage()));
                return;
            } catch (InterruptException e) {
                return;
            } catch (RuntimeException e) {
                wait(e, pauses);
            } catch (Error e) {
                condition = new Condition.Stopped(Causes.words(e));
                throw e;
            }
        }
    }

    private void wait(RuntimeException e, Pauses pauses) {
        String why = Causes.words(e);
        if (!new Condition.Waiting(why).equals(condition)) {
            LOG.warn("The books wait: {}", why);
        }
        condition = new Condition.Waiting(why);
        pulse.waits();
        try {
            pauses.pause();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void keep(Pauses pauses) {
        pulse.waits();
        open();
        List<LogPosition> positions = books.positions(Topics.JOBS.name());
        condition = new Condition.Waiting("the topic " + Topics.JOBS.name());
        try (var jobs = new JobsTopic(kafka, positions);
                var letters = new EventWriter(kafka::producer)) {
            LOG.info("The books are open");
            shares.open();
            nodes.open();
            long probed = System.nanoTime();
            condition = new Condition.Running();
            while (!stopping) {
                pulse.beat();
                Batch batch = jobs.poll();
                long polled = System.nanoTime();
                unread = jobs.unread();
                if (!batch.isEmpty()) {
                    long begun = System.nanoTime();
                    enter(batch, letters);
                    pauses.reset();
                    if (unread < ENOUGH) {
                        gather(System.nanoTime() - begun);
                    }
                } else if (System.nanoTime() - probed > PROBE_NANOS) {
                    condition = probe(jobs);
                    probed = System.nanoTime();
                }
                if (unread == 0) {
                    caughtUpNanos = OptionalLong.of(polled);
                }
            }
        }
    }

    /// Waits for further events after a batch that took so long. A row that several events touch,
    /// as a short job's do, is written once for all of them; what was waited for is not late.
    private static void gather(long nanos) {
        try {
            Thread.sleep(
                    Math.min(
                            LONGEST_GATHERING_MILLIS,
                            TimeUnit.NANOSECONDS.toMillis(GATHERING * nanos)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Asks both when nothing else does; a database that does not answer throws.
    private Condition probe(JobsTopic jobs) {
        books.positions(Topics.JOBS.name());
        return jobs.reachable() ? new Condition.Running() : new Condition.Waiting("the brokers");
    }

    /// What has to be done once: the tables are of this version, and the configuration is
    /// published.
    private void open() {
        if (!migrated) {
            books.migrate();
            migrated = true;
        }
        if (!established) {
            configuration.establish();
            established = true;
        }
    }

    /// Dead letters go first: after a crash in between they are written again, under the same keys.
    private void enter(Batch batch, EventWriter letters) {
        var written = new ArrayList<CompletableFuture<?>>();
        for (DeadLetter letter : batch.deadLetters()) {
            LOG.atError()
                    .addKeyValue("record", letter.position())
                    .addKeyValue("cause", letter.cause())
                    .log("A record cannot be booked");
            written.add(letters.write(deadLetters.record(0, letter, letter.position())));
        }
        written.forEach(CompletableFuture::join);
        boolean changesUsage = books.enter(batch, configuration.decay());
        booked.add(batch.events().size());
        unbookable.add(batch.deadLetters().size());
        if (changesUsage) {
            shares.soon();
        }
    }
}
