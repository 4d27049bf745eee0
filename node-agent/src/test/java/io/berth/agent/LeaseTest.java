package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.host.LiveProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir Path folder;

    private Lease open() throws IOException {
        return Lease.open(folder.resolve("lease"), HOUR);
    }

    private long until() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve("lease")).strip());
    }

    private void leave(long until) throws IOException {
        Files.writeString(folder.resolve("lease"), "%020d\n".formatted(until));
    }

    @Test
    void it_counts_from_the_moment_that_what_was_heard_was_written() throws IOException {
        Lease lease = open();
        long written = LiveProcess.uptimeMillis() + 5_000;

        lease.heard(written);

        assertThat(until()).isEqualTo(written + HOUR.toMillis());
    }

    @Test
    void what_was_written_earlier_and_is_acknowledged_later_does_not_shorten_it()
            throws IOException {
        Lease lease = open();
        long written = LiveProcess.uptimeMillis() + 5_000;
        lease.heard(written);

        lease.heard(written - 3_000);

        assertThat(until()).isEqualTo(written + HOUR.toMillis());
    }

    /// Those who look at it may have acted already.
    @Test
    void one_that_is_over_is_not_renewed_by_what_is_heard_then() throws IOException {
        leave(7);
        Lease lease = open();

        lease.heard(LiveProcess.uptimeMillis());

        assertThat(until()).isEqualTo(7);
        assertThat(lease.over()).isTrue();
    }

    @Test
    void with_a_registration_another_one_begins() throws IOException {
        leave(7);
        Lease lease = open();
        long written = LiveProcess.uptimeMillis();

        lease.begin(written);

        assertThat(until()).isEqualTo(written + HOUR.toMillis());
        assertThat(lease.over()).isFalse();
    }

    @Test
    void a_new_agent_does_not_renew_what_an_earlier_one_left() throws IOException {
        leave(7);

        Lease lease = open();

        assertThat(until()).isEqualTo(7);
        assertThat(lease.over()).isTrue();
    }

    @Test
    void one_that_an_earlier_boot_left_ends_no_later_than_a_new_one() throws IOException {
        leave(Long.MAX_VALUE / 2);

        open();

        assertThat(until()).isLessThanOrEqualTo(LiveProcess.uptimeMillis() + HOUR.toMillis());
    }

    @Test
    void without_a_duration_there_is_none_and_runs_go_on() throws IOException {
        leave(7);

        Lease lease = Lease.open(folder.resolve("lease"), null);

        assertThat(folder.resolve("lease")).doesNotExist();
        assertThat(lease.over()).isFalse();
    }
}
