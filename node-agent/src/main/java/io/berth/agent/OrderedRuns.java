package io.berth.agent;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The runs on one node as they are ordered, from the order to launch them until their end stands
/// in the log.
final class OrderedRuns<R extends OrderedRun> {

    private static final Logger LOG = LoggerFactory.getLogger(OrderedRuns.class);

    /// Puts the order of a run in the spool, and makes its part, which is not started yet.
    @FunctionalInterface
    interface Begin<R> {
        R begin(Launch launch) throws IOException;
    }

    private final Begin<R> begin;
    private final Outbox outbox;
    private final Duration killGrace;
    private final ConcurrentSkipListMap<RunId, R> parts = new ConcurrentSkipListMap<>();
    private final ReentrantLock adding = new ReentrantLock();

    /// A run is among the parts that was not.
    private final Condition added = adding.newCondition();

    /// @param killGrace between TERM and KILL where no order says it
    OrderedRuns(Begin<R> begin, Outbox outbox, Duration killGrace) {
        this.begin = begin;
        this.outbox = outbox;
        this.killGrace = killGrace;
    }

    Collection<R> all() {
        return parts.values();
    }

    Optional<R> get(RunId run) {
        return Optional.ofNullable(parts.get(run));
    }

    List<RunId> ids() {
        return List.copyOf(parts.keySet());
    }

    List<HeldRun> held() {
        return parts.values().stream().map(OrderedRun::held).toList();
    }

    /// Starts a part, which is among the others then.
    void add(R part) {
        parts.put(part.run(), part);
        part.start();
        adding.lock();
        try {
            added.signalAll();
        } finally {
            adding.unlock();
        }
    }

    /// A run, once it is here; nothing if it is not by then.
    ///
    /// @param nanos how long that may take
    Optional<R> await(RunId run, long nanos) throws InterruptedException {
        long left = nanos;
        adding.lockInterruptibly();
        try {
            while (get(run).isEmpty() && left > 0) {
                left = added.awaitNanos(left);
            }
        } finally {
            adding.unlock();
        }
        return get(run);
    }

    /// The end of a run stands in the log.
    void forget(RunId run) {
        parts.remove(run);
    }

    /// Begins a run, whose order is in the spool then. One that is there already is confirmed, and
    /// one is refused of whose job a later one is there.
    void launch(Launch launch) {
        R known = parts.get(launch.run());
        if (known != null) {
            known.confirm();
            return;
        }
        JobId job = launch.run().job();
        RunId last = parts.floorKey(new RunId(job, Integer.MAX_VALUE));
        if (last != null && last.job().equals(job) && last.lease() > launch.run().lease()) {
            refuse(launch, "run %s of the job, which is a later one, is here".formatted(last));
            return;
        }
        try {
            add(begin.begin(launch));
            LOG.atInfo()
                    .addKeyValue("run", launch.run())
                    .addKeyValue("node", launch.node())
                    .log("Run ordered");
        } catch (ClosedByInterruptException e) {
            throw new IllegalStateException("stopped before spooling run " + launch.run(), e);
        } catch (IOException e) {
            refuse(launch, "cannot write the spool: " + e.getMessage());
        }
    }

    void go(RunId run) {
        get(run).ifPresent(OrderedRun::go);
    }

    void stop(Order.Stop order) {
        Duration grace = Duration.ofSeconds(order.graceSeconds());
        boolean notice = Boolean.TRUE.equals(order.notice()) && grace.isPositive();
        get(order.run())
                .ifPresent(part -> {
                    if (notice) {
                        part.stopWithNotice(grace, order.because().name());
                    } else {
                        part.stop(Cause.STOPPED, grace);
                    }
                });
    }

    void signal(Order.Signal order) {
        get(order.run())
                .ifPresent(part -> part.signal(order.signal(), order.target(), order.step()));
    }

    void suspend(Order.Suspend order) {
        get(order.run())
                .ifPresent(part ->
                        part.suspend(order.nth(), Duration.ofSeconds(order.graceSeconds())));
    }

    void resume(RunId run) {
        get(run).ifPresent(OrderedRun::resume);
    }

    /// @param seconds from the run's start; 0 is unlimited
    void limit(RunId run, long seconds) {
        get(run).ifPresent(part -> part.limit(seconds));
    }

    /// The wanted runs go on, from where placement was told that they are; the others are ended.
    void keepOnly(Set<RunId> wanted, List<HeldRun> told) {
        for (R part : parts.values()) {
            if (wanted.contains(part.run())) {
                if (!told.contains(new HeldRun(part.run(), HeldRun.Phase.SUSPENDED))) {
                    part.resume();
                }
                part.confirm();
            } else {
                part.stop(Cause.STOPPED, killGrace);
            }
        }
    }

    /// Ends all runs at once: the node is cut off.
    void fence() {
        parts.values().forEach(part -> part.stop(Cause.STATUS_LOST, Duration.ZERO));
    }

    /// Begins to end all runs, as the agent goes.
    void stopAll() {
        parts.values().forEach(part -> part.stop(Cause.AGENT_SHUTDOWN, killGrace));
    }

    /// A launch of which nothing is in the spool.
    private void refuse(Launch launch, String why) {
        LOG.atWarn()
                .addKeyValue("run", launch.run())
                .addKeyValue("node", launch.node())
                .addKeyValue("reason", why)
                .log("Run refused");
        outbox.add(
                (epoch, applied) ->
                        new RunReport.Ended(
                                launch.run(),
                                launch.node(),
                                epoch,
                                applied,
                                Cause.LAUNCH_FAILED,
                                ExitStatus.SUCCESS,
                                Consumption.NONE,
                                why),
                () -> {});
    }
}
