package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.accounting.cluster.Occupancy.Seen;
import io.berth.accounting.cluster.Occupancy.Stay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Five nodes, at noon.
final class ReservationUpkeepTest {

    private static final long NOON = Instant.parse("2026-12-24T12:00:00Z").toEpochMilli();

    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4", "n5");

    private final List<Stay> stays = new ArrayList<>();
    private final Set<String> usable = new TreeSet<>(NODES);
    private final Set<String> named = new TreeSet<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final ReservationUpkeep upkeep = new ReservationUpkeep();

    private Seen look() {
        looks.incrementAndGet();
        return new Seen(NODES, usable, stays, named);
    }

    private static ClusterFile file(String... reservations) throws InvalidClusterFile {
        return ClusterFile.parse(
                """
                name: c
                defaultAccount: everybody
                defaultQos: normal
                partitions:
                  batch: {default: true}
                  few: {nodes: "n[1-3]"}
                qos: {normal: {}}
                accounts: {everybody: {}}
                reservations:
                """
                        + String.join("", List.of(reservations)));
    }

    private static String from(String start, String rest) {
        return "  r: {start: '2026-12-24T%s:00', duration: '4:00:00', users: ann, %s}\n"
                .formatted(start, rest);
    }

    private void holds(String node, @Nullable String reservation) {
        stays.add(new Stay(17, List.of(node), NOON + 3_600_000, reservation));
    }

    private List<ObjectNode> patches(ClusterFile file, long seconds) {
        return upkeep.patches(file, this::look, NOON + seconds * 1000);
    }

    private String patch(ClusterFile file, long seconds) {
        return patches(file, seconds).stream()
                .map(JsonNode::toString)
                .collect(Collectors.joining());
    }

    @Test
    void one_that_nobody_uses_for_so_long_goes() throws Exception {
        ClusterFile file = file(from("11:00", "nodes: n1, flags: PURGE_COMP, purgeAfter: '10:00'"));
        assertThat(patch(file, 0)).isEmpty();
        named.add("r");
        assertThat(patch(file, 300)).isEmpty();
        assertThat(patch(file, 9000)).as("a job that names it runs or waits").isEmpty();
        named.clear();

        assertThat(patch(file, 9400)).isEmpty();
        assertThat(patch(file, 9999)).isEmpty();
        assertThat(patch(file, 10_000)).isEqualTo("{\"reservations\":{\"r\":null}}");
    }

    @Test
    void one_that_jobs_use_without_naming_it_stays() throws Exception {
        ClusterFile magnetic = file(from("11:00", "nodes: n1, flags: 'MAGNETIC,PURGE_COMP'"));
        ClusterFile other = file(from("11:00", "nodes: n1, flags: PURGE_COMP"));
        holds("n1", null);

        assertThat(patch(magnetic, 0) + patch(magnetic, 300)).isEmpty();
        assertThat(patch(other, 600) + patch(other, 900)).isNotEmpty();
        stays.clear();
        holds("n2", null);
        assertThat(patch(magnetic, 1200) + patch(magnetic, 1500)).isNotEmpty();
    }

    @Test
    void one_that_has_not_begun_does_not_go() throws Exception {
        ClusterFile file = file(from("13:00", "nodes: n1, flags: PURGE_COMP"));

        assertThat(patch(file, 0)).isEmpty();
        assertThat(patch(file, 3599)).isEmpty();
        assertThat(patch(file, 3600)).as("it has begun").isEmpty();
        assertThat(patch(file, 3900)).isNotEmpty();
    }

    @Test
    void a_node_that_cannot_be_used_is_replaced_by_one_that_nobody_has() throws Exception {
        ClusterFile file =
                file(
                        from("11:00", "nodes: 'n[1-2]', flags: REPLACE_DOWN"),
                        from("11:00", "nodes: n3").replace("r:", "other:"));
        holds("n4", null);
        assertThat(patch(file, 0)).isEmpty();

        usable.remove("n2");

        assertThat(patch(file, 10)).isEqualTo("{\"reservations\":{\"r\":{\"nodes\":\"n[1,5]\"}}}");
    }

    @Test
    void a_node_that_a_job_holds_is_replaced_where_it_says_so() throws Exception {
        holds("n1", "r");

        assertThat(patch(file(from("11:00", "nodes: 'n[1-2]', flags: REPLACE_DOWN")), 0)).isEmpty();
        assertThat(patch(file(from("11:00", "nodes: 'n[1-2]', flags: REPLACE")), 0))
                .isEqualTo("{\"reservations\":{\"r\":{\"nodes\":\"n[2-3]\"}}}");
    }

    @Test
    void a_node_is_replaced_by_one_of_the_partition_or_by_none() throws Exception {
        holds("n1", "r");
        holds("n3", null);

        assertThat(patch(file(from("11:00", "nodes: 'n[1-2]', partition: few, flags: REPLACE")), 0))
                .isEmpty();
    }

    @Test
    void two_that_replace_nodes_get_different_ones() throws Exception {
        ClusterFile file =
                file(
                        from("11:00", "nodes: n1, flags: REPLACE_DOWN"),
                        from("11:00", "nodes: n2, flags: REPLACE_DOWN").replace("r:", "other:"),
                        from("11:00", "nodes: n3, flags: REPLACE_DOWN").replace("r:", "third:"));
        usable.removeAll(Set.of("n1", "n2", "n3"));

        List<ObjectNode> patches = patches(file, 0);

        assertThat(patches)
                .extracting(JsonNode::toString)
                .containsExactly(
                        "{\"reservations\":{\"r\":{\"nodes\":\"n4\"}}}",
                        "{\"reservations\":{\"other\":{\"nodes\":\"n5\"}}}");
        ClusterFile after = file;
        for (ObjectNode patch : patches) {
            ClusterFile before = after;
            after = before.patched(patch);
            assertThat(new ReservedNodes(this::look, NOON).conflict(before, after)).isEmpty();
        }
    }

    @Test
    void a_node_is_replaced_though_another_is_shared() throws Exception {
        ClusterFile before =
                file(
                        from("11:00", "nodes: 'n[1-2]', flags: REPLACE_DOWN"),
                        from("11:00", "nodes: n1").replace("r:", "other:"));
        usable.remove("n2");

        ObjectNode patch = patches(before, 0).getFirst();

        assertThat(patch.toString()).isEqualTo("{\"reservations\":{\"r\":{\"nodes\":\"n[1,3]\"}}}");
        assertThat(new ReservedNodes(this::look, NOON).conflict(before, before.patched(patch)))
                .isEmpty();
    }

    @Test
    void the_books_are_looked_into_once_and_only_for_those_that_change_by_themselves()
            throws Exception {
        usable.remove("n1");

        assertThat(patches(file(from("11:00", "nodes: n1, flags: REPLACE_DOWN")), 0)).hasSize(1);
        assertThat(looks).hasValue(1);
        assertThat(patches(file(from("11:00", "nodes: n1")), 0)).isEmpty();
        assertThat(looks).hasValue(1);
    }
}
