package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.Hold;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Amended;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.ResumeRequested;
import io.berth.contracts.event.Submission.SignalRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.event.Submission.SuspendRequested;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What people ask of jobs and nodes that are there, and who may.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class ControlTest {

    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private static RequestSpecification caller(String who) {
        return switch (who) {
            case "operator" -> Api.asOperator();
            case "admin" -> Api.asAdmin();
            default -> Api.as(who);
        };
    }

    private static Response change(String who, String path, String body) {
        return caller(who).contentType(ContentType.JSON).body(body).post(path);
    }

    private <T extends Submission> List<T> asked(Class<T> what, long id) throws Exception {
        return mesh.events(Topics.SUBMISSIONS).stream()
                .filter(what::isInstance)
                .map(what::cast)
                .filter(it -> it.job().value() == id)
                .toList();
    }

    @Test
    void an_array_is_one_submission_and_many_jobs() throws Exception {
        Response response =
                Api.submit(Api.as("alice"), "\"name\":\"sweep\",\"terms\":{\"array\":\"2-8:3%2\"}");

        long id = response.then().statusCode(201).extract().jsonPath().getLong("id");
        response.then().body("arrayJob", is((int) id)).body("arrayTask", is(2));
        Submitted submitted = asked(Submitted.class, id).getFirst();
        assertThat(submitted.jobs())
                .extracting(job -> String.valueOf(job.description().array()))
                .containsExactly(id + "_2", id + "_5", id + "_8");
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs?job=" + id + "_[5,8]")
                        .then()
                        .body("jobs", hasSize(2))
                        .body("jobs[0].arrayTask", is(5)));
    }

    @Test
    void more_tasks_than_one_block_of_ids_has_make_an_array() throws Exception {
        long id = Api.submitted("alice", "\"terms\":{\"array\":\"0-249\"}");

        Submitted submitted = asked(Submitted.class, id).getFirst();

        assertThat(submitted.jobs())
                .extracting(Submitted::job)
                .hasSize(250)
                .doesNotHaveDuplicates();
    }

    @Test
    void an_array_that_is_too_large_is_refused() {
        Response response = Api.submit(Api.as("alice"), "\"terms\":{\"array\":\"0-10001\"}");

        Api.refused(response, 422, "invalid_option")
                .body("detail", containsString("Invalid job array specification"));
    }

    @Test
    void a_heterogeneous_job_is_one_submission_and_a_job_for_each_component() throws Exception {
        Response response =
                Api.submit(
                        Api.as("alice").header("Idempotency-Key", "het-1"),
                        "\"name\":\"mixed\",\"tasks\":1,\"components\":[{\"tasks\":2},{\"name\":\"third\"}]");

        long id = response.then().statusCode(201).extract().jsonPath().getLong("id");
        response.then()
                .body("hetJob", is((int) id))
                .body("hetOffset", is(0))
                .body("hetSize", is(3));
        Submitted submitted = asked(Submitted.class, id).getFirst();
        assertThat(submitted.jobs())
                .extracting(job -> job.job() + " " + job.description().name())
                .containsExactly(id + " mixed", (id + 1) + " mixed", (id + 2) + " third");
        assertThat(submitted.jobs())
                .extracting(job -> job.description().request().tasks())
                .containsExactly(1, 2, 1);
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs?job=" + id)
                        .then()
                        .body("jobs.id", is(List.of((int) id, (int) id + 1, (int) id + 2))));
        Api.as("alice")
                .urlEncodingEnabled(false)
                .get("/v1/jobs/" + id + "%2B1")
                .then()
                .body("id", is((int) id + 1))
                .body("standardOutput", is("/dev/null"));
        Api.as("alice")
                .urlEncodingEnabled(false)
                .get("/v1/jobs/" + id + "%2B3")
                .then()
                .statusCode(404);
        Api.submit(
                        Api.as("alice").header("Idempotency-Key", "het-1"),
                        "\"name\":\"mixed\",\"tasks\":1,\"components\":[{\"tasks\":2},{\"name\":\"third\"}]")
                .then()
                .body("id", is((int) id));
        assertThat(asked(Submitted.class, id)).hasSize(1);
    }

    @Test
    void a_component_that_is_null_is_no_job() {
        Api.submit(Api.as("alice"), "\"components\":[null]")
                .then()
                .statusCode(400)
                .body("detail", containsString("field 'components': null is no value"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'tasks':2},{'tasks':0} | component 2: ",
                "{'partition':'gone'} | component 1: partition 'gone' does not exist",
                "{'script':'#!/bin/sh'} | component 1: field 'script' is for the first component",
                "{'terms':{'array':'1-2'}} | component 1: Invalid job array specification",
                "{'components':[{}]} | component 1: field 'components' is for the first",
            })
    void a_set_is_refused_whole_and_the_component_is_named(String components, String why) {
        Response response =
                Api.submit(
                        Api.as("alice"), "\"components\":[" + components.replace('\'', '"') + "]");

        response.then().statusCode(422).body("detail", containsString(why));
    }

    @Test
    void what_is_asked_of_a_set_is_asked_of_its_first_component() throws Exception {
        long id = Api.submitted("alice", "\"components\":[{},{}]");
        long second = id + 1;

        Api.as("alice").post("/v1/jobs/" + id + "/hold").then().statusCode(202);
        Api.as("alice")
                .urlEncodingEnabled(false)
                .delete("/v1/jobs/" + id + "%2B1")
                .then()
                .statusCode(202);
        Api.as("alice").delete("/v1/jobs/" + id).then().statusCode(202);

        assertThat(asked(Held.class, id)).hasSize(1);
        assertThat(asked(Held.class, second)).isEmpty();
        assertThat(asked(CancelRequested.class, second)).hasSize(1);
        assertThat(asked(CancelRequested.class, id)).hasSize(1);
        assertThat(asked(CancelRequested.class, id + 2)).isEmpty();
        Api.refused(
                        Api.as("alice")
                                .urlEncodingEnabled(false)
                                .post("/v1/jobs/" + id + "%2B1/requeue"),
                        422,
                        "invalid_option")
                .body("detail", containsString("requeued as a whole"));
    }

    @Test
    void whose_place_a_job_takes_is_its_users_word_but_always_is_the_operators() throws Exception {
        long id = Api.submitted("alice", "\"terms\":{\"preemption\":\"never\"}");

        Response always = Api.submit(Api.as("alice"), "\"terms\":{\"preemption\":\"always\"}");
        Response none = Api.submit(Api.as("alice"), "\"terms\":{\"preemption\":\"higher\"}");

        assertThat(asked(Submitted.class, id).getFirst().description().conditions().preemption())
                .isEqualTo(PreemptPolicy.NEVER);
        Api.refused(always, 403, "not_allowed");
        Api.refused(none, 422, "invalid_option")
                .body("detail", containsString("is none of never, lower, always"));
    }

    @Test
    void a_hold_is_the_users_or_the_operators() throws Exception {
        long id = Api.submitted("alice", "");

        Api.as("alice").post("/v1/jobs/" + id + "/hold").then().statusCode(202);
        Api.asOperator().post("/v1/jobs/" + id + "/hold").then().statusCode(202);
        Api.asOperator().post("/v1/jobs/" + id + "/hold?as=user").then().statusCode(202);

        assertThat(asked(Held.class, id))
                .extracting(Held::hold)
                .containsExactly(Hold.USER, Hold.ADMIN, Hold.USER);
    }

    @Test
    void a_waiting_job_cannot_be_requeued_nor_signalled() {
        long id = Api.submitted("alice", "");

        Api.refused(Api.as("alice").post("/v1/jobs/" + id + "/requeue"), 409, "job_not_pending")
                .body("detail", is("Job is pending execution"));
        Api.refused(
                Api.as("alice").post("/v1/jobs/" + id + "/signal?signal=USR1"),
                409,
                "job_not_pending");
    }

    @Test
    void a_signal_goes_to_a_running_job() throws Exception {
        long id = Api.submitted("alice", "");
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(id),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0));
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("RUNNING")));

        Api.as("alice")
                .post("/v1/jobs/" + id + "/signal?signal=usr1&target=batch")
                .then()
                .statusCode(202);

        assertThat(asked(SignalRequested.class, id).getFirst())
                .extracting(SignalRequested::signal, SignalRequested::target)
                .containsExactly(10, SignalTarget.BATCH);
        Api.as("alice")
                .post("/v1/jobs/" + id + "/signal?signal=KILL&step=3")
                .then()
                .statusCode(202);
        assertThat(asked(SignalRequested.class, id).getLast())
                .extracting(SignalRequested::signal, SignalRequested::step)
                .containsExactly(9, 3);
        Api.refused(
                        Api.as("alice").post("/v1/jobs/" + id + "/signal?signal=KILL&step=-1"),
                        400,
                        "invalid_request")
                .body("detail", is("a step is a number from 0 to 999999, not '-1'"));
    }

    @Test
    void only_an_operator_suspends_a_running_job_and_resumes_a_suspended_one() throws Exception {
        long id = Api.submitted("alice", "");
        Api.refused(Api.asOperator().post("/v1/jobs/" + id + "/suspend"), 409, "job_not_pending")
                .body("detail", is("Job is pending execution"));
        JobStatus running =
                Samples.status(
                        mesh.submitted(id),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                        0);
        mesh.jobStatus(running);
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("RUNNING")));

        Api.refused(Api.as("alice").post("/v1/jobs/" + id + "/suspend"), 403, "not_allowed");
        Api.refused(Api.asOperator().post("/v1/jobs/" + id + "/resume"), 409, "job_not_pending")
                .body("detail", is("Job is not suspended"));
        Api.asOperator().post("/v1/jobs/" + id + "/suspend").then().statusCode(202);
        mesh.jobStatus(Samples.suspended(running, System.currentTimeMillis() - 5000));
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + id)
                        .then()
                        .body("state", is("SUSPENDED"))
                        .body("suspendedSeconds", greaterThanOrEqualTo(5)));
        Api.refused(Api.as("alice").post("/v1/jobs/" + id + "/resume"), 403, "not_allowed");
        Api.asOperator().post("/v1/jobs/" + id + "/resume").then().statusCode(202);

        assertThat(asked(SuspendRequested.class, id)).hasSize(1);
        assertThat(asked(ResumeRequested.class, id)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"partition\":\"nosuch\"}   | 422",
                "{\"dependency\":\"after-x\"} | 422",
                "{\"constraint\":\"a&\"}      | 422",
                "{\"nodeList\":\"nosuch\"}    | 422",
                "{\"arrayThrottle\":2}        | 422",
                "{\"colour\":1}               | 400",
            })
    void a_change_to_what_cannot_be_is_refused(String body, int status) {
        long id = Api.submitted("alice", "\"timeLimitSeconds\":3600");

        Response response = change("alice", "/v1/jobs/" + id, body);

        response.then().statusCode(status);
    }

    @Test
    void a_change_stands_in_the_log() throws Exception {
        long id = Api.submitted("alice", "");

        change("alice", "/v1/jobs/" + id, "{\"name\":\"other\",\"dependency\":\"afterok:1\"}")
                .then()
                .statusCode(202);

        Amended amended = asked(Amended.class, id).getFirst();
        assertThat(amended.user()).isEqualTo("alice");
        assertThat(amended.change().name()).isEqualTo("other");
        assertThat(amended.change().terms())
                .isNotNull()
                .extracting(JobTerms::dependency)
                .hasToString("afterok:1");
    }

    @Test
    void a_change_of_one_term_leaves_the_others() throws Exception {
        long id =
                Api.submitted(
                        "alice",
                        "\"terms\":{\"preemption\":\"never\",\"hold\":true,\"beginAt\":4102444800000}");

        change("alice", "/v1/jobs/" + id, "{\"comment\":\"for the paper\"}").then().statusCode(202);

        JobTerms terms = asked(Amended.class, id).getFirst().change().terms();
        assertThat(terms)
                .isNotNull()
                .extracting(
                        JobTerms::comment, JobTerms::preemption, JobTerms::hold, JobTerms::beginAt)
                .containsExactly("for the paper", PreemptPolicy.NEVER, Hold.USER, 4102444800000L);
    }

    /// A change carries all terms, and the whole request, of the job as it is.
    @Test
    void a_change_right_after_another_leaves_what_that_has_changed() throws Exception {
        long id = Api.submitted("alice", "");
        String path = "/v1/jobs/" + id;
        String first =
                change("alice", path, "{\"comment\":\"for the paper\"}")
                        .then()
                        .statusCode(202)
                        .extract()
                        .header("Berth-Position");

        RequestSpecification next =
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .body("{\"dependency\":\"singleton\"}");
        var second = CompletableFuture.supplyAsync(() -> next.post(path));
        Thread.sleep(500);
        Submitted submitted = mesh.submitted(id);
        mesh.jobStatus(
                Samples.status(
                        id,
                        asked(Amended.class, id)
                                .getFirst()
                                .change()
                                .applied(submitted.description()),
                        JobState.PENDING,
                        Reason.PRIORITY,
                        Rank.NONE));
        long offset = Long.parseLong(first.substring(first.lastIndexOf(':') + 1));
        mesh.write(Topics.CELL_STATES, Samples.cellStatus(offset, id));

        second.join().then().statusCode(202);
        assertThat(asked(Amended.class, id).getLast().change().terms())
                .isNotNull()
                .extracting(JobTerms::comment)
                .isEqualTo("for the paper");
    }

    @Test
    void a_feature_that_is_null_is_refused() {
        Response response =
                change("admin", "/v1/nodes/" + Samples.DGX.node(), "{\"features\":[null]}");

        Api.refused(response, 400, "invalid_json")
                .body("detail", is("field 'features': null is no value"));
    }

    @Test
    void a_choice_that_is_none_is_refused_and_not_taken_for_no() {
        long id = Api.submitted("alice", "");

        Api.refused(
                Api.as("alice").post("/v1/jobs/" + id + "/requeue?hold=yes"),
                400,
                "invalid_request");
        Api.refused(
                Api.asOperator().post("/v1/jobs/" + id + "/hold?as=User"), 400, "invalid_request");
    }

    @Test
    void a_coordinator_controls_the_jobs_of_the_account_as_their_owner_does() {
        long ours = Api.submitted("alice", "\"account\":\"team_b\"");
        long others = Api.submitted("alice", "\"account\":\"team_a\"");

        change("carol", "/v1/jobs/" + ours, "{\"nice\":20}").then().statusCode(202);
        Api.as("carol").post("/v1/jobs/" + ours + "/hold").then().statusCode(202);
        Api.refused(change("carol", "/v1/jobs/" + ours, "{\"priority\":9}"), 403, "not_allowed");
        Api.refused(Api.as("carol").post("/v1/jobs/" + ours + "/top"), 403, "not_allowed");
        Api.refused(Api.as("carol").post("/v1/jobs/" + others + "/hold"), 403, "not_allowed")
                .body("detail", containsString("a coordinator of its account"));
    }

    @Test
    void only_admins_drain_nodes_and_they_say_why() throws Exception {
        String node = "/v1/nodes/" + Samples.DGX.node();

        int before = mesh.events(Topics.NODE_REQUESTS).size();

        Api.refused(change("alice", node, "{\"state\":\"resume\"}"), 403, "not_allowed");
        Api.refused(change("operator", node, "{\"state\":\"resume\"}"), 403, "not_allowed");
        Api.refused(change("admin", node, "{\"state\":\"drain\"}"), 422, "invalid_option")
                .body("detail", containsString("You must specify a reason"));
        Api.refused(change("admin", node, "{\"state\":\"fail\"}"), 422, "invalid_node");
        change(
                        "admin",
                        node,
                        "{\"state\":\"DRAIN\",\"reason\":\"bad fan\",\"features\":[\"nvme\"]}")
                .then()
                .statusCode(202);

        List<NodeRequest> asked = mesh.events(Topics.NODE_REQUESTS);
        assertThat(asked.subList(before, asked.size()))
                .extracting(NodeRequest::node)
                .containsExactly(Samples.DGX.node(), Samples.DGX.node());
        assertThat(asked.subList(before, asked.size()))
                .filteredOn(NodeRequest.DrainRequested.class::isInstance)
                .extracting(it -> ((NodeRequest.DrainRequested) it).reason())
                .containsExactly("bad fan");
    }
}
