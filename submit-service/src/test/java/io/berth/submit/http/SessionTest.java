package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobState;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameLink.Receiver;
import io.berth.slurm.session.FrameSocket;
import io.berth.slurm.session.LastingLink;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.quarkus.vertx.http.runtime.filters.QuarkusRequestWrapper;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class SessionTest {
    private final BlockingQueue<Frame> toUser = new LinkedBlockingQueue<>();
    private final BlockingQueue<Frame> toJob = new LinkedBlockingQueue<>();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    private static JsonPath open() {
        return Api.as("alice").post("/v1/sessions").then().statusCode(201).extract().jsonPath();
    }

    private FrameSocket user(JsonPath session) throws IOException {
        return FrameSocket.connect(
                URI.create("ws://127.0.0.1:" + RestAssured.port + session.getString("userPath")),
                session.getString("userSecret"),
                toUser::add);
    }

    private FrameSocket job(JsonPath session) throws IOException {
        return FrameSocket.connect(
                URI.create(session.getString("jobUrl")),
                session.getString("jobSecret"),
                toJob::add);
    }

    private static Frame text(Channel channel, String text) {
        return new Frame(channel, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String next(BlockingQueue<Frame> frames) throws InterruptedException {
        Frame next = frames.poll(10, TimeUnit.SECONDS);
        return next == null
                ? "nothing"
                : next.channel() + " " + new String(next.payload(), StandardCharsets.UTF_8);
    }

    @Test
    void what_each_end_says_reaches_the_other_and_what_was_said_before_it_came() throws Exception {
        JsonPath session = open();
        try (var user = user(session)) {
            user.send(text(Channel.INPUT, "early"));
            try (var job = job(session)) {
                user.send(Frame.control("signal INT"));
                job.send(text(Channel.OUTPUT, "größer"));
                job.send(text(Channel.ERROR, ""));

                assertThat(next(toJob)).isEqualTo("INPUT early");
                assertThat(next(toJob)).isEqualTo("CONTROL signal INT");
                assertThat(next(toUser)).isEqualTo("OUTPUT größer");
                assertThat(next(toUser)).isEqualTo("ERROR ");
            }
        }
    }

    /// An srun of this user's, that has come to the session.
    private static long job(String user, JsonPath session, String secret) {
        return Api.submitted(
                user,
                "\"environment\":{\"BERTH_SESSION_STEP\":\"0\",\"BERTH_SESSION_URL\":\"%s\",\"BERTH_SESSION_SECRET\":\"%s\"}"
                        .formatted(session.getString("jobUrl"), secret));
    }

    private static Response attach(String user, long job, int step) {
        return Api.as(user).post("/v1/jobs/%d/steps/%d/attach".formatted(job, step));
    }

    private static FrameSocket attached(JsonPath place, Receiver receiver) throws IOException {
        return FrameSocket.connect(
                URI.create("ws://127.0.0.1:" + RestAssured.port + place.getString("path")),
                place.getString("secret"),
                receiver);
    }

    @Test
    void who_attaches_is_shown_what_the_job_says_from_then_on_and_gives_it_input()
            throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        var shown = new LinkedBlockingQueue<Frame>();
        FrameSocket user = user(session);
        try (var job = job(session)) {
            job.send(text(Channel.OUTPUT, "before"));
            assertThat(next(toUser)).isEqualTo("OUTPUT before");
            JsonPath place = attach("alice", id, 0).then().statusCode(201).extract().jsonPath();
            try (var attached = attached(place, shown::add)) {
                attached.send(text(Channel.INPUT, "typed"));
                attached.send(Frame.control("signal KILL"));
                attached.send(text(Channel.OUTPUT, "forged"));
                attached.send(Frame.control("eof"));
                assertThat(next(toJob)).isEqualTo("INPUT typed");
                assertThat(next(toJob)).isEqualTo("CONTROL eof");
                job.send(text(Channel.ERROR, "said"));
                job.send(Frame.control("exit 3"));
                assertThat(next(shown)).isEqualTo("ERROR said");
                assertThat(next(shown)).isEqualTo("CONTROL exit 3");
                assertThat(next(toUser)).isEqualTo("ERROR said");
                assertThatThrownBy(() -> attached(place, shown::add))
                        .as("a secret is good for one connection")
                        .isInstanceOf(IOException.class);

                user.close();

                assertThat(attached.closed().get(10, TimeUnit.SECONDS)).isEmpty();
            }
            assertThat(job.closed().get(10, TimeUnit.SECONDS)).isEmpty();
        }
        Api.refused(attach("alice", id, 0), 404, "step_not_found");
    }

    @Test
    void who_is_attached_may_leave_and_the_run_goes_on() throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        try (var user = user(session);
                var job = job(session)) {
            job.send(text(Channel.OUTPUT, "both are here"));
            assertThat(next(toUser)).isEqualTo("OUTPUT both are here");
            attached(attach("alice", id, 0).jsonPath(), toUser::add).close();
            user.send(text(Channel.INPUT, "still"));
            job.send(text(Channel.OUTPUT, "here"));

            assertThat(next(toJob)).isEqualTo("INPUT still");
            assertThat(next(toUser)).isEqualTo("OUTPUT here");
        }
    }

    @Test
    void who_leaves_makes_place_for_the_next() throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        try (var user = user(session);
                var job = job(session)) {
            user.send(text(Channel.INPUT, "both are here"));
            assertThat(next(toJob)).isEqualTo("INPUT both are here");
            for (int i = 0; i < 9; i++) {
                Response place = attach("alice", id, 0);
                attached(place.then().statusCode(201).extract().jsonPath(), toUser::add).close();
            }
            assertThat(job.closed()).isNotDone();
        }
    }

    @Test
    void who_sends_a_message_in_two_frames_is_told_so() throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        try (var user = user(session);
                var job = job(session);
                var client = HttpClient.newHttpClient()) {
            user.send(text(Channel.INPUT, "both are here"));
            assertThat(next(toJob)).isEqualTo("INPUT both are here");
            JsonPath place = attach("alice", id, 0).jsonPath();
            var why = new CompletableFuture<String>();
            var end =
                    new WebSocket.Listener() {
                        @Override
                        public @Nullable CompletionStage<?> onClose(
                                WebSocket from, int status, String reason) {
                            why.complete(status + " " + reason);
                            return null;
                        }
                    };
            WebSocket socket =
                    client.newWebSocketBuilder()
                            .header("Authorization", "Bearer " + place.getString("secret"))
                            .buildAsync(
                                    URI.create(
                                            "ws://127.0.0.1:"
                                                    + RestAssured.port
                                                    + place.getString("path")),
                                    end)
                            .get(10, TimeUnit.SECONDS);

            var unused = socket.sendBinary(text(Channel.INPUT, "half").message(), false);

            assertThat(why.get(10, TimeUnit.SECONDS))
                    .isEqualTo("1008 a message is one binary frame");
            assertThat(job.closed()).isNotDone();
        }
    }

    @Test
    void who_does_not_keep_up_is_sent_away_and_the_job_does_not_wait() throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        var reads = new CountDownLatch(1);
        var began = new CountDownLatch(1);
        try (var user = user(session);
                var job = job(session)) {
            job.send(text(Channel.OUTPUT, "both are here"));
            assertThat(next(toUser)).isEqualTo("OUTPUT both are here");
            Receiver slow =
                    _ -> {
                        began.countDown();
                        assertThatCode(reads::await).doesNotThrowAnyException();
                    };
            try (var attached = attached(attach("alice", id, 0).jsonPath(), slow)) {
                var bytes = new byte[Frame.MAX_BYTES];
                for (int i = 0; i < 2048; i++) {
                    job.send(Frame.of(Channel.OUTPUT, bytes, bytes.length));
                }
                for (int i = 0; i < 2048; i++) {
                    assertThat(next(toUser)).startsWith("OUTPUT");
                }
                assertThat(began.await(10, TimeUnit.SECONDS)).isTrue();
                reads.countDown();

                assertThat(attached.closed().get(10, TimeUnit.SECONDS)).contains("keep up");
            }
            assertThat(user.closed()).isNotDone();
        }
    }

    @Test
    void only_the_jobs_owner_attaches_and_only_to_a_session_whose_secret_it_has() throws Exception {
        JsonPath session = open();
        long id = job("alice", session, session.getString("jobSecret"));
        long forged = job("bob", session, "guessed");
        Api.refused(attach("alice", id, 0), 404, "step_not_found");
        try (var user = user(session);
                var job = job(session)) {
            user.send(text(Channel.INPUT, "both are here"));
            assertThat(next(toJob)).isEqualTo("INPUT both are here");

            Api.refused(attach("bob", id, 0), 403, "not_allowed");
            Api.refused(attach("bob", forged, 0), 404, "step_not_found");
            Api.refused(attach("alice", id, 1), 404, "step_not_found");
            for (int i = 0; i < 8; i++) {
                attach("alice", id, 0).then().statusCode(201);
            }
            Api.refused(attach("alice", id, 0), 429, "too_many_requests")
                    .body("detail", containsString("8 are attached to the step already"));
            assertThat(job.closed()).isNotDone();
        }
    }

    @Test
    void a_gateway_without_the_session_names_the_one_that_has_it() throws Exception {
        long id =
                Api.submitted(
                        "alice",
                        "\"environment\":{\"BERTH_SESSION_STEP\":\"0\",\"BERTH_SESSION_URL\":\"ws://gateway-1:7600/v1/sessions/x\"}");
        try (var mesh = Mesh.connect()) {
            mesh.jobStatus(
                    Samples.status(
                            mesh.submitted(id),
                            JobState.RUNNING,
                            Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                            0));
        }

        Api.eventually(() ->
                attach("alice", id, 0)
                        .then()
                        .statusCode(404)
                        .body("detail", containsString("but at 'ws://gateway-1:7600'")));
    }

    @Test
    void megabytes_arrive_whole_at_an_end_that_is_slow() throws Exception {
        JsonPath session = open();
        try (var user = user(session);
                var job = job(session)) {
            var bytes = new byte[Frame.MAX_BYTES];
            for (int i = 0; i < 512; i++) {
                bytes[0] = (byte) i;
                job.send(Frame.of(Channel.OUTPUT, bytes, bytes.length));
            }
            for (int i = 0; i < 512; i++) {
                Frame frame = toUser.poll(10, TimeUnit.SECONDS);
                assertThat(frame).isNotNull();
                assertThat(frame.payload()).hasSize(Frame.MAX_BYTES).startsWith((byte) i);
            }
            assertThat(user.closed()).isNotDone();
        }
    }

    @Test
    void when_one_end_goes_the_other_is_sent_away_and_the_session_is_over() throws Exception {
        JsonPath session = open();
        try (var job = job(session)) {
            user(session).close();

            job.closed().get(10, TimeUnit.SECONDS);
        }
        assertThatThrownBy(() -> job(session)).isInstanceOf(IOException.class);
    }

    @Test
    void an_end_that_comes_again_has_lost_its_connection_and_both_are_to_come_again()
            throws Exception {
        JsonPath session = open();
        try (var user = user(session);
                var job = job(session);
                var second = job(session)) {
            second.closed().get(10, TimeUnit.SECONDS);
            job.closed().get(10, TimeUnit.SECONDS);
            user.closed().get(10, TimeUnit.SECONDS);
        }
        reopen("alice", session, session.getString("jobSecret")).then().statusCode(204);
        try (var user = user(session);
                var job = job(session)) {
            user.send(text(Channel.INPUT, "here again"));

            assertThat(next(toJob)).isEqualTo("INPUT here again");
            assertThat(job.closed()).isNotDone();
        }
    }

    private static Response reopen(String user, JsonPath session, String jobSecret) {
        return Api.as(user)
                .contentType(ContentType.JSON)
                .body(Map.of("userSecret", session.getString("userSecret"), "jobSecret", jobSecret))
                .put(session.getString("userPath"));
    }

    @Test
    void a_session_is_opened_again_with_its_own_secrets_alone() throws Exception {
        JsonPath session = open();
        String secret = session.getString("jobSecret");
        try (var user = user(session)) {
            reopen("alice", session, secret).then().statusCode(204);
            String other = open().getString("jobSecret");
            Api.refused(reopen("alice", session, other), 404, "not_found");
            assertThat(user.closed()).isNotDone();
        }
        Api.refused(reopen("alice", session, "short"), 404, "not_found");
        Api.refused(
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .body(Map.of("userSecret", session.getString("userSecret")))
                        .put(session.getString("userPath")),
                400,
                "invalid_json");
        Api.refused(
                given().contentType(ContentType.JSON).body("{}").put("/v1/sessions/x"),
                401,
                "unauthenticated");
    }

    @Test
    void without_the_secret_nobody_is_let_in_and_nobody_learns_which_sessions_there_are() {
        String there = open().getString("userPath");

        given().header("Upgrade", "websocket").get(there).then().statusCode(404);
        given().header("Authorization", "Bearer x").get(there).then().statusCode(404);
        given().get("/v1/sessions/gone").then().statusCode(404);
        Api.refused(given().post("/v1/sessions"), 401, "unauthenticated");
    }

    @Test
    void who_holds_the_users_end_may_speak_to_the_job_from_elsewhere() throws Exception {
        JsonPath session = open();
        Frame step = Frame.step("ws://x/y", "s", "24 80", List.of("echo", "a b", ""));
        try (var user = user(session);
                var job = job(session)) {
            tell(session, session.getString("userSecret"), step).then().statusCode(202);
            Api.refused(tell(session, session.getString("jobSecret"), step), 404, "not_found");
            Api.refused(tell(session, "guessed", step), 404, "not_found");

            Frame told = toJob.poll(10, TimeUnit.SECONDS);
            assertThat(told).isNotNull();
            assertThat(told.stepWords())
                    .containsExactly("ws://x/y", "s", "24 80", "echo", "a b", "");
            assertThat(toJob).isEmpty();
            assertThat(user.closed()).isNotDone();
            assertThat(job.closed()).isNotDone();
        }
        Api.refused(tell(session, session.getString("userSecret"), step), 404, "not_found");
    }

    @Test
    void an_end_that_counts_hears_from_whom_a_word_is() throws Exception {
        JsonPath session = open();
        var heard = new LinkedBlockingQueue<Frame>();
        Frame step = Frame.step("ws://x/y", "s", "24 80", List.of("echo"));
        try (var user = user(session);
                var job =
                        LastingLink.running(
                                URI.create(session.getString("jobUrl")),
                                session.getString("jobSecret"),
                                LastingLink.OF_TERMINAL,
                                heard::add)) {
            tell(session, session.getString("userSecret"), step).then().statusCode(202);
            assertThat(next(heard)).startsWith("CONTROL step");
            user.send(text(Channel.INPUT, "typed"));
            assertThat(next(heard)).isEqualTo("INPUT typed");

            user.send(Frame.control("exit 0"));
            String taken = next(toUser);
            while (taken.equals("CONTROL at 0")) {
                taken = next(toUser);
            }
            assertThat(taken)
                    .as("the word from elsewhere is not counted")
                    .isEqualTo("CONTROL at 2");
            assertThat(job.isThere()).isTrue();
        }
    }

    private static Response tell(JsonPath session, String secret, Frame frame) {
        return Api.as("alice")
                .contentType(ContentType.JSON)
                .body(Map.of("secret", secret, "frame", frame.message().array()))
                .post(session.getString("userPath"));
    }

    @Singleton
    static class Upgrades {
        private final AtomicInteger underWay = new AtomicInteger();

        void register(@Observes Filters filters) {
            filters.register(
                    context -> {
                        if (context.request().headers().contains("Upgrade")) {
                            underWay.incrementAndGet();
                            QuarkusRequestWrapper.get(context.request())
                                    .addRequestDoneHandler(_ -> underWay.decrementAndGet());
                        }
                        context.next();
                    },
                    11_500);
        }
    }

    @Inject Upgrades upgrades;

    @Test
    void a_session_is_no_request_that_the_gateways_end_waits_for() throws Exception {
        JsonPath session = open();
        try (var user = user(session);
                var job = job(session)) {
            job.send(text(Channel.OUTPUT, "both are here"));

            assertThat(next(toUser)).isEqualTo("OUTPUT both are here");
            assertThat(upgrades.underWay).hasValue(0);
            assertThat(user.closed()).isNotDone();
        }
    }

    @Test
    void sessions_are_counted() throws Exception {
        JsonPath session = open();
        try (var user = user(session)) {
            assertThat(user.closed()).isNotDone();
            assertThat(given().get("/q/metrics").then().extract().asString())
                    .containsPattern("(?m)^berth_sessions [1-9]");
        }
    }

    @Test
    void the_job_is_told_the_address_by_which_the_gateway_was_reached() {
        Api.as("alice")
                .header("Host", "gateway.example:7600")
                .post("/v1/sessions")
                .then()
                .body("jobUrl.startsWith('ws://gateway.example:7600/v1/sessions/')", is(true));
    }
}
