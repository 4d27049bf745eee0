package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.NodeRequest;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which nodes a job's constraints leave it.
final class ConstraintsTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void nodes() {
        cell.node("n1", 8, 4, "a100");
        cell.node("n2", 8, 4, "h100");
        cell.node("n3", 8, 4, "h100");
    }

    private static ResourceRequest on(int nodes, NodeConstraints where) {
        return new ResourceRequest(
                nodes, nodes, 1, MemoryRequest.perCpu(1024), new GpuRequest(1, null), where);
    }

    private static NodeConstraints where(
            @Nullable String features, List<String> listed, List<String> excluded) {
        return new NodeConstraints(
                features == null ? null : FeatureExpression.parse(features),
                listed.stream().map(NodeName::new).toList(),
                excluded.stream().map(NodeName::new).toList(),
                Sharing.SHARED,
                null);
    }

    private static ResourceRequest alone(int cpus) {
        return new ResourceRequest(
                1,
                1,
                cpus,
                MemoryRequest.perCpu(1024),
                GpuRequest.NONE,
                new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a100                | 1 | n1:0:0",
                "h100                | 1 | n2:0:0",
                "h100&x86_64         | 1 | n2:0:0",
                "[a100|h100]         | 1 | n1:0:0",
                "[a100|h100]         | 2 | n2:0:0 n3:1:0",
                "a100|h100           | 2 | n1:0:0 n2:1:0",
            })
    void nodes_have_the_features_asked_for(String features, int nodes, String placed) {
        cell.submit(1, on(nodes, where(features, List.of(), List.of())));

        cell.round();

        assertThat(cell.where(1)).containsExactly(placed.split(" "));
    }

    @Test
    void nodes_are_of_the_list_and_none_of_the_excluded() {
        cell.submit(1, on(1, where(null, List.of("n3"), List.of())));
        cell.submit(2, on(2, where(null, List.of(), List.of("n1"))));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n3:0:0");
        assertThat(cell.where(2))
                .extracting(it -> it.substring(0, 2))
                .containsExactlyInAnyOrder("n2", "n3");
    }

    @Test
    void what_no_node_has_can_never_be() {
        cell.submit(1, on(1, where("b200", List.of(), List.of())));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void a_feature_that_an_operator_gives_counts_at_once() {
        var placement = new Placement(cell.state, Settings.DEFAULT);
        cell.submit(1, on(1, where("nvme", List.of(), List.of())));
        replay(placement, placement.decide(cell.now, Pass.PLAN));

        List<Fact> given =
                cell.take(
                        new Input.NodeAsked(
                                new NodeRequest.FeaturesSet(
                                        new NodeName("n2"), "root", List.of("nvme"))));
        given.forEach(placement::note);
        replay(placement, placement.decide(cell.now, Pass.PLAN));

        assertThat(cell.where(1)).containsExactly("n2:0:0");
    }

    private void replay(Placement placement, List<Fact> facts) {
        for (Fact fact : facts) {
            cell.state.replay(fact);
            placement.note(fact);
        }
    }

    @Test
    void an_exclusive_job_has_an_empty_node_to_itself() {
        cell.submit(1, gpus(1, 1, "a100"));
        cell.round();
        cell.submit(2, alone(1));
        cell.submit(3, alone(1));
        cell.submit(4, gpus(1, 1, null));

        cell.round();

        assertThat(cell.where(2)).containsExactly("n2:0:0,1,2,3");
        assertThat(cell.where(3)).containsExactly("n3:0:0,1,2,3");
        assertThat(cell.where(4)).containsExactly("n1:0:1");
    }

    @Test
    void gpus_that_do_not_divide_are_more_on_the_first_node() {
        cell.submit(
                1,
                new ResourceRequest(
                        2,
                        2,
                        1,
                        MemoryRequest.perCpu(1024),
                        new GpuRequest(0, "h100", null, 5, null, null)));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0:0,1,2", "n3:1:0,1");
    }
}
