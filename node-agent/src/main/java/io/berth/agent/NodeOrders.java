package io.berth.agent;

import io.berth.contracts.HeldRun;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.log.Clocks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A node's place in the orders: it registers, and obeys the orders of the epoch that it was
/// granted. Orders are read to it by one thread; anybody may look at it.
///
/// ```
/// UNREGISTERED ── registration ──▶ REGISTERING ── Sync ──▶ IN_EPOCH
///       ▲                              │    │                 │
///       └─ no Sync, or Refused for now ┘    └─ Refused ─┐     ├── gap in numbers, newer epoch ──▶ UNREGISTERED
///                                                       ▼     ▼
///                                                       STOPPED ◀── order not understood
/// ```
public final class NodeOrders {

    private static final Logger LOG = LoggerFactory.getLogger(NodeOrders.class);

    /// How long a node whose epoch another agent's registration has ended leaves it the orders: two
    /// that live would end each other's epochs as fast as the log goes.
    static final Duration AFTER_ANOTHER = Duration.ofSeconds(2);

    public enum Standing {
        UNREGISTERED,
        REGISTERING,
        IN_EPOCH,
        /// It obeys nobody any more; its runs go on. A person must look.
        STOPPED
    }

    /// Where the node stands, at one moment.
    ///
    /// @param why what stopped it, or keeps it from an epoch
    public record Status(Standing standing, long epoch, long applied, @Nullable String why) {}

    /// The node, as placement is told of it.
    interface Node {

        NodeName name();

        /// What it says to register.
        ///
        /// @param held its runs
        /// @param reportsEnd the end of the partition of reports, read after `held`
        /// @param fenceSeconds see [Lease]
        NodeSeen seen(
                String nonce, List<HeldRun> held, long reportsEnd, @Nullable Long fenceSeconds);

        /// Whether it is other than it said last.
        boolean changed();

        Heartbeat heartbeat(long epoch, long applied) throws IOException;

        void divide(Order.Partition order);
    }

    private final Node node;
    private final OrderedRuns<?> runs;
    private final Outbox outbox;
    private final Lease lease;
    private final Clocks clocks;
    private final Duration syncTimeout;

    private volatile Status status = new Status(Standing.UNREGISTERED, 0, 0, null);
    private String nonce = "";
    private List<HeldRun> told = List.of();
    private long ordersFrom;
    private long syncDue;

    /// It does not register before that, by [Clocks#nanos].
    private long registersFrom;

    /// When the last registration was about to be written, in milliseconds since boot.
    private long written;

    /// The runs were ended, as the lease was over, and it was not registered since.
    private boolean cutOff;

    /// @param syncTimeout after which an unanswered registration is repeated
    NodeOrders(
            Node node,
            OrderedRuns<?> runs,
            Outbox outbox,
            Lease lease,
            Clocks clocks,
            Duration syncTimeout) {
        this.node = node;
        this.runs = runs;
        this.outbox = outbox;
        this.lease = lease;
        this.clocks = clocks;
        this.syncTimeout = syncTimeout;
        this.registersFrom = clocks.nanos();
    }

    NodeName name() {
        return node.name();
    }

    Status status() {
        return status;
    }

    List<HeldRun> held() {
        return runs.held();
    }

    /// The time by which [#heard] counts, in milliseconds since boot.
    long now() {
        return lease.now();
    }

    /// A heartbeat that was written at that time, in milliseconds since boot, stands in the log.
    void heard(long written) {
        lease.heard(written);
    }

    /// The last registration stands in the log. Of a node whose last answer was a refusal that says
    /// nothing: its runs may be others' by now.
    void registered() {
        if (status.why() == null) {
            lease.begin(written);
            cutOff = false;
        }
    }

    /// A node that was not heard for too long obeys nothing that was ordered before: its runs are
    /// others' by now, or soon will be.
    private void leaveIfCutOff() {
        if (!cutOff && lease.over()) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("runs", runs.ids())
                    .log("Cut off from the log for too long: the node's runs are ended");
            cutOff = true;
            runs.fence();
            leaveEpoch();
        }
    }

    /// Whether it must register now.
    boolean unregistered() {
        leaveIfCutOff();
        return switch (status.standing()) {
            case UNREGISTERED -> clocks.nanos() - registersFrom >= 0;
            case REGISTERING -> clocks.nanos() - syncDue >= 0;
            case IN_EPOCH -> {
                boolean changed = node.changed();
                if (changed) {
                    leaveEpoch();
                }
                yield changed;
            }
            case STOPPED -> false;
        };
    }

    /// Its place in the orders is lost: it must register again.
    void leaveEpoch() {
        Status before = status;
        if (before.standing() != Standing.STOPPED) {
            status =
                    new Status(
                            Standing.UNREGISTERED, before.epoch(), before.applied(), before.why());
        }
    }

    /// Begins a registration: no report is written any more until the Sync. Whether the last one
    /// stands in the log; if not, try again.
    boolean silence(Duration limit) throws InterruptedException {
        return outbox.pause(limit);
    }

    /// What is to be written to register. Answers are read from that offset on.
    ///
    /// @param ordersEnd the end of the node's partition of orders, read before this
    /// @param reportsEnd the end of the partition of reports, read after `held`
    /// @param held the node's runs, after [#silence]
    NodeSeen register(long ordersEnd, long reportsEnd, List<HeldRun> held) {
        nonce = UUID.randomUUID().toString();
        told = held;
        ordersFrom = ordersEnd;
        syncDue = clocks.nanos() + syncTimeout.toNanos();
        written = lease.now();
        status = new Status(Standing.REGISTERING, 0, 0, status.why());
        return node.seen(nonce, held, reportsEnd, lease.seconds());
    }

    /// Takes an order of the node's partition.
    void read(long offset, Order order) {
        leaveIfCutOff();
        if (offset < ordersFrom) {
            return;
        }
        if (status.standing() == Standing.IN_EPOCH && order.epoch() > status.epoch()) {
            // A registration came late that an agent before this one wrote, or another one lives.
            registersFrom = clocks.nanos() + AFTER_ANOTHER.toNanos();
            registerAgain("The epoch is over", status.epoch(), order.epoch());
            return;
        }
        switch (order) {
            case Order.Sync sync -> sync(sync);
            case Order.Refused refused -> {
                if (awaits(refused.nonce())) {
                    refused(refused);
                }
            }
            case Order.Launch launch -> numbered(launch, () -> runs.launch(launch));
            case Order.Go go -> numbered(go, () -> runs.go(go.run()));
            case Order.Stop stop -> numbered(stop, () -> runs.stop(stop));
            case Order.Signal signal -> numbered(signal, () -> runs.signal(signal));
            case Order.Suspend it -> numbered(it, () -> runs.suspend(it));
            case Order.Resume it -> numbered(it, () -> runs.resume(it.run()));
            case Order.Partition it -> numbered(it, () -> node.divide(it));
            case Order.Limit limit ->
                    numbered(limit, () -> runs.limit(limit.run(), limit.timeLimitSeconds()));
        }
    }

    /// Stops obeying for good; its runs go on.
    void stopObeying(String why) {
        LOG.atError().addKeyValue("node", name()).addKeyValue("why", why).log("Agent stopped");
        Status before = status;
        status = new Status(Standing.STOPPED, before.epoch(), before.applied(), why);
    }

    /// The node is alive, if it is in an epoch.
    Optional<Heartbeat> heartbeat() throws IOException {
        Status now = status;
        return now.standing() == Standing.IN_EPOCH
                ? Optional.of(node.heartbeat(now.epoch(), now.applied()))
                : Optional.empty();
    }

    private boolean awaits(String answered) {
        return status.standing() == Standing.REGISTERING && answered.equals(nonce);
    }

    private void sync(Order.Sync sync) {
        if (!awaits(sync.nonce())) {
            return;
        }
        status = new Status(Standing.IN_EPOCH, sync.epoch(), 0, null);
        registered();
        outbox.open(sync.epoch());
        runs.keepOnly(Set.copyOf(sync.wanted()), told);
        LOG.atInfo()
                .addKeyValue("node", name())
                .addKeyValue("epoch", sync.epoch())
                .addKeyValue("runs", runs.ids())
                .log("Registered");
    }

    private void refused(Order.Refused refused) {
        if (!Boolean.TRUE.equals(refused.forNow())) {
            stopObeying(refused.why());
            return;
        }
        if (!refused.why().equals(status.why())) {
            LOG.atWarn()
                    .addKeyValue("node", name())
                    .addKeyValue("why", refused.why())
                    .log("Registration refused for now, asking again until it is not");
        }
        status = new Status(Standing.REGISTERING, 0, 0, refused.why());
    }

    private void numbered(Order order, Runnable obey) {
        Status now = status;
        if (now.standing() != Standing.IN_EPOCH
                || order.epoch() != now.epoch()
                || order.number() <= now.applied()) {
            return;
        }
        if (order.number() != now.applied() + 1) {
            registerAgain("Orders missing", now.applied() + 1, order.number());
            return;
        }
        // What the order brings about may be reported before it has returned.
        outbox.applied(order.number());
        obey.run();
        status = new Status(Standing.IN_EPOCH, now.epoch(), order.number(), null);
    }

    private void registerAgain(String why, long expected, long found) {
        LOG.atWarn()
                .addKeyValue("node", name())
                .addKeyValue("expected", expected)
                .addKeyValue("found", found)
                .log(why + ", registering again");
        leaveEpoch();
    }
}
