package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.placement.Presences.Watched;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PresencesTest {

    private static final NodeName NODE = new NodeName("n1");

    private final Presences presences =
            new Presences(Duration.ofSeconds(10), Duration.ofSeconds(300), 0);

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private Presence at(long second) {
        return presences
                .at(List.of(new Watched(NODE, null)), seconds(second))
                .getOrDefault(NODE, Presence.UP);
    }

    private static List<Watched> watched(List<NodeName> nodes) {
        return nodes.stream().map(node -> new Watched(node, null)).toList();
    }

    @Test
    void a_node_that_ends_its_runs_has_done_so_a_tenth_and_fifteen_seconds_later() {
        List<Watched> fencing = List.of(new Watched(NODE, 100L));
        presences.heard(NODE, seconds(1_000));

        var seen =
                List.of(
                        presences.at(fencing, seconds(1_124)).getOrDefault(NODE, Presence.UP),
                        presences.at(fencing, seconds(1_125)).getOrDefault(NODE, Presence.UP));

        assertThat(seen).containsExactly(Presence.SILENT, Presence.FENCED);
    }

    @Test
    void after_a_pause_a_node_has_not_ended_its_runs_before_a_full_new_period() {
        List<Watched> fencing = List.of(new Watched(NODE, 100L));
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
        List<NodeName> nodes = IntStream.range(0, 10).mapToObj(i -> new NodeName("n" + i)).toList();
        nodes.subList(0, 7).forEach(node -> presences.heard(node, seconds(999)));

        var seen = presences.at(watched(nodes), seconds(1_000));

        assertThat(seen.values()).doesNotContain(Presence.DOWN);
        assertThat(seen.get(new NodeName("n9"))).isEqualTo(Presence.SILENT);
    }

    @Test
    void one_node_of_many_goes_down() {
        List<NodeName> nodes = IntStream.range(0, 10).mapToObj(i -> new NodeName("n" + i)).toList();
        nodes.subList(0, 9).forEach(node -> presences.heard(node, seconds(999)));

        assertThat(presences.at(watched(nodes), seconds(1_000)).get(new NodeName("n9")))
                .isEqualTo(Presence.DOWN);
    }
}
