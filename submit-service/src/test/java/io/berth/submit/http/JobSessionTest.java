package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobState;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Steps in jobs that run, as far as the gateway is concerned.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class JobSessionTest {
    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
        mesh.publishCluster();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private void tell(Submitted job, JobState state) {
        mesh.jobStatus(
                Samples.status(
                        job,
                        state,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0));
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + job.job())
                        .then()
                        .body("state", is(state.name())));
    }

    @Test
    void the_node_is_asked_by_one_who_knows_the_jobs_key_and_both_ends_meet() throws Exception {
        long id = Api.submitted("alice", "");
        tell(mesh.submitted(id), JobState.RUNNING);

        JsonPath session =
                Api.as("alice")
                        .post("/v1/jobs/" + id + "/sessions")
                        .then()
                        .statusCode(201)
                        .body("node", is("dgx-01"))
                        .extract()
                        .jsonPath();

        StepRequest asked =
                mesh.everywhere(Topics.STEP_REQUESTS).stream()
                        .filter(it -> it.run().job().value() == id)
                        .findFirst()
                        .orElseThrow();
        assertThat(asked.provenBy(mesh.key(id))).isTrue();
        assertThat(asked.node().value()).isEqualTo("dgx-01");
        assertThat(asked.run().lease()).isEqualTo(1);
        var toNode = new LinkedBlockingQueue<Frame>();
        var base = URI.create("ws://127.0.0.1:" + RestAssured.port);
        try (var user =
                        FrameSocket.connect(
                                base.resolve(session.getString("userPath")),
                                session.getString("userSecret"),
                                _ -> {});
                var node =
                        FrameSocket.connect(
                                URI.create(asked.session()), asked.secret(), toNode::add)) {
            user.send(Frame.step("", "", "", List.of("nvidia-smi")));

            assertThat(toNode.poll(20, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(it -> assertThat(it.stepWords()).endsWith("nvidia-smi"));
            // The request may be heard twice.
            FrameSocket.connect(URI.create(asked.session()), asked.secret(), _ -> {})
                    .closed()
                    .get(20, TimeUnit.SECONDS);
            user.send(Frame.control("eof"));
            assertThat(toNode.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(node.closed()).isNotDone();
        }
    }

    @Test
    void both_ends_meet_again_at_a_session_that_the_user_opens() throws Exception {
        long id = Api.submitted("alice", "");
        tell(mesh.submitted(id), JobState.RUNNING);
        JsonPath again =
                Api.as("alice")
                        .post("/v1/jobs/" + id + "/sessions")
                        .then()
                        .statusCode(201)
                        .extract()
                        .jsonPath()
                        .setRootPath("again");
        URI job = URI.create(again.getString("jobUrl"));
        URI user = URI.create("ws://127.0.0.1:" + RestAssured.port + again.getString("userPath"));
        assertThatThrownBy(() -> FrameSocket.connect(job, again.getString("jobSecret"), _ -> {}))
                .as("not open yet")
                .hasMessageContaining("there is no session");

        Api.as("alice")
                .contentType(ContentType.JSON)
                .body(
                        Map.of(
                                "userSecret", again.getString("userSecret"),
                                "jobSecret", again.getString("jobSecret")))
                .put(again.getString("userPath"))
                .then()
                .statusCode(204);

        var toNode = new LinkedBlockingQueue<Frame>();
        try (var one = FrameSocket.connect(user, again.getString("userSecret"), _ -> {});
                var other = FrameSocket.connect(job, again.getString("jobSecret"), toNode::add)) {
            one.send(Frame.control("eof"));
            assertThat(toNode.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(other.closed()).isNotDone();
        }
    }

    @Test
    void keys_are_each_jobs_own() throws Exception {
        long one = Api.submitted("alice", "");
        long other = Api.submitted("alice", "");

        assertThat(mesh.key(one)).matches("[A-Za-z0-9_-]{43}").isNotEqualTo(mesh.key(other));
    }

    @Test
    void a_job_that_does_not_run_takes_no_step() throws Exception {
        long id = Api.submitted("alice", "");
        String sessions = "/v1/jobs/" + id + "/sessions";

        Api.as("alice")
                .post(sessions)
                .then()
                .statusCode(409)
                .body("detail", is("Job is pending execution"));
        tell(mesh.submitted(id), JobState.SUSPENDED);
        Api.as("alice")
                .post(sessions)
                .then()
                .statusCode(409)
                .body("detail", is("Job is suspended"));
        Api.as("alice").post("/v1/jobs/999999999/sessions").then().statusCode(404);
    }
}
