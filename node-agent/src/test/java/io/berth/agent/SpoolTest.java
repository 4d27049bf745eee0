package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {

    private static final NodeName NODE = new NodeName("n1");
    private static final long DAY_MILLIS = 86_400_000;

    @TempDir Path home;

    private Life life(Path of) throws IOException {
        try (Spool spool = Spool.open(of, NODE)) {
            return spool.life();
        }
    }

    @Test
    void agents_on_one_spool_have_lives_that_follow_one_another() throws IOException {
        Life first = life(home.resolve("a"));
        Life second = life(home.resolve("a"));
        Life elsewhere = life(home.resolve("b"));

        assertThat(second.spool()).isEqualTo(first.spool());
        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(elsewhere.spool()).isNotEqualTo(first.spool());
    }

    private void last(String spool, long number) throws IOException {
        Files.writeString(
                home.resolve("nodes/n1/life"),
                Json.mapper().writeValueAsString(new Life(spool, number)));
    }

    @Test
    void a_clock_that_was_set_back_does_not_set_lives_back() throws IOException {
        Life first = life(home);
        long ahead = first.number() + DAY_MILLIS;

        last(first.spool(), ahead);

        assertThat(life(home)).isEqualTo(new Life(first.spool(), ahead + 1));
    }

    @Test
    void on_a_spool_that_was_brought_back_as_it_was_lives_go_on_after_those_since()
            throws IOException {
        Life now = life(home);

        last(now.spool(), now.number() - DAY_MILLIS);

        assertThat(life(home).number()).isGreaterThanOrEqualTo(now.number());
    }
}
