package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.db.Books;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.restassured.response.Response;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.BeforeEach;

/// The service on a real broker and a real database, and what tests do to both.
abstract class RunningBooks {

    static final String JOBS = Topics.JOBS.name();
    static final Duration PATIENCE = Duration.ofSeconds(60);

    final KafkaConnection kafka = Servers.outside();
    @Inject TopicDeclarations declarations;
    @Inject BooksLoop loop;
    @Inject Books books;
    @Inject RetentionLoop retention;
    @Inject ClusterConfiguration configuration;
    @Inject Occupancy occupancy;
    @Inject Revisions revisions;

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String jdbcUrl = "";

    @ConfigProperty(name = "quarkus.datasource.password")
    String password = "";

    Servers servers = new Servers();
    Tables tables = new Tables("", "");

    final Lives lives = new Lives(7);
    final List<EndedRun> charged = new ArrayList<>();
    final Events<JobEvent> events = new Events<>(Topics.JOBS, "placement-service");
    int nextId = 1;

    @BeforeEach
    void jobs_topic_exists() {
        tables = new Tables(jdbcUrl, password);
        try (Admin admin = kafka.admin()) {
            declarations.create(admin, List.of(Topics.JOBS, Topics.NODE_STATES));
        }
    }

    /// Writes the lives of so many new jobs.
    void write(int jobs) {
        try (var producer = kafka.producer()) {
            int before = lives.charged().size();
            for (JobEvent event : lives.events(nextId, jobs)) {
                var unused = producer.send(events.record(0, event, "test"));
            }
            producer.flush();
            charged.addAll(lives.charged().subList(before, lives.charged().size()));
            nextId += jobs;
        }
    }

    long writeRaw(String topic, String event, String value) {
        var record =
                new ProducerRecord<>(
                        topic,
                        0,
                        "1".getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8));
        record.headers().add("ce_type", (topic + "/" + event).getBytes(StandardCharsets.UTF_8));
        try (var producer = kafka.producer()) {
            return producer.send(record).get().offset();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits until the books hold all that was written, and checks the sum of usage.
    void awaitBooks() {
        Charge all = charged.stream().map(EndedRun::charge).reduce(Charge.ZERO, Charge::plus);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> {
                    assertThat(tables.count("job")).isEqualTo(nextId - 1L);
                    assertThat(tables.sum("billing_micros")).isEqualTo(all.billingMicros());
                    assertThat(tables.sum("gpu_millis")).isEqualTo(all.gpuMillis());
                    assertThat(tables.position()).isEqualTo(end());
                });
    }

    long end() {
        var partition = new TopicPartition(JOBS, 0);
        try (var consumer = kafka.consumer()) {
            return consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
        }
    }

    void change(String change) throws Exception {
        var made = configuration.patch("root", null, false, new ObjectMapper().readTree(change));
        assertThat(made).isInstanceOf(Changed.Done.class);
        configuration.await(((Changed.Done) made).revision(), PATIENCE);
    }

    static Response balance() {
        return given().get("/v1/accounting/balance");
    }

    static Response ready() {
        return given().get("/q/health/ready");
    }
}
