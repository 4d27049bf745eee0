package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.startsWith;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class EventsTest {
    /// More events than the feed keeps in memory. They are of a kind that brings no mail: where one
    /// may, its job is looked for, and the mail of other tests comes after all of that.
    private static final int MANY = 5000;

    private static final String HALF =
            "\"timeLimitSeconds\":3600,\"terms\":{\"mailType\":\"TIME_LIMIT_50\"}";

    /// A job whose specification is where none can be.
    private static final long UNREADABLE = 990_001;

    private static final String MAIL = "\"terms\":{\"mailType\":\"END\"}";

    @Nullable MeshResource surroundings;

    @TestHTTPResource("/v1/events")
    @Nullable URL url;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        client.shutdownNow();
        mesh.close();
    }

    @Test
    void the_topics_are_described_to_anyone() {
        given().get("/v1/asyncapi")
                .then()
                .statusCode(200)
                .contentType("application/vnd.aai.asyncapi+yaml")
                .body(startsWith("asyncapi: 3.0.0"))
                .body(containsString("schemas/berth.jobs.v1/Ended.json"));
        given().get("/v1/schemas/berth.jobs.v1/Ended.json")
                .then()
                .statusCode(200)
                .contentType("application/schema+json")
                .body(containsString("berth.jobs.v1/Ended"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "berth.jobs.v1/Nothing.json",
                "berth.jobs.v1/..%2f..%2fasyncapi.json",
                "..%2f/asyncapi.json"
            })
    void what_is_no_event_has_no_schema(String name) {
        given().urlEncodingEnabled(false).get("/v1/schemas/" + name).then().statusCode(404);
    }

    @Test
    void who_asks_for_mail_gets_each_once() {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    // A group that has just begun misses what came before.
                    ended(Api.submitted("alice", MAIL));
                    return !mesh().mails().isEmpty();
                });
        long silent = Api.submitted("alice", "");
        long asking =
                Api.submitted("alice", "\"terms\":{\"mailType\":\"END\",\"mailUser\":\"a@lab\"}");
        long last = Api.submitted("alice", MAIL);

        ended(silent);
        ended(asking);
        ended(last);

        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        mesh().mails().stream().anyMatch(it -> subject(it).contains(of(last))));
        List<String> subjects =
                mesh().mails().stream()
                        .map(EventsTest::subject)
                        .filter(it -> !it.contains("Array"))
                        .toList();
        assertThat(subjects)
                .doesNotHaveDuplicates()
                .noneMatch(it -> it.contains(of(silent)))
                .allMatch(it -> it.matches("Slurm Job_id=\\d+ Name=\\S+ Ended, Run time .*"));
        assertThat(mesh().mails())
                .allMatch(it -> it.contains("MAIL FROM:<berth@cluster>"))
                .anyMatch(it -> it.contains("RCPT TO:<alice@localhost>"))
                .anyMatch(it -> it.contains("RCPT TO:<a@lab>") && it.contains(of(asking)));

        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    // One whose status is late has come to it before that is looked at.
                    comesToHalf(Api.submitted("alice", HALF));
                    return mesh().mails().stream()
                            .map(EventsTest::subject)
                            .anyMatch(it ->
                                    it.endsWith("Reached 50% of time limit, Run time 00:30:00"));
                });
        assertThat(mesh().mails().stream().map(EventsTest::subject).toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void mail_that_cannot_be_sent_or_known_is_left_and_that_of_others_comes_once() {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    ended(Api.submitted("alice", MAIL));
                    return !mesh().mails().isEmpty();
                });
        double failed = failedMails();
        long before = Api.submitted("alice", MAIL);
        mesh.jobStatus(
                Samples.status(
                        new Submitted(
                                new JobId(UNREADABLE),
                                Samples.description("alice", "batch", 0),
                                "alice",
                                new SpecReference(0, -1, ""),
                                null,
                                null),
                        JobState.COMPLETED,
                        null,
                        System.currentTimeMillis()));
        long refused = Api.submitted("alice", mailTo("refused@lab"));
        long late = Api.submitted("alice", mailTo("later@lab"));
        long after = Api.submitted("alice", MAIL);

        for (long job : List.of(before, UNREADABLE, refused, late, after)) {
            ended(job);
        }

        await().atMost(Duration.ofSeconds(90))
                .until(() ->
                        mesh().mails().stream().anyMatch(it -> subject(it).contains(of(after))));
        List<String> subjects = mesh().mails().stream().map(EventsTest::subject).toList();
        assertThat(subjects)
                .doesNotHaveDuplicates()
                .anyMatch(it -> it.contains(of(before)))
                .noneMatch(it -> it.contains(of(refused)) || it.contains(of(late)));
        assertThat(failedMails() - failed).isEqualTo(3);
    }

    private static String mailTo(String address) {
        return "\"terms\":{\"mailType\":\"END\",\"mailUser\":\"" + address + "\"}";
    }

    private static double failedMails() {
        return given().get("/q/metrics")
                .then()
                .extract()
                .body()
                .asString()
                .lines()
                .filter(it -> it.startsWith("berth_mails_total{") && it.contains("\"failed\""))
                .mapToDouble(it -> Double.parseDouble(it.substring(it.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void the_mail_of_an_array_knows_how_those_tasks_ended_that_are_forgotten() throws Exception {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    ended(Api.submitted("alice", MAIL));
                    return !mesh().mails().isEmpty();
                });
        long array =
                Api.submitted("alice", "\"terms\":{\"mailType\":\"END,FAIL\",\"array\":\"0-1\"}");
        List<Submitted> tasks = mesh.submitted(array).jobs();

        ended(tasks.getFirst(), JobState.FAILED, 3);
        mesh.forgetJob(array);
        mesh.jobStatus(
                Samples.status(
                        tasks.getLast(), JobState.COMPLETED, null, System.currentTimeMillis()));
        ended(tasks.getLast(), JobState.COMPLETED, 0);

        await().atMost(Duration.ofSeconds(30))
                .until(() ->
                        mesh().mails().stream()
                                .map(EventsTest::subject)
                                .anyMatch(it ->
                                        it.startsWith(
                                                        "Slurm Array Summary Job_id=%d_* "
                                                                .formatted(array))
                                                && it.endsWith(" Failed, Mixed, ExitCode [0-3]")));
    }

    /// The job runs, and has half an hour behind it in a second.
    private void comesToHalf(long job) throws Exception {
        long placedAt = System.currentTimeMillis() - 1_799_000;
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, placedAt, List.of()),
                        0));
    }

    private static String of(long job) {
        return "Job_id=" + job + " ";
    }

    private MeshResource mesh() {
        return Objects.requireNonNull(surroundings);
    }

    private static String subject(String mail) {
        return mail.lines()
                .filter(it -> it.startsWith("Subject: "))
                .findFirst()
                .orElse("")
                .replace("Subject: ", "");
    }

    private void ended(long job) {
        mesh.write(
                Topics.JOBS,
                new JobEvent.Ended(
                        new JobId(job),
                        9000,
                        Samples.description("alice", "batch", 0),
                        JobState.COMPLETED,
                        Reason.NONE,
                        ExitStatus.SUCCESS,
                        1000,
                        List.of(),
                        null,
                        null));
    }

    private void ended(Submitted job, JobState state, int code) {
        mesh.write(
                Topics.JOBS,
                new JobEvent.Ended(
                        job.job(),
                        9000,
                        job.description(),
                        state,
                        Reason.NONE,
                        new ExitStatus(code, 0),
                        1000,
                        List.of(),
                        null,
                        null));
    }

    private record Received(String id, String type, String json) {}

    /// A client in the middle of the stream.
    private final class Stream implements AutoCloseable {
        private final BufferedReader lines;

        Stream(String query, @Nullable String lastId) throws IOException, InterruptedException {
            var request =
                    HttpRequest.newBuilder(URI.create(url + query))
                            .header("Authorization", "Bearer " + Tokens.user("eve"))
                            .timeout(Duration.ofSeconds(20));
            if (lastId != null) {
                request.header("Last-Event-ID", lastId);
            }
            var answer = client.send(request.build(), BodyHandlers.ofInputStream());
            assertThat(answer.statusCode()).isEqualTo(200);
            lines =
                    new BufferedReader(
                            new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
            assertThat(lines.readLine()).startsWith(":");
        }

        List<Received> take(int count) throws IOException {
            var all = new ArrayList<Received>();
            String id = "";
            String type = "";
            while (all.size() < count) {
                String line = lines.readLine();
                int colon = line.indexOf(':');
                String value = line.substring(colon + 1).strip();
                switch (colon < 0 ? "" : line.substring(0, colon)) {
                    case "id" -> id = value;
                    case "event" -> type = value;
                    case "data" -> all.add(new Received(id, type, value));
                    default -> {}
                }
            }
            return all;
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    private void started(long job) {
        mesh.write(Topics.JOBS, new JobEvent.Started(new JobId(job), 1_700_000_000_000L, 1));
    }

    private void queued(long job, String user) {
        mesh.write(
                Topics.JOBS,
                new JobEvent.Queued(
                        new JobId(job), 1_700_000_000_000L, Samples.description(user, "batch", 1)));
    }

    @Test
    void a_client_hears_what_happens_from_now_on() throws Exception {
        started(900_001);
        try (var stream = new Stream("?job=900001,900002", null)) {
            started(900_002);

            assertThat(stream.take(1))
                    .singleElement()
                    .satisfies(it -> {
                        assertThat(it.type()).isEqualTo("Started");
                        assertThat(it.json()).contains("\"job\":900002").contains("\"lease\":1");
                    });
        }
    }

    @Test
    void what_is_no_event_is_told_to_nobody_now_or_later() throws Exception {
        String lastId;
        try (var stream = new Stream("?job=900005,900006", null)) {
            started(900_005);
            lastId = stream.take(1).getFirst().id();
            mesh.raw(Topics.JOBS, "Started", "{");
            mesh.raw(Topics.JOBS, "Teleported", "{}");
            started(900_006);

            assertThat(stream.take(1))
                    .extracting(Received::json)
                    .first()
                    .asString()
                    .contains("900006");
        }
        try (var stream = new Stream("?job=900005,900006", lastId)) {
            assertThat(stream.take(1))
                    .extracting(Received::json)
                    .first()
                    .asString()
                    .contains("900006");
        }
    }

    @Test
    void a_client_that_was_away_goes_on_after_the_last_event_that_it_saw() throws Exception {
        String lastId;
        try (var stream = new Stream("", null)) {
            started(900_010);
            lastId = stream.take(1).getFirst().id();
        }
        started(900_011);
        started(900_012);

        try (var stream = new Stream("", lastId)) {
            assertThat(stream.take(2))
                    .extracting(Received::json)
                    .satisfiesExactly(
                            it -> assertThat(it).contains("900011"),
                            it -> assertThat(it).contains("900012"));
        }
    }

    @Test
    void what_is_not_kept_in_memory_any_more_is_read_from_the_log() throws Exception {
        String lastId;
        try (var stream = new Stream("", null)) {
            started(910_000);
            lastId = stream.take(1).getFirst().id();
        }
        for (int i = 1; i <= MANY; i++) {
            mesh.later(
                    Topics.JOBS,
                    new JobEvent.Resumed(new JobId(910_000 + i), 1_700_000_000_000L, 1));
        }
        mesh.flush();

        try (var stream = new Stream("", lastId)) {
            List<Received> all = stream.take(MANY);

            assertThat(all).doesNotHaveDuplicates();
            assertThat(all.getFirst().json()).contains("\"job\":910001");
            assertThat(all.getLast().json()).contains("\"job\":" + (910_000 + MANY));
        }
    }

    @Test
    void events_are_filtered_by_user_and_type() throws Exception {
        try (var stream = new Stream("?user=frank&type=Queued", null)) {
            started(900_020);
            queued(900_021, "grace");
            queued(900_022, "frank");

            assertThat(stream.take(1))
                    .singleElement()
                    .satisfies(it -> assertThat(it.json()).contains("900022"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?type=Begun, 0:1, 'unknown event type ''Begun''; there are: '",
        "?job=x, 0:1, 'a job id is a positive number'",
        "'', yesterday, 'Last-Event-ID is none'"
    })
    void bad_questions_are_refused(String query, String lastId, String why) {
        Api.refused(
                        Api.as("eve").header("Last-Event-ID", lastId).get("/v1/events" + query),
                        400,
                        "invalid_request")
                .body("detail", org.hamcrest.Matchers.startsWith(why));
    }
}
