package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobSpec;
import io.berth.contracts.JobState;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameSocket;
import io.berth.slurm.session.LastingLink;
import io.berth.submit.Samples;
import io.berth.submit.StepMeeting;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class StepPostsTest {
    private final BlockingQueue<Frame> toAgent = new LinkedBlockingQueue<>();
    private final BlockingQueue<Frame> toStep = new LinkedBlockingQueue<>();
    private final Mesh mesh = Mesh.connect();

    @Nullable MeshResource surroundings;

    @BeforeEach
    void ready() {
        Api.awaitReady();
        mesh.publishCluster();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    /// A job of two nodes that runs on one of them, as far as the gateway is concerned.
    private long running() throws Exception {
        long id = Api.submitted("alice", "\"nodes\":2");
        run(mesh.submitted(id));
        return id;
    }

    private void run(Submitted job) {
        mesh.jobStatus(
                Samples.status(
                        job,
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0));
        Api.eventually(() ->
                Api.as("alice").get("/v1/jobs/" + job.job()).then().body("state", is("RUNNING")));
    }

    private Map<String, String> environment(long id) throws Exception {
        for (JobSpec spec : mesh.specs()) {
            if (spec.job().value() == id) {
                return spec.environment();
            }
        }
        throw new AssertionError("no specification of job " + id);
    }

    private static FrameSocket agent(long id, String secret, BlockingQueue<Frame> frames)
            throws IOException {
        return FrameSocket.connect(
                URI.create("ws://127.0.0.1:" + RestAssured.port + "/v1/steps/" + id + "/dgx-01"),
                secret,
                frames::add);
    }

    private static Response ask(long id, String node, String secret) {
        return given().header("Authorization", "Bearer " + secret)
                .post("/v1/steps/" + id + "/" + node);
    }

    @Test
    void a_step_and_a_process_on_another_node_of_its_job_meet() throws Exception {
        long id = running();
        String secret = environment(id).getOrDefault(StepMeeting.SECRET, "");
        ask(id, "dgx-01", secret).then().statusCode(503).header("Retry-After", is("1"));
        Objects.requireNonNull(surroundings)
                .peer()
                .knows("POST /v1/steps/" + id + "/dgx-01", "{\"path\":\"/there\"}");
        ask(id, "dgx-01", secret).then().statusCode(201).body("path", is("/there"));
        assertThat(Objects.requireNonNull(surroundings).peer().asked())
                .anyMatch(it -> it.contains("Bearer " + secret));

        try (var agent = agent(id, secret, toAgent)) {
            Api.eventually(() -> {
                ask(id, "dgx-01", secret);
                assertThat(toAgent).isNotEmpty();
            });
            toAgent.clear();
            JsonPath session = ask(id, "dgx-01", secret).then().extract().jsonPath();
            Frame told = toAgent.poll(10, TimeUnit.SECONDS);
            assertThat(told).isNotNull();
            String base = "ws://127.0.0.1:" + RestAssured.port;
            try (var step =
                            FrameSocket.connect(
                                    URI.create(base + session.getString("path")),
                                    session.getString("secret"),
                                    toStep::add);
                    var process =
                            FrameSocket.connect(
                                    URI.create(base + told.stepWords().getFirst()),
                                    told.stepWords().get(1),
                                    _ -> {})) {
                process.send(new Frame(Channel.OUTPUT, new byte[] {'x'}));

                Frame came = toStep.poll(10, TimeUnit.SECONDS);
                assertThat(came).isNotNull();
                assertThat(came.payload()).containsExactly('x');
                assertThat(step.closed()).isNotDone();
            }
            assertThat(agent.closed()).isNotDone();
        }
    }

    @Test
    void a_step_outlives_its_sessions_end_and_nobody_else_opens_it_again() throws Exception {
        long id = running();
        String secret = environment(id).getOrDefault(StepMeeting.SECRET, "");

        try (var agent = agent(id, secret, toAgent)) {
            Api.eventually(() -> ask(id, "dgx-01", secret).then().statusCode(201));
            toAgent.take();
            JsonPath session = ask(id, "dgx-01", secret).then().extract().jsonPath();
            Frame told = toAgent.take();
            URI address =
                    URI.create("ws://127.0.0.1:" + RestAssured.port + session.getString("path"));
            try (var step =
                    LastingLink.starting(address, session.getString("secret"), toStep::add)) {
                try (var process =
                        LastingLink.running(
                                address, told.stepWords().get(1), LastingLink.OF_STEP, _ -> {})) {
                    process.send(new Frame(Channel.OUTPUT, new byte[] {'x'}));
                    assertThat(toStep.take().payload()).containsExactly('x');
                    Api.eventually(() -> assertThat(step.lasts() && process.lasts()).isTrue());

                    // One that comes again has lost its connection: both are sent away, and come
                    // anew.
                    FrameSocket.connect(address, session.getString("secret"), _ -> {}).close();

                    process.send(new Frame(Channel.OUTPUT, new byte[] {'y'}));
                    assertThat(toStep.take().payload()).containsExactly('y');
                    process.send(Frame.control("exit 0"));
                }
                step.closed().get(20, TimeUnit.SECONDS);
            }
            Api.eventually(() ->
                    assertThatThrownBy(() -> FrameSocket.connect(address, "guessed", _ -> {}))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("no session"));
            assertThat(agent.closed()).isNotDone();
        }
    }

    @Test
    void the_steps_of_a_user_have_a_bound_of_their_own_beside_his_terminals() throws Exception {
        long id = Api.submitted("bob", "\"nodes\":2");
        run(mesh.submitted(id));
        String secret = environment(id).getOrDefault(StepMeeting.SECRET, "");

        try (var agent = agent(id, secret, toAgent)) {
            Api.eventually(() -> ask(id, "dgx-01", secret).then().statusCode(201));
            int opened = 1;
            Response last = ask(id, "dgx-01", secret);
            while (last.statusCode() == 201 && opened < 256) {
                opened++;
                last = ask(id, "dgx-01", secret);
            }

            assertThat(opened).as("twice a quarter of 256").isLessThanOrEqualTo(128);
            last.then().statusCode(429).header("Retry-After", is("1"));
            Api.as("bob").post("/v1/sessions").then().statusCode(201);
            assertThat(agent.closed()).isNotDone();
        }
    }

    @Test
    void nobody_but_the_job_reaches_its_nodes_and_the_job_no_others() throws Exception {
        long id = running();
        long other = running();
        String secret = environment(id).getOrDefault(StepMeeting.SECRET, "");

        ask(id, "dgx-01", "guessed").then().statusCode(404);
        ask(id, "dgx-02", secret).then().statusCode(404);
        ask(other, "dgx-01", secret).then().statusCode(404);
        given().post("/v1/steps/x/dgx-01").then().statusCode(404);
        assertThatThrownBy(() -> agent(id, "guessed", toAgent)).isInstanceOf(IOException.class);
    }

    @Test
    void the_components_of_a_heterogeneous_job_have_one_secret() throws Exception {
        long first = Api.submitted("alice", "\"components\":[{}]");
        String secret = environment(first).getOrDefault(StepMeeting.SECRET, "");
        run(mesh.submitted(first).jobs().getLast());

        try (var agent = agent(first + 1, secret, toAgent)) {
            Api.eventually(() -> ask(first + 1, "dgx-01", secret).then().statusCode(201));
            assertThat(agent.closed()).isNotDone();
        }
        ask(first, "dgx-01", secret).then().statusCode(404);
    }

    @Test
    void an_agent_that_comes_again_takes_the_place_of_the_one_before() throws Exception {
        long id = running();
        String secret = environment(id).getOrDefault(StepMeeting.SECRET, "");
        var toNext = new LinkedBlockingQueue<Frame>();

        try (var first = agent(id, secret, toAgent)) {
            try (var next = agent(id, secret, toNext)) {
                first.closed().get(10, TimeUnit.SECONDS);
                ask(id, "dgx-01", secret).then().statusCode(201);

                assertThat(toNext.poll(10, TimeUnit.SECONDS)).isNotNull();
                assertThat(toAgent).isEmpty();
                assertThat(next.closed()).isNotDone();
            }
        }
    }

    @Test
    void only_a_script_on_the_first_of_several_nodes_has_a_secret_and_one_of_its_own()
            throws Exception {
        String inherited =
                "\"environment\":{\"BERTH_STEP_SECRET\":\"old\",\"BERTH_STEP_GATEWAY\":\"ws://old\"}";
        long one = Api.submitted("alice", inherited);
        long each = Api.submitted("alice", "\"nodes\":2,\"launch\":\"PER_NODE\"," + inherited);
        long several = Api.submitted("alice", "\"nodes\":2," + inherited);

        assertThat(environment(one)).doesNotContainKeys("BERTH_STEP_GATEWAY", StepMeeting.SECRET);
        assertThat(environment(each)).doesNotContainKeys("BERTH_STEP_GATEWAY", StepMeeting.SECRET);
        assertThat(environment(several))
                .containsEntry("BERTH_STEP_GATEWAY", "ws://127.0.0.1:" + RestAssured.port)
                .hasEntrySatisfying(
                        StepMeeting.SECRET, it -> assertThat(it).matches("[A-Za-z0-9_-]{43}"));
    }
}
