package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.core.request.Sight;
import io.berth.submit.Samples;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Of a reservation from 1,000 to 3,000 milliseconds.
final class ReservationJsonTest {

    private static ReservationJson only(@Nullable String partition, long now, String... flags) {
        return all(partition, now, flags).getFirst();
    }

    private static List<ReservationJson> all(
            @Nullable String partition, long now, String... flags) {
        Configuration plain = Samples.configuration();
        var reservations = new LinkedHashMap<String, Reservation>();
        reservations.put(
                "course",
                new Reservation(
                        new Part(0, 0, 0),
                        "course",
                        1000,
                        3000,
                        List.of("ALL"),
                        List.of("ann"),
                        List.of(),
                        List.of(flags),
                        partition));
        var configuration =
                new Configuration(
                        2,
                        plain.cluster(),
                        plain.partitions(),
                        plain.accounts(),
                        plain.associations(),
                        plain.qos(),
                        reservations,
                        plain.switches(),
                        plain.licenses());
        return ReservationJson.all(
                configuration, Samples.NODES, new Sight(configuration, "alice", false), now);
    }

    @Test
    void it_is_active_from_its_start_to_its_end() {
        assertThat(only(null, 999).state()).isEqualTo("INACTIVE");
        assertThat(only(null, 1000).state()).isEqualTo("ACTIVE");
        assertThat(only(null, 2999).state()).isEqualTo("ACTIVE");
    }

    @Test
    void one_that_is_over_is_not_told() {
        assertThat(all(null, 3000)).isEmpty();
    }

    @Test
    void one_that_comes_again_is_told_with_its_next_time() {
        long day = 86_400_000;

        ReservationJson tomorrow = only(null, 3000, "DAILY");

        assertThat(tomorrow.startsAt()).isEqualTo(day + 1000);
        assertThat(tomorrow.endsAt()).isEqualTo(day + 3000);
        assertThat(only(null, 9 * day + 2000, "DAILY").state()).isEqualTo("ACTIVE");
    }

    @Test
    void all_are_the_registered_nodes_of_its_partition() {
        assertThat(only(null, 0).nodes())
                .containsExactlyInAnyOrder("dgx-01", "dgx-02", "plain-01", "volta-01");
        assertThat(only("cpu", 0).nodes()).containsExactly("plain-01");
        assertThat(only("cpu", 0).cpus()).isEqualTo(256);
    }
}
