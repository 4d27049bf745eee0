package io.berth.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TransitionsTest {

    private static JobDescription job(
            String account, String partition, String qos, String name, int cpus, long limit) {
        return new JobDescription(
                "alice",
                account,
                partition,
                qos,
                name,
                TestCell.cpus(cpus),
                LaunchMode.BATCH,
                limit,
                0,
                true);
    }

    @ParameterizedTest
    @CsvSource({
        "team,  batch,  normal, other, 1, 600, true",
        "other, batch,  normal, job,   1, 600, false",
        "team,  urgent, normal, job,   1, 600, false",
        "team,  batch,  high,   job,   1, 600, false",
        "team,  batch,  normal, job,   2, 600, false",
        "team,  batch,  normal, job,   1, 601, false",
    })
    void what_is_cleared_for_a_job_stays_if_it_needs_the_same_for_no_longer(
            String account,
            String partition,
            String qos,
            String name,
            int cpus,
            long limit,
            boolean stays) {
        var cell = new TestCell();
        cell.submit(1, job("team", "batch", "normal", "job", 1, 600));
        var clearing = new Clearing(0, 1000, List.of(new NodeName("n1")), List.of());
        JobStatus cleared = Transitions.cleared(cell.job(1), clearing);

        JobStatus amended =
                Transitions.amended(cleared, job(account, partition, qos, name, cpus, limit));

        assertThat(amended.clearing()).isEqualTo(stays ? clearing : null);
        assertThat(amended.description().name()).isEqualTo(name);
    }
}
