package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A node with plenty of everything in a cluster with two licenses.
final class PlacementLicensesTest {

    private final TestCell cell = new TestCell();
    private final long zero = cell.now;

    @BeforeEach
    void two_licenses() {
        licenses(2);
        cell.node("n1", 64, 8, "a100");
    }

    private void licenses(int count) {
        Configuration plain = TestCell.configuration();
        var licenses = new LinkedHashMap<String, License>();
        licenses.put("matlab", new License(new Part(1, 1, 1), "matlab", count));
        cell.take(
                new Input.Configured(
                        new Configuration(
                                plain.revision() + 1,
                                plain.cluster(),
                                plain.partitions(),
                                plain.accounts(),
                                plain.associations(),
                                plain.qos(),
                                plain.reservations(),
                                plain.switches(),
                                licenses)));
    }

    private void submit(long id, int licenses, long limitSeconds) {
        ResourceRequest plain = gpus(1, 0, null);
        var request =
                new ResourceRequest(
                        1,
                        1,
                        1,
                        plain.memory(),
                        plain.gpus(),
                        null,
                        licenses == 0 ? null : Map.of("matlab", licenses));
        cell.submit(id, TestCell.job(request, limitSeconds));
    }

    private boolean runs(long id) {
        return cell.job(id).run() != null;
    }

    @Test
    void a_job_whose_licenses_are_in_use_waits_for_them() {
        submit(1, 1, 600);
        submit(2, 2, 600);
        submit(3, 0, 600);

        cell.round();

        assertThat(runs(1)).isTrue();
        assertThat(runs(3)).isTrue();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.LICENSES);
        assertThat(cell.job(2).planned()).extracting(Planned::start).isEqualTo(zero + 602_000);
    }

    @Test
    void it_starts_when_they_come_free() {
        submit(1, 2, 600);
        submit(2, 2, 600);
        cell.round();
        cell.ready(1, 1, "n1");
        cell.ended(1, 1, "n1", Cause.EXITED, 0);

        cell.round();

        assertThat(runs(2)).isTrue();
    }

    @Test
    void who_stands_behind_it_takes_one_only_until_it_is_expected_to_start() {
        submit(1, 1, 600);
        submit(2, 2, 600);
        submit(3, 1, 900);
        submit(4, 1, 300);

        cell.round();

        assertThat(runs(3)).isFalse();
        assertThat(runs(4)).isTrue();
    }

    @Test
    void a_license_that_is_taken_away_keeps_its_jobs_waiting() {
        licenses(0);
        submit(1, 1, 600);

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.LICENSES);
        assertThat(cell.job(1).planned()).isNull();
    }

    @Test
    void fewer_than_are_in_use_start_nobody() {
        submit(1, 2, 600);
        cell.round();
        licenses(1);
        submit(2, 1, 600);

        cell.round();

        assertThat(runs(1)).isTrue();
        assertThat(runs(2)).isFalse();
    }

    @Test
    void never_are_more_in_use_than_there_are() {
        var random = new Random(7);
        for (long id = 1; id <= 200; id++) {
            submit(id, random.nextInt(3), 60 + random.nextInt(600));
            cell.now += random.nextInt(200_000);
            for (JobStatus job : cell.state.holding().stream().map(cell.state::knownJob).toList()) {
                if (random.nextInt(3) == 0) {
                    cell.ready(job.job().value(), 1, "n1");
                    cell.ended(job.job().value(), 1, "n1", Cause.EXITED, 0);
                }
            }

            cell.round();

            int used =
                    cell.state.holding().stream()
                            .map(cell.state::knownJob)
                            .mapToInt(it -> held(it))
                            .sum();
            assertThat(used).as("after job %s", id).isBetween(0, 2);
        }
    }

    private static int held(JobStatus job) {
        return job.description().request().licensesHeld().getOrDefault("matlab", 0);
    }
}
