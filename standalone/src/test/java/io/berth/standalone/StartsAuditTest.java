package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StartsAuditTest {

    private static final RunId RUN = new RunId(new JobId(1), 1);
    private static final NodeName N1 = new NodeName("n1");
    private static final NodeName N2 = new NodeName("n2");

    private final StartsAudit audit = new StartsAudit();

    private void launched(NodeName... nodes) {
        List<Allocation> allocations =
                IntStream.range(0, nodes.length)
                        .mapToObj(it ->
                                new Allocation(nodes[it], it, 1, IndexSet.parse("0"), 1, List.of()))
                        .toList();
        for (NodeName node : nodes) {
            audit.read(
                    new Order.Launch(
                            node,
                            1,
                            1,
                            RUN,
                            new SpecReference(0, 0, "00"),
                            LaunchMode.BATCH,
                            nodes.length > 1,
                            allocations,
                            0));
        }
    }

    private void released(NodeName node) {
        audit.read(new Order.Go(node, 1, 2, RUN));
    }

    private void ready(NodeName node) {
        audit.read(new RunReport.Ready(RUN, node, 1, 1));
    }

    private void started(NodeName node) {
        audit.read(new RunReport.Started(RUN, node, 1, 1, List.of()));
    }

    private void registered(NodeName node, HeldRun.Phase phase) {
        var inventory =
                new Inventory(1, 1, 1, 1, 1, List.of(), List.of(), true, null, "linux", "x86");
        audit.read(
                new NodeSeen(
                        node, "1", "m", "b", "1", inventory, List.of(new HeldRun(RUN, phase)), 0));
    }

    @Test
    void a_run_on_one_node_starts_when_it_was_ordered() {
        launched(N1);

        started(N1);

        assertThat(audit.breaks()).isEmpty();
    }

    @Test
    void code_that_nobody_ordered_is_noticed() {
        launched(N1);

        started(N2);

        assertThat(audit.breaks()).containsExactly("run 1.1 started on n2 without an order");
    }

    @Test
    void a_gang_starts_when_all_its_nodes_are_ready_and_have_the_word() {
        launched(N1, N2);
        released(N1);
        released(N2);
        ready(N1);
        registered(N2, HeldRun.Phase.PREPARED);

        started(N1);
        started(N2);

        assertThat(audit.breaks()).isEmpty();
    }

    @Test
    void a_gang_that_starts_before_a_node_is_ready_is_noticed() {
        launched(N1, N2);
        released(N1);
        ready(N1);
        registered(N2, HeldRun.Phase.RUNNING);

        started(N1);
        ready(N2);

        assertThat(audit.breaks()).containsExactly("run 1.1 started on n1 before n2 was ready");
    }

    @Test
    void a_gang_that_starts_without_the_word_is_noticed() {
        launched(N1, N2);
        released(N1);
        ready(N1);
        ready(N2);

        started(N1);
        started(N2);

        assertThat(audit.breaks()).containsExactly("run 1.1 started on n2 without the word to go");
    }
}
