package io.berth.agent;

import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The reports of one node on their way into the log, only inside an epoch: so what was written in
/// an older epoch stands below the end that the next registration names. Those of a run go in
/// order, one after the other; what different runs have to say goes together.
final class Outbox implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    private static final long RETRY_MILLIS = 500;

    /// A report but for the epoch and order number under which it is written.
    @FunctionalInterface
    interface Report {
        RunReport at(long epoch, long applied);
    }

    /// Writes into the log; done when the report stands there.
    @FunctionalInterface
    interface Log {
        CompletableFuture<?> write(RunReport report);
    }

    private record Entry(Report report, Runnable written) {}

    private record Due(Entry entry, RunReport report) {}

    private static final long NO_EPOCH = -1;

    /// Reports that are written at once at most.
    private static final int MOST = 64;

    private final Log log;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private long epoch = NO_EPOCH;
    private long applied;
    private boolean writing;

    Outbox(String node, Log log) {
        this.log = log;
        this.thread = Thread.ofVirtual().name("outbox-" + node).unstarted(this::run);
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
        lock.lock();
        try {
            epoch = NO_EPOCH;
            return await(limit, () -> !writing);
        } finally {
            lock.unlock();
        }
    }

    /// Waits until all reports stand in the log, so long at most. Whether they do.
    boolean drain(Duration limit) throws InterruptedException {
        lock.lock();
        try {
            return await(limit, () -> queue.isEmpty() || epoch == NO_EPOCH) && queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                List<Due> due = next();
                List<Entry> standing = written(due);
                locked(() -> {
                    writing = false;
                    queue.removeAll(standing);
                });
                standing.forEach(Outbox::tell);
                if (standing.size() < due.size()) {
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
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
        lock.lock();
        try {
            while (epoch == NO_EPOCH || queue.isEmpty()) {
                changed.await();
            }
            writing = true;
            var runs = new HashSet<RunId>();
            return queue.stream()
                    .limit(MOST)
                    .map(entry -> new Due(entry, entry.report().at(epoch, applied)))
                    .takeWhile(due -> runs.add(due.report().run()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /// Writes them; those that stand in the log.
    private List<Entry> written(List<Due> all) throws InterruptedException {
        var writes = all.stream().map(due -> log.write(due.report())).toList();
        var standing = new ArrayList<Entry>();
        for (int i = 0; i < writes.size(); i++) {
            Due due = all.get(i);
            try {
                writes.get(i).get();
                standing.add(due.entry());
            } catch (ExecutionException e) {
                LOG.atWarn()
                        .addKeyValue("run", due.report().run())
                        .addKeyValue("cause", e.getCause())
                        .log("Report not written, trying again");
            }
        }
        return standing;
    }

    private boolean await(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long nanos = limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (nanos <= 0) {
                return false;
            }
            nanos = changed.awaitNanos(nanos);
        }
        return true;
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
