package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Five nodes, at noon.
final class ReservationUpkeepTest {

    private static final long NOON = Instant.parse("2026-12-24T12:00:00Z").toEpochMilli();

    private final List<Occupancy.Stay> stays = new ArrayList<>();
    private final Set<String> usable = new TreeSet<>(Set.of("n1", "n2", "n3", "n4", "n5"));
    private final ReservationUpkeep upkeep = new ReservationUpkeep();

    private final Occupancy occupancy =
            new Occupancy() {
                @Override
                public List<String> nodes() {
                    return List.of("n1", "n2", "n3", "n4", "n5");
                }

                @Override
                public Set<String> usable() {
                    return usable;
                }

                @Override
                public List<Stay> stays() {
                    return stays;
                }
            };

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
        stays.add(new Occupancy.Stay(17, List.of(node), NOON + 3_600_000, reservation));
    }

    private String patch(ClusterFile file, long seconds) {
        return upkeep.patch(file, occupancy, NOON + seconds * 1000)
                .map(JsonNode::toString)
                .orElse("");
    }

    @Test
    void one_that_nobody_uses_for_so_long_goes() throws Exception {
        ClusterFile file = file(from("11:00", "nodes: n1, flags: PURGE_COMP, purgeAfter: '10:00'"));
        assertThat(patch(file, 0)).isEmpty();
        holds("n1", "r");
        assertThat(patch(file, 300)).isEmpty();
        stays.clear();

        assertThat(patch(file, 400)).isEmpty();
        assertThat(patch(file, 999)).isEmpty();
        assertThat(patch(file, 1000)).isEqualTo("{\"reservations\":{\"r\":null}}");
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
}
