package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.berth.contracts.Consumption;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.StepUsage;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class QueryTest {
    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    @Test
    void a_job_shows_before_placement_has_seen_it() {
        Response submitted = Api.submit(Api.as("gina"), "");

        Api.as("gina")
                .header("Berth-Position", submitted.header("Berth-Position"))
                .get("/v1/jobs?user=gina")
                .then()
                .statusCode(200)
                .body("jobs.id", contains(submitted.jsonPath().getInt("id")))
                .body("jobs[0].state", is("PENDING"))
                .body("jobs[0].reason", is("None"));
    }

    @Test
    void a_job_shows_how_it_is_launched() {
        long id =
                Api.submitted(
                        "alice",
                        """
                        "name":"train","workingDirectory":"/home/alice","standardOutput":"out/%x-%j.log","submitHost":"login","command":"/home/alice/train.sh 3"
                        """);

        Api.as("bob")
                .get("/v1/jobs/" + id)
                .then()
                .statusCode(200)
                .body("id", is((int) id))
                .body("workingDirectory", is("/home/alice"))
                .body("standardOutput", is("/home/alice/out/train-" + id + ".log"))
                .body("standardError", is("/home/alice/out/train-" + id + ".log"))
                .body("standardInput", is("/dev/null"))
                .body("command", is("/home/alice/train.sh 3"))
                .body("submitHost", is("login"));
    }

    @Test
    void a_running_job_shows_where_and_with_which_gpus() throws Exception {
        long id = Api.submitted("alice", "\"gpus\":2");
        placed(id, JobState.RUNNING, List.of("GPU-dgx-01-0", "GPU-dgx-01-1"));

        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + id)
                        .then()
                        .body("state", is("RUNNING"))
                        .body("stateCode", is("R"))
                        .body("startedAt", notNullValue())
                        .body("endedAt", nullValue())
                        .body("nodeList", is("dgx-01"))
                        .body("nodeNames", contains("dgx-01"))
                        .body("lease", is(1))
                        .body("simulated", is(true))
                        .body("billingRateMilli", is(34_000))
                        .body("lowGpuUse", nullValue())
                        .body("allocations[0].cpus", is("0-3"))
                        .body("allocations[0].gpuIndices", is("0-1")));
        Api.as("alice")
                .get("/v1/nodes/dgx-01")
                .then()
                .statusCode(200)
                .body("state", is("MIXED"))
                .body("simulated", is(true))
                .body("profile", is("dgx-a100"))
                .body("gpus[0].job", is((int) id))
                .body("gpus[2].job", nullValue())
                .body("gpusAllocated", is(2))
                .body("jobs", hasItem((int) id))
                .body("partitions", is(List.of("batch")))
                .body("loadPercent", is(250))
                .body("heardAt", notNullValue());
        mesh.jobStatus(
                Samples.underused(Samples.run(Samples.DGX, 7000, List.of()), mesh.submitted(id)));
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + id)
                        .then()
                        .body("lowGpuUse[0].node", is("dgx-01"))
                        .body("lowGpuUse[0].since", is(9000))
                        .body("lowGpuUse[0].percent", is(3)));
        mesh.forgetJob(id);
    }

    @Test
    void an_ended_job_is_listed_by_state_or_id_until_it_is_forgotten() throws Exception {
        long id = Api.submitted("henry", "");
        ended(id, System.currentTimeMillis());
        Api.eventually(
                () -> Api.as("henry").get("/v1/jobs?user=henry").then().body("jobs", empty()));

        Api.as("henry")
                .get("/v1/jobs?user=henry&state=CD,F")
                .then()
                .body("jobs.id", contains((int) id))
                .body("jobs[0].exit", is("0:0"))
                .body("jobs[0].endedAt", notNullValue());
        Api.as("henry").get("/v1/jobs?job=" + id).then().body("jobs.id", contains((int) id));
        mesh.forgetJob(id);
        Api.eventually(
                () -> Api.refused(Api.as("henry").get("/v1/jobs/" + id), 404, "job_not_found"));
    }

    @Test
    void a_list_is_filtered_and_ordered_by_id() {
        long first = Api.submitted("iris", "");
        long other = Api.submitted("iris", "\"partition\":\"cpu\"");
        Response submitted = Api.submit(Api.as("iris"), "");
        long last = submitted.jsonPath().getLong("id");

        Api.as("iris")
                .header("Berth-Position", submitted.header("Berth-Position"))
                .get("/v1/jobs?user=iris&partition=batch&state=PENDING")
                .then()
                .body("jobs.id", contains((int) first, (int) last))
                .body("jobs.user", everyItem(is("iris")));
        Api.as("iris")
                .get("/v1/jobs?job=" + other + "," + first)
                .then()
                .body("jobs.id", contains((int) first, (int) other));
    }

    @Test
    void a_waiting_job_says_why() throws Exception {
        long first = Api.submitted("alice", "\"partition\":\"later\"");
        long second = Api.submitted("alice", "\"partition\":\"later\"");
        waiting(first, Reason.RESOURCES, new Rank(1, 5_500_000, 0, 0, 0, 0, 0));
        waiting(second, Reason.PRIORITY, new Rank(1, 250_000, 0, 0, 0, 0, 0));

        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + second + "/why")
                        .then()
                        .statusCode(200)
                        .body("job", is((int) second))
                        .body("state", is("PENDING"))
                        .body("reason", is("Priority"))
                        .body("ahead", is(1))
                        .body("first.job", contains((int) first))
                        .body("first.user", contains("alice"))
                        .body("position", is(2))
                        .body("explanation", containsString("One job is before it"))
                        .body("unplanned.cause", is("NEVER"))
                        .body("priority.jobSize", is(0.25f))
                        .body("priority.fairShare", is(1250))
                        .body("priority.total", is(1250.25f)));
    }

    @Test
    void priorities_are_taken_apart_and_their_weights_told() throws Exception {
        long job = Api.submitted("alice", "\"partition\":\"later\"");
        waiting(
                job,
                Reason.PRIORITY,
                new Rank(1, 250_000, 0, 0, -50_000_000, 0, 0, 7_000_000L, 3_000_000L, 20_000_000L));

        String it = "jobs.find { it.job == " + job + " }.";
        Api.eventually(() ->
                Api.as("bob")
                        .get("/v1/priorities")
                        .then()
                        .statusCode(200)
                        .body("weights.fairShare", is(10_000))
                        .body("weights.association", is(0))
                        .body(it + "user", is("alice"))
                        .body(it + "points", is(1230))
                        .body(it + "priority.association", is(7))
                        .body(it + "priority.tres", is(3))
                        .body(it + "priority.site", is(20))
                        .body(it + "priority.nice", is(-50))
                        .body(it + "priority.total", is(1230.25f)));
    }

    @Test
    void partitions_are_as_configured_with_what_their_nodes_have() {
        Api.as("alice")
                .get("/v1/partitions")
                .then()
                .statusCode(200)
                .body("partitions.name", contains("batch", "cpu", "later"))
                .body("partitions[0].default", is(true))
                .body(
                        "partitions[0].nodes",
                        is(List.of("dgx-01", "dgx-02", "plain-01", "volta-01")))
                .body("partitions[0].totalCpus", is(128 + 128 + 256 + 64))
                .body("partitions[0].totalGpus", is(20))
                .body("partitions[0].maxTimeSeconds", is(86_400))
                .body("partitions[2].nodes", is(List.of("dgx-99")))
                .body("partitions[2].totalCpus", is(0));
    }

    @Test
    void the_steps_that_run_are_told_by_all_of_their_nodes() throws Exception {
        long id = Api.submitted("alice", "");
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(id),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0));
        var run = new RunId(new JobId(id), 1);
        var steps = List.of(new StepUsage(0, 4, 7, 8, "train", 1_700_000_000_000L, null));
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
        String step = "steps.find { it.job == " + id + " }";
        Api.eventually(() ->
                Api.as("bob")
                        .get("/v1/steps")
                        .then()
                        .body(step + ".name", is("train"))
                        .body(step + ".tasks", is(4))
                        .body(step + ".beganAt", is(1_700_000_000_000L))
                        .body(step + ".nodes", contains("dgx-01")));
        Api.as("bob").get("/v1/steps?job=" + id).then().body("steps.job", contains((int) id));
        Api.as("bob").get("/v1/steps?job=" + id + "_1,1").then().body("steps", empty());
        Api.as("bob").get("/v1/steps?job=x").then().statusCode(400);
        mesh.forgetJob(id);
    }

    @Test
    void nodes_are_listed_by_name() {
        Api.as("alice")
                .get("/v1/nodes")
                .then()
                .statusCode(200)
                .body("nodes.name", contains("dgx-01", "dgx-02", "plain-01", "volta-01"))
                .body("nodes[2].state", is("IDLE"))
                .body("nodes[2].reason", nullValue());
    }

    @Test
    void shares_are_the_last_calculations() {
        Api.as("alice")
                .get("/v1/fair-share")
                .then()
                .statusCode(200)
                .body("weight", is(10_000.0f))
                .body("shares[0].user", is("alice"))
                .body("shares[0].factor", is(0.125f));
    }

    @Test
    void a_parameter_that_is_no_number_is_refused() {
        Api.refused(
                Api.as("alice").get("/v1/accounting/history?start=soon"), 400, "invalid_request");
    }

    @Test
    void an_unknown_node_is_not_found() {
        Api.refused(Api.as("alice").get("/v1/nodes/gone"), 404, "node_not_found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/jobs/999999999", "/v1/jobs/999999999/why"})
    void an_unknown_job_is_not_found(String path) {
        Api.refused(Api.as("alice").get(path), 404, "job_not_found");
    }

    @Test
    void cancelling_an_unknown_job_is_not_found() {
        Api.refused(Api.as("alice").delete("/v1/jobs/999999999"), 404, "job_not_found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/jobs/x",
                "/v1/jobs/-1",
                "/v1/jobs?job=x",
                "/v1/jobs?state=waiting",
                "/v1/nodes?name=dgx-01",
                "/v1/events?usr=alice",
            })
    void a_malformed_question_is_refused(String path) {
        Api.refused(Api.as("alice").get(path), 400, "invalid_request");
    }

    @Test
    void a_parameter_that_is_not_there_is_named_with_those_that_are() {
        Response response = Api.as("alice").get("/v1/jobs?usr=alice");

        Api.refused(response, 400, "invalid_request");
        assertThat(response.jsonPath().getString("detail"))
                .isEqualTo(
                        "there is no parameter 'usr'; there are: account, cursor, fields, job,"
                                + " limit, name, partition, qos, state, user");
        Response submitted =
                Api.as("alice")
                        .contentType("application/json")
                        .body("{\"script\":\"#!/bin/sh\\n\"}")
                        .post("/v1/jobs?hold=true");
        Api.refused(submitted, 400, "invalid_request");
    }

    @Test
    void a_position_that_no_one_gave_is_refused() {
        Response response = Api.as("alice").header("Berth-Position", "42").get("/v1/jobs");

        Api.refused(response, 400, "invalid_request");
    }

    @Test
    void a_position_that_the_view_does_not_reach_is_unavailable() {
        Response response =
                Api.as("alice").header("Berth-Position", "submissions:0:999999").get("/v1/jobs");

        Api.refused(response, 503, "unavailable").header("Retry-After", notNullValue());
    }

    @Test
    void a_cancel_is_written_to_the_log() throws Exception {
        long id = Api.submitted("alice", "");

        Response response = Api.as("alice").delete("/v1/jobs/" + id);

        response.then().statusCode(202).header("Berth-Position", containsString("submissions:0:"));
        assertThat(mesh.events(Topics.SUBMISSIONS))
                .filteredOn(CancelRequested.class::isInstance)
                .extracting(it -> it.job().value())
                .containsOnlyOnce(id);
    }

    @Test
    void cancelling_another_users_job_is_not_allowed() {
        long id = Api.submitted("alice", "");

        Response response = Api.as("bob").delete("/v1/jobs/" + id);

        Api.refused(response, 403, "not_allowed");
    }

    @Test
    void jobs_are_cancelled_together_but_those_that_cannot_be() throws Exception {
        long first = Api.submitted("alice", "");
        long second = Api.submitted("alice", "");
        long others = Api.submitted("bob", "");

        Response response =
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .body(
                                "{\"jobs\":[\"%d\",\"%d\",\"%d_*\",\"%d\",\"%d\",\"999999999\",\"17_70000\"]}"
                                        .formatted(first, second, second, others, first))
                        .post("/v1/jobs/cancel");

        response.then()
                .statusCode(202)
                .header("Berth-Position", containsString("submissions:0:"))
                .body("refused.job", contains("17_70000", Long.toString(others), "999999999"))
                .body("refused.status", contains(400, 403, 404))
                .body("refused.code", contains("invalid_request", "not_allowed", "job_not_found"));
        assertThat(mesh.events(Topics.SUBMISSIONS))
                .filteredOn(CancelRequested.class::isInstance)
                .extracting(it -> it.job().value())
                .containsOnlyOnce(first, second)
                .doesNotContain(others);
    }

    @Test
    void when_none_of_the_jobs_can_be_cancelled_nothing_is_asked() {
        cancel("[\"999999999\"]").then().statusCode(202).header("Berth-Position", nullValue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null"})
    void jobs_to_cancel_that_are_none_are_refused(String jobs) {
        Api.refused(cancel(jobs), 400, "invalid_request");
    }

    @Test
    void more_jobs_than_can_be_cancelled_at_once_are_refused() {
        String jobs =
                IntStream.rangeClosed(1, CancelJson.MOST + 1)
                        .mapToObj(it -> "\"" + it + "\"")
                        .collect(Collectors.joining(",", "[", "]"));

        Api.refused(cancel(jobs), 400, "invalid_request");
    }

    private static Response cancel(String jobs) {
        return Api.as("alice")
                .contentType(ContentType.JSON)
                .body("{\"jobs\":" + jobs + "}")
                .post("/v1/jobs/cancel");
    }

    @Test
    void an_operator_cancels_anybodys_job() {
        long id = Api.submitted("alice", "");

        Api.asOperator().delete("/v1/jobs/" + id).then().statusCode(202);
    }

    @Test
    void cancelling_an_ended_job_does_nothing() throws Exception {
        long id = Api.submitted("alice", "");
        ended(id, System.currentTimeMillis());
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("COMPLETED")));

        Api.as("alice").delete("/v1/jobs/" + id).then().statusCode(202);

        assertThat(mesh.events(Topics.SUBMISSIONS))
                .filteredOn(CancelRequested.class::isInstance)
                .extracting(it -> it.job().value())
                .doesNotContain(id);
    }

    @Test
    void what_has_not_changed_is_not_answered_again() throws Exception {
        long id = Api.submitted("alice", "");
        String path = "/v1/jobs/" + id;
        String tag = Api.as("alice").get(path).then().extract().header("ETag");
        String nodes = Api.as("alice").get("/v1/nodes").then().extract().header("ETag");

        Api.as("alice").header("If-None-Match", tag).get(path).then().statusCode(304).body(is(""));
        Api.as("alice")
                .header("If-None-Match", "\"other\", W/" + nodes)
                .get("/v1/nodes")
                .then()
                .statusCode(304)
                .header("ETag", is(nodes));
        Api.as("alice").header("If-None-Match", nodes).get(path).then().statusCode(200);
        placed(id, JobState.RUNNING, List.of());
        Api.eventually(() ->
                Api.as("alice")
                        .header("If-None-Match", tag)
                        .get(path)
                        .then()
                        .statusCode(200)
                        .body("state", is("RUNNING")));
    }

    @Test
    void a_job_that_has_changed_since_is_left_as_it_is() throws Exception {
        long id = Api.submitted("alice", "");
        String seen = Api.as("alice").get("/v1/jobs/" + id).then().extract().header("ETag");
        placed(id, JobState.RUNNING, List.of());
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("RUNNING")));

        Api.refused(
                Api.as("alice").header("If-Match", seen).delete("/v1/jobs/" + id), 412, "changed");
        String now = Api.as("alice").get("/v1/jobs/" + id).then().extract().header("ETag");
        Api.as("alice").header("If-Match", now).delete("/v1/jobs/" + id).then().statusCode(202);
    }

    @Test
    void of_two_changes_on_the_same_condition_one_is_made() throws Exception {
        long id = Api.submitted("alice", "");
        String path = "/v1/jobs/" + id;
        String seen = Api.as("alice").get(path).then().extract().header("ETag");
        String first =
                Api.as("alice")
                        .header("If-Match", seen)
                        .post(path + "/hold")
                        .then()
                        .statusCode(202)
                        .extract()
                        .header("Berth-Position");

        RequestSpecification again = Api.as("alice").header("If-Match", seen);
        var second = CompletableFuture.supplyAsync(() -> again.delete(path));
        placed(id, JobState.RUNNING, List.of());
        long offset = Long.parseLong(first.substring(first.lastIndexOf(':') + 1));
        mesh.write(Topics.CELL_STATES, Samples.cellStatus(offset, id));

        Api.refused(second.join(), 412, "changed");
    }

    @Test
    void ten_thousand_jobs_are_listed_whole() throws Exception {
        // Above the block that the gateway takes its ids from.
        long first = Api.submitted("jack", "") + IdBlockClaimed.SIZE;
        var description = mesh.submitted(first - IdBlockClaimed.SIZE).description();
        for (long id = first; id < first + 10_000; id++) {
            mesh.later(
                    Topics.JOB_STATES,
                    Samples.status(id, description, JobState.PENDING, Reason.PRIORITY, Rank.NONE));
        }
        mesh.flush();
        Api.eventually(() ->
                Api.as("jack")
                        .get("/v1/jobs/" + (first + 9_999) + "/why")
                        .then()
                        .body("ahead", greaterThan(9_998)));

        List<Integer> ids =
                Api.as("jack")
                        .get("/v1/jobs?user=jack&fields=id")
                        .then()
                        .statusCode(200)
                        .extract()
                        .path("jobs.id");

        assertThat(ids).hasSize(10_001).doesNotHaveDuplicates();
        // The lists of other tests are shorter without them.
        for (long id = first; id < first + 10_000; id++) {
            mesh.forgetLater(id);
        }
        mesh.flush();
    }

    private void placed(long id, JobState state, List<String> gpus) throws Exception {
        Submitted submitted = mesh.submitted(id);
        mesh.jobStatus(
                Samples.status(
                        submitted,
                        state,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), gpus),
                        0));
    }

    private void ended(long id, long at) throws Exception {
        mesh.jobStatus(Samples.status(mesh.submitted(id), JobState.COMPLETED, null, at));
    }

    private void waiting(long id, Reason reason, Rank rank) throws Exception {
        mesh.jobStatus(
                Samples.status(
                        id, mesh.submitted(id).description(), JobState.PENDING, reason, rank));
    }

    @Test
    void a_jobs_script_is_read_as_it_was_submitted() {
        long id = Api.submitted("alice", "");

        Api.as("alice")
                .get("/v1/jobs/" + id + "/script")
                .then()
                .statusCode(200)
                .contentType("application/octet-stream")
                .body(is("#!/bin/sh\nhostname\n"));
        Api.as("alice").get("/v1/jobs/" + id).then().body("cluster", is("atlas"));
    }
}
