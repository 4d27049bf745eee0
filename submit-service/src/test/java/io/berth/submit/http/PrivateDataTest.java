package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.berth.contracts.Consumption;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.PrivateData;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.StepUsage;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A cluster in which all is private. carol coordinates the account of alice's job; bob has nothing
/// to do with it.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class PrivateDataTest {
    private static final String OF_TEAM_B = "\"account\":\"team_b\"";

    @TestHTTPResource("/v1/events")
    @Nullable URL url;

    private final Mesh mesh = Mesh.connect();
    private long job;

    @BeforeEach
    void all_is_private() {
        Api.awaitReady();
        job = Api.submitted("alice", OF_TEAM_B);
        mesh.publishCluster(List.of(PrivateData.values()));
        Api.eventually(() -> Api.refused(Api.as("bob").get("/v1/nodes"), 403, "not_allowed"));
    }

    @AfterEach
    void nothing_is_private() {
        mesh.publishCluster(List.of());
        Api.eventually(() -> Api.as("bob").get("/v1/nodes").then().statusCode(200));
        mesh.close();
    }

    /// Every way to ask for the one job, for reading and for control.
    static Stream<String> ofOneJob() {
        return Stream.of(
                "GET /v1/jobs/%d",
                "GET /v1/jobs/%d/why",
                "GET /v1/jobs/%d/telemetry",
                "GET /slurm/v0.0.40/job/%d",
                "DELETE /slurm/v0.0.40/job/%d",
                "DELETE /v1/jobs/%d",
                "POST /v1/jobs/%d/hold",
                "POST /v1/jobs/%d/release",
                "POST /v1/jobs/%d/requeue",
                "POST /v1/jobs/%d/signal?signal=USR1");
    }

    @ParameterizedTest
    @MethodSource("ofOneJob")
    void another_users_job_is_as_one_that_is_not_there(String request) {
        assertThat(send(Api.as("bob"), request).statusCode()).isEqualTo(404);
        assertThat(send(Api.as("carol"), request).statusCode()).isNotEqualTo(404);
    }

    private Response send(RequestSpecification caller, String request) {
        String[] words = request.formatted(job).split(" ");
        return caller.request(words[0], words[1]);
    }

    /// Every list of jobs, with the path of their ids.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/jobs?state=all jobs.id",
                "/v1/jobs?job=%d jobs.id",
                "/v1/jobs?user=alice jobs.id",
                "/v1/jobs?fields=id jobs.id",
                "/v1/priorities jobs.job",
                "/slurm/v0.0.40/jobs jobs.job_id"
            })
    void lists_have_ones_own_jobs_and_those_of_accounts_that_one_coordinates(String list) {
        String[] words = list.formatted(job).split(" ");

        Api.as("bob").get(words[0]).then().body(words[1], not(hasItem((int) job)));
        for (var caller : List.of(Api.as("alice"), Api.as("carol"), Api.asOperator())) {
            caller.get(words[0]).then().statusCode(200).body(words[1], hasItem((int) job));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/nodes",
                "/v1/nodes/dgx-01",
                "/v1/partitions",
                "/slurm/v0.0.40/nodes",
                "/slurm/v0.0.40/partitions"
            })
    void nodes_and_partitions_are_for_operators(String path) {
        assertThat(Api.as("alice").get(path).statusCode()).isEqualTo(403);
        assertThat(Api.asOperator().get(path).statusCode()).isEqualTo(200);
    }

    @Test
    void accounts_and_users_are_for_themselves_and_their_coordinators() {
        String root = "/slurmdb/v0.0.40/";

        Api.as("bob").get(root + "accounts").then().body("accounts", empty());
        Api.as("carol").get(root + "accounts").then().body("accounts.name", is(List.of("team_b")));
        Api.as("bob").get(root + "users").then().body("users.name", is(List.of("bob")));
        Api.as("bob").get(root + "user/alice").then().body("users", empty());
        Api.as("carol")
                .get(root + "user/alice")
                .then()
                .body("users[0].associations.account", is(List.of("team_b")));
        Api.as("bob")
                .get(root + "associations")
                .then()
                .body("associations.user", everyItem(is("bob")));
    }

    @Test
    void shares_are_ones_own() {
        Api.as("bob").get("/v1/fair-share").then().body("shares", empty());
        Api.as("alice").get("/v1/fair-share").then().body("shares.user", hasItem("alice"));
    }

    @Test
    void steps_are_told_to_those_who_see_their_jobs() throws Exception {
        mesh.publishCluster(List.of(PrivateData.JOBS));
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0));
        var run = new RunId(new JobId(job), 1);
        var steps = List.of(new StepUsage(0, 4, 7, 8, "train", 1_700_000_000_000L));
        mesh.write(
                Topics.HEARTBEATS,
                new Heartbeat(
                        Samples.DGX.node(),
                        1,
                        0,
                        List.of(run),
                        250,
                        12_000,
                        List.of(),
                        List.of(new RunUsage(run, new Consumption(8000, 512), steps))));

        Api.eventually(() ->
                Api.as("carol").get("/v1/steps").then().body("steps.job", hasItem((int) job)));
        Api.as("bob").get("/v1/steps").then().body("steps.job", not(hasItem((int) job)));
        Api.as("bob").get("/v1/steps?job=" + job).then().body("steps", empty());
        mesh.forgetJob(job);
    }

    @Test
    void a_node_tells_that_a_gpu_is_held_and_not_by_whom() throws Exception {
        mesh.publishCluster(List.of(PrivateData.JOBS));
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.RUNNING,
                        Samples.run(
                                Samples.DGX_2, System.currentTimeMillis(), List.of("GPU-dgx-02-0")),
                        0));

        Api.eventually(() ->
                Api.as("carol")
                        .get("/v1/nodes/dgx-02")
                        .then()
                        .body("gpus[0].job", is((int) job))
                        .body("gpus[0].held", nullValue()));
        Api.as("bob")
                .get("/v1/nodes/dgx-02")
                .then()
                .body("gpus[0].job", nullValue())
                .body("gpus[0].held", is(true))
                .body("gpusAllocated", notNullValue())
                .body("jobs", not(hasItem((int) job)));
        mesh.forgetJob(job);
    }

    @Test
    void who_mistypes_a_partition_is_not_told_which_there_are() {
        String gone = "\"partition\":\"gone\"";
        var json = Api.as("alice").contentType(ContentType.JSON);
        String simulated = "{\"submit\":{\"script\":\"" + Api.SCRIPT + "\"," + gone + "}}";

        for (Response answer :
                List.of(
                        Api.submit(Api.as("alice"), gone),
                        json.body("{" + gone + "}").post("/v1/jobs/" + job),
                        json.body(simulated).post("/v1/simulate"))) {
            Api.refused(answer, 422, "invalid_partition")
                    .body("detail", is("partition 'gone' does not exist"));
        }
    }

    @Test
    void events_are_of_jobs_that_one_may_see() throws Exception {
        long bobs = Api.submitted("bob", OF_TEAM_B);
        try (var client = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(URI.create(Objects.requireNonNull(url).toString()))
                            .header("Authorization", "Bearer " + Tokens.user("bob"));
            var lines = client.send(request.build(), BodyHandlers.ofLines()).body().iterator();
            lines.next();

            for (long id : new long[] {job, 970_001, bobs}) {
                mesh.write(Topics.JOBS, new JobEvent.Started(new JobId(id), 1_700_000_000_000L, 1));
            }

            String first = "";
            while (!first.startsWith("data:")) {
                first = lines.next();
            }
            assertThat(first).contains("\"job\":" + bobs);
            client.shutdownNow();
        }
    }
}
