package io.berth.submit.restd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.berth.contracts.json.Json;
import io.berth.submit.Refused;
import io.berth.submit.Unavailable;
import io.berth.submit.http.BookedJobs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What is asked of an accounting service, which is the test, and what is made of its answers.
final class BookedJobsTest {

    private static final String JOB =
            """
            {"id":17,"name":"train","user":"alice","account":"lab","partition":"batch","qos":"normal","cluster":"atlas",
             "state":"FAILED","reason":"NonZeroExitCode","exitCode":3,"signal":0,"submittedAt":1000,"eligibleAt":1000,
             "startedAt":5000,"endedAt":65000,"elapsedSeconds":60,"suspendedSeconds":0,"timeLimitSeconds":90,"nodes":2,
             "nodeList":"gpu-[01-02]","cpus":8,"memoryMib":4096,"gpus":2,"restarts":0,"arrayJob":16,"arrayTask":1}
            """;

    private final HttpServer accounting;
    private final BookedJobs books;
    private final AtomicReference<String> asked = new AtomicReference<>("");
    private int status = 200;
    private String answer = "{\"jobs\":[" + JOB + "],\"more\":false}";

    BookedJobsTest() throws IOException {
        accounting =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        accounting.createContext(
                "/",
                exchange -> {
                    asked.set(
                            exchange.getRequestURI()
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("Authorization"));
                    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(status, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        accounting.start();
        books = new BookedJobs(URI.create("http://127.0.0.1:" + accounting.getAddress().getPort()));
    }

    @AfterEach
    void stop() {
        books.close();
        accounting.stop(0);
    }

    @Test
    void a_question_is_handed_on_with_the_callers_token() throws Exception {
        Map<String, String> query =
                SlurmdbJobs.query(
                        new TreeMap<>(
                                Map.of(
                                        "users",
                                        "alice,bob",
                                        "job_name",
                                        "a&b",
                                        "start_time",
                                        "7")));

        JsonNode told = books.ask(query, "Bearer t", it -> it);

        assertThat(told.path("jobs")).hasSize(1);
        assertThat(asked)
                .hasValue(
                        "/v1/accounting/jobs?limit=2000&name=a%26b&start=7000&user=alice%2Cbob Bearer t");
    }

    @Test
    void what_cannot_be_asked_for_is_named() {
        assertThatThrownBy(() -> SlurmdbJobs.query(Map.of("colour", "red")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining(
                        "'colour' cannot be asked for; what can is: account, end_time");
        assertThatThrownBy(() -> SlurmdbJobs.query(Map.of("end_time", "now")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("end_time");
    }

    @Test
    void a_refusal_is_the_callers_and_a_fault_is_not() {
        status = 400;
        answer = "{\"detail\":\"state: 'x' is no job state\"}";
        assertThatThrownBy(() -> books.ask(Map.of("state", "x"), "Bearer t", it -> it))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("'x' is no job state");
        status = 500;
        for (int i = 0; i <= BookedJobs.MOST; i++) {
            assertThatThrownBy(() -> books.ask(Map.of(), "Bearer t", it -> it))
                    .isInstanceOf(Unavailable.class);
        }
        accounting.stop(0);
        assertThatThrownBy(() -> books.ask(Map.of(), "Bearer t", it -> it))
                .isInstanceOf(Unavailable.class);
    }

    @Test
    void what_a_job_asked_for_is_told_where_the_books_know_it() throws Exception {
        String asked = JOB.replace("\"gpus\":2", "\"gpus\":2,\"requested\":{\"cpu\":4}");

        assertThat(SlurmdbJobs.of(Json.mapper().readTree(asked)))
                .containsEntry("required", Map.of("CPUs", 4L));
        assertThat(SlurmdbJobs.of(Json.mapper().readTree(JOB)))
                .containsEntry("required", Map.of("CPUs", 8L));
    }

    @Test
    void a_job_is_told_in_slurms_words() throws Exception {
        Map<String, Object> job = SlurmdbJobs.of(Json.mapper().readTree(JOB));

        assertThat(job)
                .containsEntry("job_id", 17L)
                .containsEntry("cluster", "atlas")
                .containsEntry("nodes", "gpu-[01-02]")
                .containsEntry(
                        "state", Map.of("current", List.of("FAILED"), "reason", "NonZeroExitCode"))
                .containsEntry("array", Map.of("job_id", 16L, "task_id", SlurmNumber.of(1)))
                .containsEntry(
                        "exit_code",
                        Map.of(
                                "status",
                                List.of("ERROR"),
                                "return_code",
                                SlurmNumber.of(3),
                                "signal",
                                Map.of("id", SlurmNumber.UNSET)));
        JsonNode tree = Json.mapper().valueToTree(job);
        assertThat(tree.at("/time/limit/number").asInt()).isEqualTo(2);
        assertThat(tree.at("/time/elapsed").asInt()).isEqualTo(60);
        assertThat(tree.at("/tres/allocated/3/name").asText()).isEqualTo("gpu");
    }
}
