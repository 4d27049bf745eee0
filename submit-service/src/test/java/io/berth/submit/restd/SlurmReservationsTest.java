package io.berth.submit.restd;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.submit.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SlurmReservationsTest {

    @Test
    void a_reservation_is_told_with_its_nodes_and_its_next_time() {
        Configuration configuration = Samples.configuration();
        var course =
                new Reservation(
                        new Part(0, 0, 0),
                        "course",
                        1000,
                        3000,
                        List.of("ALL"),
                        List.of("ann", "bob"),
                        List.of("team_a"),
                        List.of("DAILY"),
                        "cpu",
                        60L);

        Map<String, Object> told = SlurmReservations.of(course, configuration, Samples.NODES, 3000);

        assertThat(told)
                .containsEntry("name", "course")
                .containsEntry("start_time", SlurmNumber.of(86_401))
                .containsEntry("end_time", SlurmNumber.of(86_403))
                .containsEntry("node_count", 1)
                .containsEntry("users", "ann,bob")
                .containsEntry("accounts", "team_a")
                .containsEntry("flags", List.of("DAILY"))
                .containsEntry("partition", "cpu")
                .containsEntry("purge_completed", Map.of("time", SlurmNumber.of(60)));
        assertThat(told.get("node_list")).asString().startsWith("plain-01");
        assertThat(told.get("tres")).isEqualTo("cpu=256");
    }
}
