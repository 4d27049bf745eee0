package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.NodeOrders.Standing;
import io.berth.agent.NodeOrders.Status;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.log.Clocks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node's place in the orders, by a clock that stands still until the test moves it.
class NodeOrdersTest {

    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration FENCE_AFTER = Duration.ofSeconds(30);

    private final StillClock clock = new StillClock();
    private long uptime;
    private final Lease lease;
    private final NodeOrders orders;

    NodeOrdersTest(@TempDir Path folder) throws IOException {
        var outbox = new Outbox("n1", _ -> List.of(), clock);
        var runs =
                new OrderedRuns<>(
                        launch -> {
                            throw new AssertionError("nothing is launched: " + launch);
                        },
                        outbox,
                        Duration.ZERO);
        lease = Lease.open(new LeaseFile(folder.resolve("lease")), FENCE_AFTER, () -> uptime);
        orders = new NodeOrders(new Lab(), runs, outbox, lease, clock, SYNC_TIMEOUT);
    }

    @Test
    void one_whose_epoch_another_registration_has_ended_leaves_it_the_orders_for_a_while() {
        assertThat(orders.unregistered()).isTrue();
        NodeSeen seen = orders.register(0, 0, List.of());
        orders.read(0, new Order.Sync(seen.node(), 1, seen.nonce(), List.of()));
        assertThat(orders.status().standing()).isEqualTo(Standing.IN_EPOCH);

        orders.read(1, new Order.Sync(seen.node(), 2, "another nonce", List.of()));

        assertThat(orders.status().standing()).isEqualTo(Standing.UNREGISTERED);
        assertThat(orders.unregistered()).isFalse();
        clock.nanos += NodeOrders.AFTER_ANOTHER.toNanos();
        assertThat(orders.unregistered()).isTrue();
    }

    @Test
    void one_that_is_refused_for_now_says_why_and_goes_on_asking_until_it_is_accepted() {
        NodeSeen first = orders.register(0, 0, List.of());

        orders.read(0, new Order.Refused(first.node(), 4, first.nonce(), "another", true));
        Status refused = orders.status();
        boolean atOnce = orders.unregistered();
        clock.nanos += SYNC_TIMEOUT.toNanos();
        boolean later = orders.unregistered();
        NodeSeen second = orders.register(1, 0, List.of());
        Status again = orders.status();
        orders.read(1, new Order.Sync(second.node(), 5, second.nonce(), List.of()));

        assertThat(refused).isEqualTo(new Status(Standing.REGISTERING, 0, 0, "another"));
        assertThat(atOnce).isFalse();
        assertThat(later).isTrue();
        assertThat(again).isEqualTo(refused);
        assertThat(orders.status()).isEqualTo(new Status(Standing.IN_EPOCH, 5, 0, null));
    }

    @Test
    void one_that_is_refused_for_now_does_not_renew_its_lease_by_asking_again() {
        NodeSeen first = orders.register(0, 0, List.of());
        orders.registered();
        orders.read(0, new Order.Refused(first.node(), 4, first.nonce(), "another", true));

        uptime = FENCE_AFTER.toMillis();
        orders.register(1, 0, List.of());
        orders.registered();
        uptime++;
        boolean refused = lease.over();
        boolean mustRegister = orders.unregistered();
        NodeSeen accepted = orders.register(2, 0, List.of());
        orders.registered();
        orders.read(2, new Order.Sync(accepted.node(), 5, accepted.nonce(), List.of()));

        assertThat(refused).isTrue();
        assertThat(mustRegister).isTrue();
        assertThat(lease.over()).isFalse();
        assertThat(orders.status().standing()).isEqualTo(Standing.IN_EPOCH);
    }

    private static final class StillClock implements Clocks {

        private long nanos = Long.MAX_VALUE - 5;

        @Override
        public long millis() {
            throw new AssertionError("no wall clock counts");
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public void sleep(long duration) {
            throw new AssertionError("nobody waits");
        }
    }

    private static final class Lab implements NodeOrders.Node {

        @Override
        public NodeName name() {
            return new NodeName("n1");
        }

        @Override
        public NodeSeen seen(
                String nonce, List<HeldRun> held, long reportsEnd, @Nullable Long fenceSeconds) {
            var inventory =
                    new Inventory(
                            1, 1, 1, 1, 1000, List.of(), List.of(), false, null, "linux", "amd64");
            return new NodeSeen(name(), nonce, "machine", "boot", "1", inventory, held, reportsEnd);
        }

        @Override
        public boolean changed() {
            return false;
        }

        @Override
        public Heartbeat heartbeat(long epoch, long applied) {
            throw new AssertionError("no heart beats");
        }

        @Override
        public void divide(Order.Partition order) {
            throw new AssertionError("no GPU is divided");
        }
    }
}
