package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.KafkaConnection;
import io.berth.submit.Deadline;
import io.berth.submit.SubmitConfig;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SpecSweep;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class SpecSweepTest {
    @Inject KafkaConnection kafka;
    @Inject EventWriter writer;
    @Inject GatewayLog log;
    @Inject SubmitConfig config;

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    private SpecSweep in(Duration time) {
        return new SpecSweep(kafka, writer, log, Clock.offset(Clock.systemUTC(), time), config);
    }

    /// Whether the last record of each job in `specs` has a value.
    private static Map<Long, Boolean> specs(Mesh mesh) {
        var specs = new HashMap<Long, Boolean>();
        for (var record : mesh.records(Topics.SPECS)) {
            long job = Long.parseLong(new String(record.key(), StandardCharsets.UTF_8));
            specs.put(job, record.value() != null);
        }
        return specs;
    }

    @Test
    void a_specification_goes_a_week_after_its_submission_when_nobody_knows_its_job_any_more()
            throws Exception {
        long waits = Api.submitted("alice", "");
        long forgotten = Api.submitted("alice", "");
        long array = Api.submitted("alice", "\"terms\":{\"array\":\"0-1\"}");
        long last = Api.submitted("alice", "");
        try (var mesh = Mesh.connect()) {
            mesh.forgetJob(forgotten);
            mesh.forgetJob(array);
            log.catchUp(Deadline.in(Duration.ofSeconds(10)));

            in(Duration.ofDays(6)).sweep();
            Map<Long, Boolean> aDayBefore = specs(mesh);
            SpecSweep sweep = in(Duration.ofDays(8));
            sweep.sweep();
            Map<Long, Boolean> then = specs(mesh);
            int again = sweep.sweep();
            mesh.forgetJob(mesh.submitted(array).jobs().getLast().job().value());
            log.catchUp(Deadline.in(Duration.ofSeconds(10)));
            sweep.sweep();

            assertThat(aDayBefore)
                    .containsEntry(forgotten, true)
                    .containsEntry(array, true)
                    .containsEntry(waits, true);
            assertThat(then)
                    .containsEntry(forgotten, false)
                    .as("one of its tasks waits")
                    .containsEntry(array, true)
                    .containsEntry(waits, true)
                    .containsEntry(last, true);
            assertThat(again).as("what was deleted before").isZero();
            assertThat(specs(mesh)).containsEntry(array, false).containsEntry(waits, true);
        }
    }
}
