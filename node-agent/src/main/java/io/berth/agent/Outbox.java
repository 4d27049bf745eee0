package io.berth.agent;

import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport;
import io.berth.log.Clocks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reports of one node on their way into the log, only inside an epoch: so what was written in
/// an older epoch stands below the end that the next registration names. Those of a run go in
/// order, one after the other; what different runs have to say goes together.
final class Outbox implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long FOR_EVER = Long.MAX_VALUE;

    /// A report but for the epoch and order number under which it is written.
    @FunctionalInterface
    interface Report {
        RunReport at(long epoch, long applied);
    }

    /// Writes into the log; of each report, done when it stands there.
    @FunctionalInterface
    interface Log {
        List<? extends CompletableFuture<?>> write(List<RunReport> reports);
    }

    private record Entry(Report report, Runnable written) {}

    private record Due(Entry entry, RunReport report) {}

    private static final long NO_EPOCH = -1;

    /// Reports that are written at once at most.
    private static final int MOST = 64;

    private final Log log;
    private final Clocks clocks;
    private final Thread thread;
    private final Object lock = new Object();
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private long epoch = NO_EPOCH;
    private long applied;
    private boolean writing;

    /// Done with the next change.
    private CompletableFuture<?> change = new CompletableFuture<>();

    Outbox(String node, Log log, Clocks clocks) {
        this.log = log;
        this.clocks = clocks;
        this.thread = Thread.ofVirtual().name("outbox-" + node).unstarted(this::run);
    }

    /// Begins to write, on a thread of its own.
    void start() {
        thread.start();
    }

    /// Puts a report at the end.
    ///
    /// @param written called once it stands in the log
    void add(Report report, Runnable written) {
        locked(() -> queue.add(new Entry(report, written)));
    }

    /// Reports are written under this epoch from now on.
    void open(long newEpoch) {
        locked(() -> {
            epoch = newEpoch;
            applied = 0;
        });
    }

    /// The highest order number that is obeyed in the epoch.
    void applied(long number) {
        locked(() -> applied = number);
    }

    /// Nothing is written any more until the next epoch. Whether nothing is on its way, after
    /// waiting for it so long at most.
    boolean pause(Duration limit) throws InterruptedException {
        locked(() -> epoch = NO_EPOCH);
        return await(() -> !writing, limit.toNanos());
    }

    /// Waits until all reports stand in the log, so long at most. Whether they do.
    boolean drain(Duration limit) throws InterruptedException {
        var unused = await(() -> queue.isEmpty() || epoch == NO_EPOCH, limit.toNanos());
        return holds(queue::isEmpty);
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    /// Writes until it is interrupted.
    void run() {
        try {
            while (!Thread.interrupted()) {
                List<Due> due = next();
                List<Entry> standing = written(due);
                locked(() -> {
                    writing = false;
                    queue.removeAll(standing);
                });
                standing.forEach(Outbox::tell);
                if (standing.size() < due.size()) {
                    clocks.sleep(RETRY_NANOS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// What one makes of it, or fails to, is nothing to those who report after it.
    private static void tell(Entry entry) {
        try {
            entry.written().run();
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("What follows a report failed");
        }
    }

    /// The first reports, up to the second one of a run.
    private List<Due> next() throws InterruptedException {
        var due = new ArrayList<Due>();
        while (due.isEmpty()) {
            var unused = await(() -> epoch != NO_EPOCH && !queue.isEmpty(), FOR_EVER);
            locked(() -> take(due));
        }
        return due;
    }

    private void take(List<Due> due) {
        if (epoch != NO_EPOCH) {
            var runs = new HashSet<RunId>();
            queue.stream()
                    .limit(MOST)
                    .map(entry -> new Due(entry, entry.report().at(epoch, applied)))
                    .takeWhile(it -> runs.add(it.report().run()))
                    .forEach(due::add);
            writing = !due.isEmpty();
        }
    }

    /// Writes them; those that stand in the log.
    private List<Entry> written(List<Due> all) throws InterruptedException {
        var writes = log.write(all.stream().map(Due::report).toList());
        var standing = new ArrayList<Entry>();
        for (int i = 0; i < writes.size(); i++) {
            Due due = all.get(i);
            CompletableFuture<?> write = writes.get(i);
            var unused = clocks.await(write, FOR_EVER);
            if (write.state() == Future.State.SUCCESS) {
                standing.add(due.entry());
            } else {
                LOG.atWarn()
                        .addKeyValue("run", due.report().run())
                        .addKeyValue("cause", write.exceptionNow())
                        .log("Report not written, trying again");
            }
        }
        return standing;
    }

    /// Waits until that holds, so long at most. Whether it did.
    private boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
        long begun = clocks.nanos();
        while (true) {
            CompletableFuture<?> next;
            synchronized (lock) {
                if (condition.getAsBoolean()) {
                    return true;
                }
                next = change;
            }
            if (!clocks.await(next, nanos - (clocks.nanos() - begun))) {
                return holds(condition);
            }
        }
    }

    private boolean holds(BooleanSupplier condition) {
        synchronized (lock) {
            return condition.getAsBoolean();
        }
    }

    private void locked(Runnable to) {
        CompletableFuture<?> changed;
        synchronized (lock) {
            to.run();
            changed = change;
            change = new CompletableFuture<>();
        }
        changed.complete(null);
    }
}
