package io.berth.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.berth.client.BerthException.NotAnswered;
import io.berth.client.FakeGateway.Reply;
import io.berth.client.FakeGateway.Request;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobEvent;
import io.berth.slurm.JobSubmission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BerthTest {

    private static final String JOB =
            "{\"id\":17,\"name\":\"train\",\"user\":\"alice\",\"account\":\"lab\",\"partition\":\"batch\",\"state\":\"PENDING\",\"reason\":\"None\",\"nodeNames\":[],\"exitCode\":0,\"signal\":0}";
    private static final Reply BUSY = Reply.problem(503, "unavailable", "the log is away");

    private static Berth of(FakeGateway gateway) {
        return Berth.at(gateway.url(), "t", Duration.ofSeconds(30));
    }

    @Test
    void an_uncertain_submission_is_sent_again_under_the_same_key() throws Exception {
        var proxy =
                new Reply(504, Map.of("Retry-After", "Mon, 23 Nov 2026 07:28:00 GMT"), "", false);
        try (var gateway = new FakeGateway(Reply.HANG_UP, BUSY, proxy, new Reply(201, JOB));
                Berth mesh = of(gateway)) {
            Job job =
                    mesh.submit(it -> {
                        it.script = "#!/bin/sh\n";
                        it.gpuType = "a100";
                        it.terms.array = "0-9";
                    });

            assertThat(job.id()).isEqualTo(17);
            assertThat(gateway.requests()).hasSize(4);
            assertThat(gateway.requests())
                    .extracting(it -> it.header("Idempotency-key"))
                    .doesNotContainNull()
                    .containsOnly(gateway.requests().getFirst().header("Idempotency-key"));
            assertThat(gateway.requests())
                    .extracting(Request::body)
                    .containsOnly(
                            "{\"script\":\"#!/bin/sh\\n\",\"gpuType\":\"a100\",\"terms\":{\"array\":\"0-9\"}}");
        }
    }

    @Test
    void many_jobs_are_sent_again_until_it_is_known_of_each_what_became_of_it() throws Exception {
        String known = "{\"line\":1,\"status\":201,\"id\":17}\n";
        String wrong =
                "{\"line\":2,\"status\":422,\"code\":\"invalid_qos\",\"detail\":\"no 'x'\"}\n";
        String lost = "{\"line\":2,\"status\":503,\"code\":\"unavailable\",\"detail\":\"away\"}\n";
        var jobs =
                List.of(
                        JobSubmission.of(it -> it.script = "#!/bin/sh\n"),
                        JobSubmission.of(it -> it.qos = "x"));
        try (var gateway =
                        new FakeGateway(
                                BUSY, new Reply(200, known + lost), new Reply(200, known + wrong));
                Berth mesh = of(gateway)) {
            assertThat(mesh.submitAll(jobs))
                    .containsExactly(
                            new Submitted(17, 201, "", ""),
                            new Submitted(0, 422, "invalid_qos", "no 'x'"));
            assertThat(gateway.requests()).hasSize(3);
            assertThat(gateway.requests())
                    .extracting(it -> it.header("Idempotency-key"))
                    .containsOnly(gateway.requests().getFirst().header("Idempotency-key"));
            assertThat(gateway.requests())
                    .extracting(Request::body)
                    .containsOnly("{\"script\":\"#!/bin/sh\\n\"}\n{\"qos\":\"x\"}");
            assertThat(mesh.submitAll(List.of())).isEmpty();
        }
        try (var gateway = new FakeGateway(new Reply(200, known + lost));
                Berth mesh = Berth.at(gateway.url(), "t", Duration.ofMillis(100))) {
            assertThat(mesh.submitAll(jobs))
                    .extracting(Submitted::accepted)
                    .containsExactly(true, false);
        }
    }

    @Test
    void a_refusal_tells_its_status_code_and_detail() throws Exception {
        try (var gateway = new FakeGateway(Reply.problem(422, "invalid_partition", "no 'x'"));
                Berth mesh = of(gateway)) {
            assertThatThrownBy(() -> mesh.submit(it -> it.partition = "x"))
                    .hasMessage("no 'x'")
                    .asInstanceOf(type(BerthException.class))
                    .returns(422, BerthException::status)
                    .returns("invalid_partition", BerthException::code);
            assertThat(gateway.requests()).hasSize(1);
        }
    }

    @Test
    void patience_ends() throws Exception {
        try (var gateway = new FakeGateway(BUSY);
                Berth mesh = Berth.at(gateway.url(), "t", Duration.ofMillis(300))) {
            assertThatThrownBy(() -> mesh.job(17).now())
                    .isInstanceOf(NotAnswered.class)
                    .hasMessage("the log is away");
        }
    }

    @Test
    void what_may_not_be_done_twice_is_not_sent_twice_but_after_429() throws Exception {
        try (var gateway = new FakeGateway(BUSY);
                Berth mesh = of(gateway)) {
            assertThatThrownBy(() -> mesh.job(17).requeue(true)).isInstanceOf(NotAnswered.class);
            assertThat(gateway.requests())
                    .extracting(Request::path)
                    .containsExactly("/v1/jobs/17/requeue?hold=true");
        }
        try (var gateway = new FakeGateway(Reply.HANG_UP);
                Berth mesh = of(gateway)) {
            assertThatThrownBy(() -> mesh.job("17_[1-3]").hold()).isInstanceOf(NotAnswered.class);
            assertThat(gateway.requests())
                    .extracting(Request::path)
                    .containsExactly("/v1/jobs/17_%5B1-3%5D/hold");
        }
        try (var gateway =
                        new FakeGateway(
                                Reply.problem(429, "too_many_requests", "later"),
                                new Reply(202, ""));
                Berth mesh = of(gateway)) {
            mesh.job(17).signal("USR1", "batch");
            assertThat(gateway.requests())
                    .extracting(Request::path)
                    .containsExactly(
                            "/v1/jobs/17/signal?signal=USR1&target=batch",
                            "/v1/jobs/17/signal?signal=USR1&target=batch");
        }
    }

    @Test
    void the_token_goes_to_no_other_host() throws Exception {
        try (var elsewhere = new FakeGateway(new Reply(200, JOB));
                var gateway =
                        new FakeGateway(
                                new Reply(302, Map.of("Location", elsewhere.url()), "", false));
                Berth mesh = of(gateway)) {
            assertThatThrownBy(() -> mesh.job(17).now()).isInstanceOf(BerthException.class);
            assertThat(elsewhere.requests()).isEmpty();
        }
    }

    @Test
    void lists_are_read_page_by_page_as_they_are_consumed() throws Exception {
        String second = JOB.replace("\"id\":17", "\"id\":18");
        try (var gateway =
                        new FakeGateway(
                                new Reply(200, "{\"jobs\":[" + JOB + "],\"next\":\"17\"}"),
                                new Reply(200, "{\"jobs\":[" + second + "]}"));
                Berth mesh = of(gateway)) {
            var jobs =
                    mesh.jobs(
                                    it -> {
                                        it.states = List.of(JobState.PENDING, JobState.RUNNING);
                                        it.users = List.of("alice");
                                        it.page = 1;
                                    })
                            .iterator();

            assertThat(jobs.next().id()).isEqualTo(17);
            assertThat(gateway.requests()).hasSize(1);
            assertThat(jobs.next().id()).isEqualTo(18);
            assertThat(jobs).isExhausted();
            assertThat(gateway.requests())
                    .extracting(Request::path)
                    .containsExactly(
                            "/v1/jobs?state=PENDING,RUNNING&user=alice&limit=1",
                            "/v1/jobs?state=PENDING,RUNNING&user=alice&limit=1&cursor=17");
        }
    }

    @Test
    void questions_after_a_write_know_of_it() throws Exception {
        try (var gateway =
                        new FakeGateway(
                                new Reply(202, Map.of("Berth-Position", "s:0:5"), "", false),
                                new Reply(200, JOB));
                Berth mesh = of(gateway)) {
            mesh.job(17).hold();
            mesh.job(17).now();

            assertThat(gateway.requests().getLast().header("Berth-position")).isEqualTo("s:0:5");
        }
    }

    @Test
    void waiting_ends_with_the_job_or_in_time() throws Exception {
        String over = JOB.replace("PENDING", "FAILED").replace("\"exitCode\":0", "\"exitCode\":3");
        try (var gateway = new FakeGateway(new Reply(200, JOB), new Reply(200, over));
                Berth mesh = of(gateway)) {
            assertThat(mesh.job(17).untilOver().exitCode()).isEqualTo(3);
        }
        try (var gateway = new FakeGateway(new Reply(200, JOB));
                Berth mesh = of(gateway)) {
            assertThat(mesh.job(17).untilOver(Duration.ofMillis(150))).isEmpty();
        }
    }

    @Test
    void who_waits_for_an_answer_is_told_when_the_client_is_closed() throws Exception {
        try (var gateway = new FakeGateway(new Reply(200, Map.of(), "", true))) {
            Berth mesh = Berth.at(gateway.url(), "t", Duration.ofDays(1));
            var asked = CompletableFuture.supplyAsync(() -> mesh.job(17).now());
            while (gateway.requests().isEmpty()) {
                Thread.onSpinWait();
            }

            mesh.close();

            assertThat(asked)
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(NotAnswered.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED,0,0,0", "FAILED,3,0,3", "CANCELLED,0,0,1", "TIMEOUT,0,15,1"})
    void what_is_exited_with_is_zero_after_success_alone(
            JobState state, int code, int signal, int expected) throws Exception {
        String job =
                JOB.replace("PENDING", state.name())
                        .replace("\"exitCode\":0", "\"exitCode\":" + code)
                        .replace("\"signal\":0", "\"signal\":" + signal);

        assertThat(Job.of(JsonObject.read(job.getBytes(UTF_8))).exitStatus()).isEqualTo(expected);
    }

    @Test
    void a_stream_of_events_that_breaks_goes_on_after_the_last_one() throws Exception {
        try (var gateway =
                        new FakeGateway(
                                new Reply(200, ":following\nid: 0:0\n\n"),
                                new Reply(200, held(1) + held(2) + "id: 0:3\nevent: Held\ndata: {"),
                                Reply.HANG_UP,
                                new Reply(200, "id: 0:3\nevent: Later\ndata: {}\n\n" + held(4)));
                Berth mesh = of(gateway);
                Events events =
                        mesh.events(it -> {
                            it.users = List.of("alice");
                            it.types = List.of(JobEvent.Held.class);
                        })) {
            assertThat(List.of(events.next(), events.next(), events.next()))
                    .extracting(it -> it.id() + " " + it.what().job())
                    .containsExactly("0:1 1", "0:2 2", "0:4 4");
            assertThat(gateway.requests().getFirst().path())
                    .isEqualTo("/v1/events?user=alice&type=Held");
            assertThat(gateway.requests())
                    .extracting(it -> it.header("Last-event-id"))
                    .startsWith(null, "0:0", "0:2", "0:2");
        }
    }

    @Test
    void a_stream_that_is_silent_is_left() throws Exception {
        try (var gateway =
                        new FakeGateway(
                                new Reply(200, Map.of(), ":following\nid: 0:7\n\n", true),
                                new Reply(200, Map.of(), held(8), true));
                var requests =
                        new Requests(
                                gateway.url(), "t", Duration.ofSeconds(1), Duration.ofMinutes(1));
                var events = new Events(requests, "/v1/events", null)) {
            assertThat(events.next().id()).isEqualTo("0:8");
        }
    }

    @Test
    void events_end_when_another_thread_closes_them() throws Exception {
        try (var gateway = new FakeGateway(new Reply(200, Map.of(), ":following\n\n", true));
                Berth mesh = of(gateway);
                Events events = mesh.events(_ -> {})) {
            Thread other = Thread.startVirtualThread(events::close);

            assertThat(events.hasNext()).isFalse();
            other.join();
        }
    }

    private static String held(int job) {
        return "id: 0:%1$d\nevent: Held\ndata: {\"job\":%1$d,\"at\":1,\"hold\":\"USER\",\"by\":\"alice\"}\n\n"
                .formatted(job);
    }

    @Test
    void the_mesh_of_this_machine_is_found_as_the_commands_find_it(@TempDir Path home)
            throws IOException {
        assertThatThrownBy(() -> here(home, Map.of())).hasMessageStartingWith("no token: set ");
        Files.writeString(home.resolve("operator.token"), "abc\n");
        Files.writeString(home.resolve("mesh.properties"), "url=http\\://127.0.0.1\\:7777\n");

        assertThat(here(home, Map.of())).isEqualTo("Berth[http://127.0.0.1:7777]");
        assertThat(here(home, Map.of("BERTH_URL", "https://mesh/")))
                .isEqualTo("Berth[https://mesh]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://mesh:7600", "http://127.0.0.1@mesh", "http://localhost.mesh"})
    void no_token_goes_to_another_machine_in_the_clear(String address, @TempDir Path home) {
        var there = Map.of("BERTH_URL", address, "BERTH_TOKEN", "secret");

        assertThatThrownBy(() -> here(home, there)).hasMessageStartingWith("no token is sent to ");
    }

    private static String here(Path home, Map<String, String> more) {
        var environment = new HashMap<>(more);
        environment.put("BERTH_HOME", home.toString());
        try (Berth mesh = Berth.at(new Surroundings(environment, home))) {
            return mesh.toString();
        }
    }
}
