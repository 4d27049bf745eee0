package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobState;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What jobs have written, told by an agent that is the test.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
@Timeout(60)
class OutputTest {
    private final Mesh mesh = Mesh.connect();
    private long job;

    @BeforeEach
    void ready() throws Exception {
        Api.awaitReady();
        job = Api.submitted("alice", "");
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis() - 60_000, List.of()),
                        0));
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + job).then().body("state", is("RUNNING")));
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private String path() {
        return "/v1/jobs/" + job + "/output";
    }

    private static Frame bytes(byte[] bytes) {
        return new Frame(Channel.OUTPUT, bytes);
    }

    @Test
    void what_the_agent_reads_is_answered_as_it_is() throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            agent.says(
                    Frame.control("output 7"),
                    bytes("<b>\u001b[31m".getBytes(StandardCharsets.UTF_8)),
                    bytes(new byte[] {0, (byte) 0xff, '\r', '\n'}),
                    Frame.control("end"));

            var answer = Api.as("alice").get(path() + "?stream=err&offset=7");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.contentType()).isEqualTo("application/octet-stream");
            assertThat(answer.header("Berth-Output-Offset")).isEqualTo("7");
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.asByteArray())
                    .isEqualTo("<b>\u001b[31m\0\u00ff\r\n".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(agent.asked().error()).isTrue();
            assertThat(agent.asked().offset()).isEqualTo(7);
            assertThat(agent.asked().follow()).isFalse();
            assertThat(agent.asked().provenBy(mesh.key(job))).isTrue();
        }
    }

    @Test
    void megabytes_arrive_whole() throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            var frames = new Frame[514];
            frames[0] = Frame.control("output 0");
            for (int i = 1; i <= 512; i++) {
                var chunk = new byte[Frame.MAX_BYTES];
                chunk[0] = (byte) i;
                frames[i] = bytes(chunk);
            }
            frames[513] = Frame.control("end");
            agent.says(frames);

            try (InputStream in = open().getInputStream()) {
                byte[] all = in.readAllBytes();
                assertThat(all).hasSize(512 * Frame.MAX_BYTES);
                for (int i = 1; i <= 512; i++) {
                    assertThat(all[(i - 1) * Frame.MAX_BYTES]).isEqualTo((byte) i);
                }
            }
        }
    }

    private HttpURLConnection open() throws IOException {
        var connection =
                (HttpURLConnection)
                        URI.create(
                                        "http://127.0.0.1:%d%s?follow=true"
                                                .formatted(RestAssured.port, path()))
                                .toURL()
                                .openConnection();
        connection.setRequestProperty("Authorization", "Bearer " + Tokens.user("alice"));
        connection.setReadTimeout(20_000);
        return connection;
    }

    @Test
    void a_follower_reads_as_it_is_written_and_the_agent_is_let_go_when_he_leaves()
            throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            agent.says(Frame.control("output 0"), bytes("so far".getBytes(StandardCharsets.UTF_8)));

            HttpURLConnection connection = open();
            try (InputStream in = connection.getInputStream()) {
                assertThat(new String(in.readNBytes(6), StandardCharsets.UTF_8))
                        .isEqualTo("so far");
            }
            connection.disconnect();

            agent.awaitLetGo();
        }
    }

    @Test
    void the_agent_is_let_go_when_the_reader_left_before_it_spoke() throws Exception {
        try (var agent = new FakeAgent(mesh, job);
                var reader = new Socket("127.0.0.1", RestAssured.port)) {
            agent.says();
            reader.setSoTimeout(20_000);
            reader.getOutputStream()
                    .write(
                            "GET %s?follow=true HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n"
                                    .formatted(path(), RestAssured.port, Tokens.user("alice"))
                                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(agent.asked().follow()).isTrue();
            // The gateway closes its side when it has seen that.
            reader.shutdownOutput();
            assertThat(reader.getInputStream().read()).isEqualTo(-1);

            agent.adds(Frame.control("output 0"));

            agent.awaitLetGo();
        }
    }

    @Test
    void an_agent_that_goes_before_the_end_is_no_end() throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            agent.says(Frame.control("output 0"), bytes("half".getBytes(StandardCharsets.UTF_8)));
            HttpURLConnection connection = open();
            try (InputStream in = connection.getInputStream()) {
                in.readNBytes(4);
                agent.goes();
                assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void what_cannot_be_read_is_404_with_the_reason_in_one_line() throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            agent.says(Frame.control("refused /home/alice/a\nb is not there"));

            Api.as("alice")
                    .get(path())
                    .then()
                    .statusCode(404)
                    .body("code", is("output_not_found"))
                    .body("detail", is("job " + job + ": /home/alice/a?b is not there"));
        }
    }

    @Test
    void a_node_that_lets_nobody_more_read_says_so() throws Exception {
        try (var agent = new FakeAgent(mesh, job)) {
            agent.says(Frame.control("busy 16 already read"));

            Api.refused(Api.as("alice").get(path()), 429, "too_many_requests")
                    .body("detail", is("16 already read; try again"));
        }
    }

    @Test
    void what_makes_no_sense_is_said_before_a_node_is_asked() throws Exception {
        Api.as("alice").get(path() + "?stream=both").then().statusCode(400);
        Api.as("alice").get(path() + "?offset=x").then().statusCode(400);
        Api.as("alice").get(path() + "?follow=yes").then().statusCode(400);
        Api.as("bob").get(path()).then().statusCode(403);
        Api.as("alice")
                .get(path() + "?node=dgx-77")
                .then()
                .statusCode(404)
                .body("detail", containsString("has not run on node 'dgx-77'"));
        long waits = Api.submitted("alice", "");
        Api.as("alice")
                .get("/v1/jobs/" + waits + "/output")
                .then()
                .statusCode(404)
                .body("detail", is("job " + waits + " has not started"));
    }
}
