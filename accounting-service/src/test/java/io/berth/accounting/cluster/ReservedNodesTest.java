package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.accounting.cluster.Occupancy.Seen;
import io.berth.accounting.cluster.Occupancy.Stay;
import io.berth.accounting.cluster.ReservedNodes.Conflict;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Three nodes, at noon. Job 17 holds n1 until 13:00, in reservation `mine`; n3 is drained.
final class ReservedNodesTest {

    private static final long NOON = Instant.parse("2026-12-24T12:00:00Z").toEpochMilli();

    private static final String FILE =
            """
            name: c
            defaultAccount: everybody
            defaultQos: normal
            partitions:
              batch: {default: true}
              pair: {nodes: "n[2-3]"}
            qos: {normal: {}}
            accounts: {everybody: {}}
            """;

    private final AtomicInteger looks = new AtomicInteger();

    private final ReservedNodes nodes =
            new ReservedNodes(
                    () -> {
                        looks.incrementAndGet();
                        return new Seen(
                                List.of("n1", "n2", "n3"),
                                Set.of("n1", "n2", "n3"),
                                List.of(new Stay(17, List.of("n1"), NOON + 3_600_000, "mine")),
                                Set.of("mine"));
                    },
                    NOON);

    private static ClusterFile file(String... reservations) throws InvalidClusterFile {
        return ClusterFile.parse(
                FILE + "reservations:\n  " + String.join("\n  ", reservations) + "\n");
    }

    private static String at(String name, String time, String rest) {
        return "%s: {start: '2026-12-24T%s:00', duration: '1:00:00', users: ann, %s}"
                .formatted(name, time, rest);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "r    | 12:30 | nodes: n1                           | Requested nodes are busy: job 17 on n1 may last into reservation r; flag IGNORE_JOBS makes it all the same",
                "r    | 12:30 | nodes: ALL                          | Requested nodes are busy: job 17 on n1 may last into reservation r; flag IGNORE_JOBS makes it all the same",
                "r    | 13:00 | nodes: n1                           | -",
                "r    | 12:30 | nodes: n2                           | -",
                "r    | 12:30 | 'nodes: ALL, partition: pair'       | -",
                "r    | 12:30 | 'nodes: n1, flags: IGNORE_JOBS'     | -",
                "mine | 12:30 | nodes: n1                           | -",
                "r    | 10:00 | nodes: n2                           | Requested reservation is invalid: r would be over",
                "r    | 10:00 | 'nodes: n2, flags: DAILY'           | -"
            })
    void a_reservation_wants_nodes_that_are_free_by_then(
            String name, String time, String rest, String expected) throws Exception {
        ClusterFile before = ClusterFile.parse(FILE);

        var conflict = nodes.conflict(before, file(at(name, time, rest)));

        assertThat(conflict.map(Conflict::detail).orElse(null)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "15:30 | nodes: n2                      | Requested nodes are busy: reservation first has node n2 in that time; flag OVERLAP makes r all the same",
                "15:30 | nodes: ALL                     | Requested nodes are busy: reservation first has node n2 in that time; flag OVERLAP makes r all the same",
                "15:30 | nodes: n3                      | -",
                "16:00 | nodes: n2                      | -",
                "15:30 | 'nodes: n2, flags: OVERLAP'    | -",
                "15:30 | 'nodes: n2, flags: MAINT'      | -"
            })
    void two_do_not_share_a_node_unless_one_says_so(String time, String rest, String expected)
            throws Exception {
        String first = at("first", "15:00", "nodes: n2");

        var conflict = nodes.conflict(file(first), file(first, at("r", time, rest)));

        assertThat(conflict.map(Conflict::detail).orElse(null)).isEqualTo(expected);
    }

    @Test
    void one_that_comes_again_meets_one_of_tomorrow() throws Exception {
        String daily = at("daily", "15:00", "nodes: n2, flags: DAILY");
        String tomorrow = at("r", "15:30", "nodes: n2").replace("12-24", "12-25");

        var conflict = nodes.conflict(file(daily), file(daily, tomorrow));

        assertThat(conflict.map(Conflict::code)).contains("nodes_busy");
    }

    @Test
    void another_user_of_it_is_no_matter_of_its_nodes() throws Exception {
        String before = at("r", "12:30", "nodes: n1");

        var conflict = nodes.conflict(file(before), file(before.replace("ann", "bob")));

        assertThat(conflict).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "12:30 | 'nodes: \"n[1-3]\"'              | -",
                "12:30 | nodes: n1                         | -",
                "12:30 | nodes: n3                         | -",
                "12:40 | 'nodes: \"n[1-2]\"'              | Requested nodes are busy: job 17 on n1 may last into reservation r; flag IGNORE_JOBS makes it all the same",
                "12:30 | 'nodes: \"n[1-2]\", flags: FLEX' | Requested nodes are busy: job 17 on n1 may last into reservation r; flag IGNORE_JOBS makes it all the same"
            })
    void a_run_on_nodes_that_it_keeps_does_not_hinder_it_to_have_others(
            String time, String rest, String expected) throws Exception {
        ClusterFile before = file(at("r", "12:30", "nodes: 'n[1-2]'"));

        var conflict = nodes.conflict(before, file(at("r", time, rest)));

        assertThat(conflict.map(Conflict::detail).orElse(null)).isEqualTo(expected);
    }

    @Test
    void a_run_on_a_node_that_it_is_to_have_hinders_it() throws Exception {
        ClusterFile before = file(at("r", "12:30", "nodes: n2"));

        var conflict = nodes.conflict(before, file(at("r", "12:30", "nodes: 'n[1-2]'")));

        assertThat(conflict.map(Conflict::code)).contains("nodes_busy");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "15:00 | 'nodes: \"n[1-2]\"' | nodes: n2            | -",
                "15:00 | 'nodes: \"n[2-3]\"' | nodes: n2            | -",
                "15:00 | 'nodes: \"n[1-2]\"' | 'nodes: \"n[1-2]\"' | Requested nodes are busy: reservation other has node n1 in that time; flag OVERLAP makes r all the same",
                "15:10 | 'nodes: \"n[1-2]\"' | nodes: n2            | Requested nodes are busy: reservation other has node n2 in that time; flag OVERLAP makes r all the same"
            })
    void a_node_that_two_have_already_does_not_hinder_one_of_them_to_have_others(
            String time, String rest, String ofOther, String expected) throws Exception {
        String other = at("other", "15:00", ofOther);
        ClusterFile before = file(at("r", "15:00", "nodes: n2"), other);

        var conflict = nodes.conflict(before, file(at("r", time, rest), other));

        assertThat(conflict.map(Conflict::detail).orElse(null)).isEqualTo(expected);
    }

    @Test
    void a_node_that_comes_to_be_shared_by_a_change_of_both_is_refused() throws Exception {
        ClusterFile before = file(at("r", "15:00", "nodes: n1"), at("other", "15:00", "nodes: n2"));
        ClusterFile after = file(at("r", "15:00", "nodes: n3"), at("other", "15:00", "nodes: n3"));

        assertThat(nodes.conflict(before, after).map(Conflict::code)).contains("nodes_busy");
    }

    @Test
    void the_books_are_looked_into_once() throws Exception {
        ClusterFile chosen = nodes.chosen(file(at("r", "12:30", "nodeCount: 2")));
        var conflict = nodes.conflict(ClusterFile.parse(FILE), chosen);

        assertThat(conflict).isEmpty();
        assertThat(looks).hasValue(1);
    }

    @Test
    void a_number_of_nodes_becomes_the_first_that_can_be_had() throws Exception {
        ClusterFile chosen = nodes.chosen(file(at("r", "12:30", "nodeCount: 2")));

        assertThat(chosen.reservations().getFirst().nodes()).containsExactly("n2", "n3");
    }

    @Test
    void more_than_there_are_is_refused() throws Exception {
        ClusterFile file = file(at("r", "12:30", "nodeCount: 3"));

        assertThatThrownBy(() -> nodes.chosen(file))
                .hasMessage(
                        "reservations.r.nodeCount: Requested nodes are busy: 2 of 3 nodes can be had");
    }
}
