package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Eight nodes of 8 GPUs, two in each of four racks, two racks in each of two rows, and a node in
/// the second row that is in no rack. That and the one before it are a block.
final class LevelsTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void start() {
        var pair = new Block("pair", List.of(new NodeName("n8"), new NodeName("n9")));
        cell.configure(it -> it.blocks = new Blocks(List.of(pair), List.of()));
        cell.switches(
                of("r1", "rack", List.of("n1", "n2"), List.of()),
                of("r2", "rack", List.of("n3", "n4"), List.of()),
                of("r3", "rack", List.of("n5", "n6"), List.of()),
                of("r4", "rack", List.of("n7", "n8"), List.of()),
                of("east", "row", List.of(), List.of("r1", "r2")),
                of("west", "row", List.of("n9"), List.of("r3", "r4")),
                of("all", null, List.of(), List.of("east", "west")));
        for (int node = 1; node <= 9; node++) {
            cell.node("n" + node, 8, 8, "a100");
        }
    }

    private static Switch of(
            String name, @Nullable String level, List<String> nodes, List<String> switches) {
        return new Switch(new Part(2, 1, 1), name, nodes, switches, level);
    }

    private static ResourceRequest within(String level, @Nullable Long seconds, int nodes) {
        return gpus(nodes, 8, null)
                .on(NodeConstraints.NONE.under(SwitchLimit.within(level, seconds)));
    }

    private List<String> nodes(long job) {
        return cell.where(job).stream()
                .map(it -> it.substring(0, it.indexOf(':')))
                .sorted()
                .toList();
    }

    private Verdict why(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    private static NodeConstraints on(String node) {
        return new NodeConstraints(
                null, List.of(new NodeName(node)), List.of(), Sharing.SHARED, null);
    }

    /// One job on each of these nodes.
    private void fill(int... nodes) {
        for (int node : nodes) {
            cell.submit(100 + node, gpus(1, 8, null).on(on("n" + node)));
        }
        cell.round();
    }

    @Test
    void all_nodes_of_a_job_are_in_one_row_though_others_are_free() {
        fill(1, 2);

        cell.submit(1, within("row", null, 4));
        cell.round();

        assertThat(nodes(1)).allMatch(List.of("n5", "n6", "n7", "n8", "n9")::contains).hasSize(4);
    }

    @Test
    void a_required_level_is_waited_for_without_end_and_has_an_expected_start() {
        fill(1, 5);
        cell.submit(1, within("row", null, 5));
        cell.round();
        assertThat(nodes(1)).isEmpty();
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(Objects.requireNonNull(cell.job(1).planned()).nodes())
                .extracting(NodeName::value)
                .containsExactlyInAnyOrder("n5", "n6", "n7", "n8", "n9");

        cell.now += 900_000;
        cell.round();
        assertThat(nodes(1)).isEmpty();
        cell.ended(105, 1, "n5", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(nodes(1)).containsExactly("n5", "n6", "n7", "n8", "n9");
    }

    @Test
    void a_level_that_is_waited_for_so_long_is_given_up_then() {
        fill(1, 3, 5, 7);
        cell.submit(1, within("rack", 60L, 2));
        cell.round();
        assertThat(nodes(1)).isEmpty();

        cell.now += 60_000;
        cell.round();

        assertThat(nodes(1)).hasSize(2);
    }

    @Test
    void a_level_that_is_only_preferred_keeps_nobody_waiting() {
        cell.submit(1, within("rack", 0L, 2));
        cell.submit(2, within("rack", 0L, 3));
        cell.round();

        assertThat(nodes(1)).isIn(List.of("n1", "n2"), List.of("n3", "n4"), List.of("n8", "n9"));
        assertThat(nodes(2)).hasSize(3);
    }

    @Test
    void blocks_and_the_heights_of_switches_are_levels_too() {
        cell.submit(1, within("block", null, 2));
        cell.submit(2, within("2", null, 7));
        cell.round();

        assertThat(nodes(1)).containsExactly("n8", "n9");
        assertThat(nodes(2)).hasSize(7);
    }

    @Test
    void why_a_job_waits_for_a_rack_is_told_with_the_level_that_would_do() {
        fill(1, 3, 5, 7);
        cell.submit(1, within("rack", null, 2));
        cell.round();

        assertThat(why(1).stages())
                .contains(
                        new Stage(Question.REGISTERED, 9, 40),
                        new Stage(Question.CONSTRAINTS, 8, 32),
                        new Stage(Question.UNPLANNED, 4, 32),
                        new Stage(Question.TOGETHER, 0, 0));
        assertThat(why(1).changes())
                .containsExactly(
                        new Change(Axis.NODES, "2", "1"), new Change(Axis.LEVEL, "rack", "row"));
    }

    @Test
    void a_level_that_is_no_more_keeps_its_jobs_from_starting() {
        fill(1, 3, 5, 7);
        cell.submit(1, within("rack", null, 2));
        cell.round();

        cell.switches(of("r1", null, List.of("n1", "n2", "n3", "n4"), List.of()));
        cell.round();

        assertThat(nodes(1)).isEmpty();
        assertThat(why(1).stages()).contains(new Stage(Question.CONSTRAINTS, 0, 0));
    }

    @Test
    void an_expected_start_that_a_new_tree_takes_apart_is_not_kept() {
        fill(1, 3, 5, 7);
        cell.submit(1, within("rack", null, 2));
        cell.round();
        assertThat(Objects.requireNonNull(cell.job(1).planned()).nodes())
                .extracting(NodeName::value)
                .containsExactly("n1", "n2");

        cell.switches(
                of("r1", "rack", List.of("n1", "n3"), List.of()),
                of("r2", "rack", List.of("n2", "n4"), List.of()));
        cell.round();

        assertThat(nodes(1)).containsExactly("n2", "n4");
    }
}
