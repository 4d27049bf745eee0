package io.berth.core.lifecycle;

import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static io.berth.core.testing.TestCell.run;
import static io.berth.core.testing.TestCell.seen;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.HeldRun;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Registrations of node n1 by several lives of its agents, which have no order among themselves.
final class AgentLivesTest {

    private static final NodeName N1 = new NodeName("n1");

    private final TestCell cell = new TestCell();

    /// The node registers in its second life on spool `s`, and runs job 1.
    private void livingTwice() {
        register("first", "boot", new Life("s", 2));
        cell.submit(1, "batch", gpus(1, 2, null), LaunchMode.BATCH, true);
        cell.round();
        cell.started(1, 1, "n1");
    }

    private List<Order> register(
            String nonce, String boot, @Nullable Life life, HeldRun.Phase... held) {
        List<HeldRun> runs =
                List.of(held).stream().map(phase -> new HeldRun(run(1, 1), phase)).toList();
        NodeSeen seen = seen("n1", 8, 8, "a100", nonce, boot, runs);
        List<Fact> facts = cell.take(new Input.Registered(life == null ? seen : seen.in(life)));
        return orders(facts);
    }

    private NodeStatus node() {
        return cell.state.node(N1).orElseThrow();
    }

    private void heard(Presence presence) {
        cell.take(new Input.PresenceChanged(N1, presence));
    }

    /// It is told why, and nothing else happens.
    private void assertWaits(List<Order> answer, String why) {
        assertThat(answer)
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Refused.class,
                        refused -> {
                            assertThat(refused.forNow()).isTrue();
                            assertThat(refused.why()).contains(why);
                        });
        assertThat(node().epoch()).isEqualTo(1);
        assertThat(node().seen().nonce()).isEqualTo("first");
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    private static void assertAccepted(List<Order> answer, String nonce) {
        assertThat(answer)
                .first()
                .isInstanceOfSatisfying(
                        Order.Sync.class, sync -> assertThat(sync.nonce()).isEqualTo(nonce));
    }

    @Test
    void what_a_dead_agent_had_on_its_way_counts_for_nothing_after_its_successor() {
        livingTwice();

        List<Order> late = register("late", "boot", new Life("s", 1));

        assertWaits(late, "a later agent");
    }

    @Test
    void what_the_agent_of_an_earlier_boot_had_on_its_way_counts_for_nothing_even_in_silence() {
        livingTwice();
        heard(Presence.SILENT);

        List<Order> late = register("late", "boot-before", new Life("s", 1));

        assertWaits(late, "a later agent");
    }

    @Test
    void an_agent_that_starts_again_on_its_spool_is_accepted_at_once() {
        livingTwice();

        List<Order> again = register("again", "boot", new Life("s", 3), HeldRun.Phase.RUNNING);

        assertAccepted(again, "again");
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void an_agent_registers_as_often_as_it_likes() {
        livingTwice();

        List<Order> again = register("again", "boot", new Life("s", 2), HeldRun.Phase.RUNNING);

        assertAccepted(again, "again");
    }

    @Test
    void an_agent_with_another_spool_waits_while_that_of_the_node_is_heard() {
        livingTwice();

        List<Order> heard = register("other", "boot", new Life("t", 9));
        assertWaits(heard, "with another spool");
        heard(Presence.SILENT);
        List<Order> silent = register("other", "boot", new Life("t", 9));

        assertAccepted(silent, "other");
    }

    @Test
    void another_boot_of_the_machine_waits_while_the_node_is_heard_and_may_run_a_job() {
        livingTwice();

        List<Order> heard = register("booted", "boot-2", new Life("s", 3));
        assertWaits(heard, "in another boot");
        heard(Presence.SILENT);
        List<Order> silent = register("booted", "boot-2", new Life("s", 3));

        assertAccepted(silent, "booted");
        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void another_boot_is_accepted_at_once_if_nothing_ran_or_all_ended_with_the_agent() {
        register("idle", "boot", new Life("s", 1));
        List<Order> idle = register("first", "boot-2", new Life("s", 2));
        cell.submit(1, "batch", gpus(1, 2, null), LaunchMode.BATCH, true);
        cell.round();
        cell.ended(1, 1, "n1", Cause.AGENT_SHUTDOWN, 0);

        List<Order> left = register("booted", "boot-3", new Life("s", 3));

        assertAccepted(idle, "first");
        assertAccepted(left, "booted");
    }

    @Test
    void a_run_that_was_ordered_is_not_ordered_again_of_an_agent_with_another_spool() {
        register("first", "boot", new Life("s", 2));
        cell.submit(1, "batch", gpus(1, 2, null), LaunchMode.BATCH, true);
        cell.round();
        heard(Presence.SILENT);

        List<Order> other = register("other", "boot", new Life("t", 1));

        assertThat(other).singleElement().isInstanceOf(Order.Sync.class);
        assertThat(cell.job(1).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void agents_of_earlier_versions_are_accepted_in_the_order_of_the_log() {
        livingTwice();

        List<Order> earlier = register("earlier", "boot", null, HeldRun.Phase.RUNNING);
        List<Order> later = register("later", "boot", new Life("t", 1), HeldRun.Phase.RUNNING);

        assertAccepted(earlier, "earlier");
        assertAccepted(later, "later");
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
    }

    private List<Order> signed(String nonce, @Nullable String key) {
        NodeSeen seen = seen("n1", 8, 8, "a100", nonce, "boot", List.of()).in(new Life("s", 9));
        return orders(cell.take(new Input.Registered(key == null ? seen : seen.by(key))));
    }

    @Test
    void an_agent_without_the_key_of_the_node_is_refused_until_that_is_down() {
        register("first", "boot", new Life("s", 2));
        assertAccepted(signed("signs", "key"), "signs");

        List<Order> unsigned = signed("unsigned", null);
        List<Order> another = signed("another", "another key");
        List<Order> again = signed("again", "key");
        heard(Presence.DOWN);
        List<Order> down = signed("down", "another key");

        assertThat(List.of(unsigned, another))
                .allSatisfy(orders ->
                        assertThat(orders)
                                .singleElement()
                                .isInstanceOfSatisfying(
                                        Order.Refused.class,
                                        it ->
                                                assertThat(it.why())
                                                        .isEqualTo(
                                                                "node name n1 is held by an agent with another key, which is not down")));
        assertAccepted(again, "again");
        assertAccepted(down, "down");
    }

    /// On the machine of n1, as it says.
    private static NodeSeen besideN1(String name, String key) {
        NodeSeen it = seen(name, 8, 8, "a100", name, "boot", List.of());
        return new NodeSeen(
                        it.node(),
                        it.nonce(),
                        "machine-n1",
                        it.bootId(),
                        it.agentVersion(),
                        it.inventory(),
                        it.runs(),
                        it.reportsEnd())
                .by(key);
    }

    @Test
    void an_agent_that_shuts_down_takes_no_node_along_that_has_another_key() {
        signed("first", "key");
        cell.submit(1, "batch", gpus(1, 2, null), LaunchMode.BATCH, true);
        cell.round();
        cell.started(1, 1, "n1");
        cell.take(new Input.Registered(besideN1("n2", "key")));
        cell.take(new Input.Registered(besideN1("n3", "another key")));

        cell.ended(1, 1, "n1", Cause.AGENT_SHUTDOWN, 0);

        assertThat(node().presence()).isEqualTo(Presence.LEFT);
        assertThat(cell.state.node(new NodeName("n2")).orElseThrow().presence())
                .isEqualTo(Presence.LEFT);
        assertThat(cell.state.node(new NodeName("n3")).orElseThrow().presence())
                .isEqualTo(Presence.UP);
    }
}
