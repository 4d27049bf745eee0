package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.placement.Presences.Watched;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PresencesTest {

    private static final NodeName NODE = new NodeName("n1");

    private final Presences presences =
            new Presences(Duration.ofSeconds(10), Duration.ofSeconds(300), 0);

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private Presence at(long second) {
        return presences
                .at(List.of(new Watched(NODE, 1, Presence.UP, null, null)), seconds(second))
                .getOrDefault(NODE, Presence.UP);
    }

    private static List<Watched> watched(List<NodeName> nodes) {
        return watched(nodes, Presence.UP);
    }

    private static List<Watched> watched(List<NodeName> nodes, Presence known) {
        return nodes.stream().map(node -> new Watched(node, 1, known, null, null)).toList();
    }

    @Test
    void a_node_that_ends_its_runs_has_done_so_a_tenth_and_fifteen_seconds_later() {
        List<Watched> fencing = List.of(new Watched(NODE, 1, Presence.UP, 100L, null));
        presences.heard(NODE, seconds(1_000));

        var seen =
                List.of(
                        presences.at(fencing, seconds(1_124)).getOrDefault(NODE, Presence.UP),
                        presences.at(fencing, seconds(1_125)).getOrDefault(NODE, Presence.UP));

        assertThat(seen).containsExactly(Presence.SILENT, Presence.FENCED);
    }

    @Test
    void after_a_pause_a_node_has_not_ended_its_runs_before_a_full_new_period() {
        List<Watched> fencing = List.of(new Watched(NODE, 1, Presence.UP, 100L, null));
        presences.heard(NODE, seconds(0));

        presences.paused(seconds(1_000));

        assertThat(presences.at(fencing, seconds(1_124))).containsEntry(NODE, Presence.SILENT);
    }

    @Test
    void a_node_is_silent_after_ten_seconds_and_down_after_three_hundred() {
        presences.heard(NODE, seconds(100));

        List<Presence> seen = List.of(at(109), at(110), at(399), at(400));

        assertThat(seen)
                .containsExactly(Presence.UP, Presence.SILENT, Presence.SILENT, Presence.DOWN);
    }

    @Test
    void after_a_pause_every_node_gets_a_full_new_period() {
        presences.heard(NODE, seconds(0));

        presences.paused(seconds(1_000));

        assertThat(at(1_009)).isEqualTo(Presence.UP);
    }

    @Test
    void nodes_that_fall_silent_together_are_not_down() {
        List<NodeName> nodes = nodes(10);
        nodes.subList(0, 7).forEach(node -> presences.heard(node, seconds(999)));

        var seen = presences.at(watched(nodes), seconds(1_000));

        assertThat(seen.values()).doesNotContain(Presence.DOWN);
        assertThat(seen.get(new NodeName("n9"))).isEqualTo(Presence.SILENT);
    }

    @Test
    void nodes_that_fall_silent_at_other_times_go_down_one_by_one() {
        List<NodeName> nodes = nodes(10);
        nodes.subList(0, 7).forEach(node -> presences.heard(node, seconds(999)));
        for (int i = 7; i < 10; i++) {
            presences.heard(nodes.get(i), seconds(100L * i));
        }

        List<Watched> watched = watched(nodes, Presence.UP);

        assertThat(presences.at(watched, seconds(999)))
                .containsEntry(new NodeName("n7"), Presence.SILENT);
        assertThat(presences.at(watched, seconds(1_000)))
                .containsEntry(new NodeName("n7"), Presence.DOWN)
                .containsEntry(new NodeName("n8"), Presence.SILENT);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOWN", "LEFT", "FENCED"})
    void nodes_that_are_gone_do_not_keep_others_from_going_down(Presence gone) {
        List<NodeName> nodes = nodes(10);
        nodes.subList(0, 6).forEach(node -> presences.heard(node, seconds(999)));
        List<Watched> watched =
                Stream.concat(
                                watched(nodes.subList(0, 7), Presence.SILENT).stream(),
                                watched(nodes.subList(7, 10), gone).stream())
                        .toList();

        assertThat(presences.at(watched, seconds(1_000)))
                .containsEntry(new NodeName("n0"), Presence.UP)
                .containsEntry(new NodeName("n6"), Presence.DOWN)
                .containsEntry(new NodeName("n9"), Presence.DOWN);
    }

    @Test
    void many_of_those_that_are_left_are_not_down_together() {
        List<NodeName> nodes = nodes(20);
        nodes.subList(0, 6).forEach(node -> presences.heard(node, seconds(999)));
        List<Watched> watched =
                Stream.concat(
                                watched(nodes.subList(0, 8), Presence.SILENT).stream(),
                                watched(nodes.subList(8, 20), Presence.DOWN).stream())
                        .toList();

        assertThat(presences.at(watched, seconds(1_000)))
                .containsEntry(new NodeName("n6"), Presence.SILENT)
                .containsEntry(new NodeName("n7"), Presence.SILENT);
    }

    @Test
    void after_a_pause_a_node_is_as_it_was_until_it_is_heard_or_a_full_new_period_has_passed() {
        presences.paused(seconds(1_000));

        assertThat(presences.at(known(Presence.DOWN), seconds(1_001))).containsValue(Presence.DOWN);
        assertThat(presences.at(known(Presence.SILENT), seconds(1_001)))
                .containsValue(Presence.SILENT);
        assertThat(presences.at(known(Presence.SILENT), seconds(1_300)))
                .containsValue(Presence.DOWN);
        presences.heard(NODE, seconds(1_301));
        assertThat(presences.at(known(Presence.DOWN), seconds(1_301))).containsValue(Presence.UP);
    }

    private static List<Watched> known(Presence presence) {
        return List.of(new Watched(NODE, 1, presence, null, null));
    }

    private static List<NodeName> nodes(int many) {
        return IntStream.range(0, many).mapToObj(i -> new NodeName("n" + i)).toList();
    }

    @Test
    void one_node_of_many_goes_down() {
        List<NodeName> nodes = nodes(10);
        nodes.subList(0, 9).forEach(node -> presences.heard(node, seconds(999)));

        assertThat(presences.at(watched(nodes), seconds(1_000)).get(new NodeName("n9")))
                .isEqualTo(Presence.DOWN);
    }
}
