package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.berth.client.Berth;
import io.berth.client.BerthException;
import io.berth.client.Event;
import io.berth.client.Events;
import io.berth.client.Job;
import io.berth.client.JobHandle;
import io.berth.client.Submitted;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Amended;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.Released;
import io.berth.contracts.topic.Topics;
import io.berth.slurm.JobSubmission;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What this gateway makes of the Java client's requests.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
@Timeout(120)
class JavaClientTest {
    private static final String SCRIPT = "#!/bin/sh\nhostname\n";

    private final String name = "java-" + UUID.randomUUID();
    private final Mesh others = Mesh.connect();
    private Berth mesh;

    @BeforeEach
    void ready() {
        Api.awaitReady();
        mesh =
                Berth.at(
                        "http://127.0.0.1:" + RestAssured.port,
                        Tokens.user("gosling"),
                        Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        mesh.close();
        others.close();
    }

    @Test
    void a_submission_is_a_job_that_is_found_released_changed_held_and_cancelled()
            throws Exception {
        Job job =
                mesh.submit(it -> {
                    it.script = SCRIPT;
                    it.name = name;
                    it.gpus = 1;
                    it.timeLimitSeconds = 60L;
                    it.terms.hold = true;
                });
        assertThat(job.name()).isEqualTo(name);
        assertThat(job.over()).isFalse();

        JobHandle handle = mesh.job(job.id());
        assertThat(handle.now().id()).isEqualTo(job.id());
        assertThat(handle.why().has("reason")).isTrue();
        assertThat(handle.untilOver(Duration.ZERO)).isEmpty();
        handle.release();
        handle.update(Map.of("nice", 5));
        handle.hold();
        handle.cancel();

        var id = new JobId(job.id());
        assertThat(asked(id))
                .containsExactly(
                        new Released(id, "gosling", Hold.USER),
                        "nice 5",
                        new Held(id, "gosling", Hold.USER),
                        new CancelRequested(id, "gosling"));
    }

    /// What stands in the log of that job after its submission.
    private List<Object> asked(JobId job) throws Exception {
        return others.events(Topics.SUBMISSIONS).stream()
                .filter(it -> it.job().equals(job) && !(it instanceof Submission.Submitted))
                .<Object>map(it ->
                        it instanceof Amended amended ? "nice " + amended.change().nice() : it)
                .toList();
    }

    @Test
    void many_jobs_are_submitted_at_once_each_on_its_own() throws Exception {
        List<Submitted> told =
                mesh.submitAll(
                        List.of(
                                JobSubmission.of(it -> {
                                    it.script = SCRIPT;
                                    it.name = name;
                                }),
                                JobSubmission.of(it -> {
                                    it.script = SCRIPT;
                                    it.partition = "gone";
                                })));

        assertThat(told.getFirst().accepted()).isTrue();
        assertThat(told.getLast())
                .returns(422, Submitted::status)
                .returns("invalid_partition", Submitted::code);
        assertThat(mesh.job(told.getFirst().id()).now().name()).isEqualTo(name);
    }

    @Test
    void a_key_makes_one_job() {
        var asked = JobSubmission.of(it -> it.script = SCRIPT);
        String key = UUID.randomUUID().toString();

        Job first = mesh.submit(asked, key);

        assertThat(mesh.submit(asked, key).id()).isEqualTo(first.id());
        assertThatThrownBy(() -> mesh.submit(JobSubmission.of(it -> it.script = "#!/x\n"), key))
                .asInstanceOf(type(BerthException.class))
                .returns(422, BerthException::status)
                .returns("idempotency_key_reused", BerthException::code);
    }

    @Test
    void jobs_are_listed_over_many_pages() {
        var submitted = new ArrayList<Long>();
        for (int i = 0; i < 7; i++) {
            submitted.add(
                    mesh.submit(
                                    it -> {
                                        it.script = SCRIPT;
                                        it.name = name;
                                    })
                            .id());
        }

        assertThat(
                        mesh.jobs(it -> {
                            it.names = List.of(name);
                            it.page = 3;
                        }))
                .extracting(Job::id)
                .containsExactlyElementsOf(submitted);
    }

    @Test
    void events_are_read_as_the_contracts_have_them_and_gone_on_with() {
        long job = mesh.submit(it -> it.script = SCRIPT).id();
        var held = new JobEvent.Held(new JobId(job), 9000, Hold.USER, "gosling", null);
        var released = new JobEvent.Released(new JobId(job), 9001, "gosling");
        Event first;
        try (Events events = mesh.events(it -> it.jobs = List.of(job))) {
            others.write(Topics.JOBS, held);
            others.write(Topics.JOBS, released);
            first = events.next();
        }
        try (Events rest =
                mesh.events(it -> {
                    it.jobs = List.of(job);
                    it.after = first.id();
                })) {
            assertThat(first.what()).isEqualTo(held);
            assertThat(rest.next().what()).isEqualTo(released);
        }
    }

    @Test
    void what_is_not_there_is_an_exception() {
        assertThatThrownBy(() -> mesh.job(999_999_999).now())
                .asInstanceOf(type(BerthException.class))
                .returns(404, BerthException::status)
                .returns("job_not_found", BerthException::code);
        assertThat(mesh.nodes()).isNotEmpty();
        assertThat(mesh.partitions()).isNotEmpty();
    }
}
