package io.berth.standalone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.standalone.demo.Entry.RunEntry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {

    @Test
    void a_job_is_drawn_on_each_gpu_that_it_held_for_the_time_that_it_held_it() {
        var timeline =
                new Timeline(
                        2, Map.of(1L, List.of(0), 2L, List.of(0, 1)), Map.of("a", '-', "b", '#'));

        String drawn =
                timeline.draw(List.of(entry(1, "a", 0, 36_000), entry(2, "b", 36_000, 72_000)));

        assertThat(drawn)
                .startsWith(
                        "  GPU 0 |1"
                                + "-".repeat(35)
                                + "2"
                                + "#".repeat(35)
                                + "|\n"
                                + "  GPU 1 |"
                                + " ".repeat(36)
                                + "2"
                                + "#".repeat(35)
                                + "|\n");
        assertThat(drawn).endsWith("72.0 s\n");
    }

    private static Entry entry(long id, String user, long placedAt, long freedAt) {
        var run = new RunEntry(1, placedAt, freedAt, 0, 0);
        return new Entry(id, "n", user, "t", "COMPLETED", 1, 1, 0, List.of(run), 0, 0);
    }
}
