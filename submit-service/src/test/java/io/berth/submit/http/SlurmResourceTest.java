package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The façade in the shape of slurmrestd.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class SlurmResourceTest {
    private static final String ROOT = "/slurm/v0.0.40/";

    @Nullable MeshResource surroundings;

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    private static RequestSpecification slurm(String user) {
        return given().header("X-SLURM-USER-NAME", user)
                .header("X-SLURM-USER-TOKEN", Tokens.user(user));
    }

    @Test
    void accounts_users_and_qos_are_told_in_the_words_of_slurmdb() {
        String root = "/slurmdb/v0.0.40/";

        slurm("alice")
                .get(root + "accounts")
                .then()
                .statusCode(200)
                .body("accounts.name", hasItems("team_a", "team_b"))
                .body("accounts.find { it.name == 'team_b' }.coordinators.name", contains("carol"))
                .body("meta.slurm.cluster", is("atlas"))
                .body("errors", empty());
        slurm("alice")
                .get(root + "user/alice")
                .then()
                .body("users.name", contains("alice"))
                .body("users[0].default.account", is("team_a"))
                .body("users[0].associations.account", contains("team_b", "team_a"));
        slurm("alice")
                .get(root + "associations")
                .then()
                .body(
                        "associations.find { it.account == 'team_a' && it.user == '' }.shares_raw",
                        is(60))
                .body("associations.findAll { it.user == 'bob' }.account", contains("team_b"));
        slurm("alice")
                .get(root + "qos/high")
                .then()
                .body("qos.name", contains("high"))
                .body("qos[0].priority.number", is(100));
        slurm("alice").get(root + "account/none").then().statusCode(200).body("accounts", empty());
    }

    @Test
    void jobs_of_slurmdb_are_those_of_the_books_which_may_be_away() {
        String jobs = "/slurmdb/v0.0.40/jobs";

        given().get(jobs).then().statusCode(401);
        slurm("alice")
                .get(jobs + "?colour=red")
                .then()
                .statusCode(400)
                .body("errors[0].error", containsString("'colour' cannot be asked for"));
        slurm("alice").get("/slurmdb/v0.0.40/job/x").then().statusCode(400);
        slurm("alice").get(jobs + "?users=alice").then().statusCode(200);
        FakeBooks books = Objects.requireNonNull(surroundings).books();
        books.away(true);
        try {
            slurm("alice").get(jobs + "?users=alice").then().statusCode(503);
            slurm("alice").get("/slurmdb/v0.0.40/job/17").then().statusCode(503);
        } finally {
            books.away(false);
        }
    }

    private static Response submit(String job) {
        return slurm("alice")
                .contentType(ContentType.JSON)
                .body("{\"script\":\"#!/bin/sh\\nhostname\\n\",\"job\":" + job + "}")
                .post(ROOT + "job/submit");
    }

    @Test
    void a_job_is_submitted_in_slurms_words_and_told_in_them() throws Exception {
        long id =
                submit(
                                """
                                {"name":"train","partition":"batch","tasks":2,"cpus_per_task":4,"nodes":"2",
                                 "time_limit":{"set":true,"infinite":false,"number":90},"tres_per_node":"gres/gpu:a100:2",
                                 "memory_per_node":{"set":true,"infinite":false,"number":2048},
                                 "current_working_directory":"/home/alice","environment":["A=b=c","EMPTY="],
                                 "constraints":"a100","hold":true,"user_id":1001}
                                """)
                        .then()
                        .statusCode(200)
                        .body("job_id", greaterThan(0))
                        .body("errors", empty())
                        .extract()
                        .jsonPath()
                        .getLong("job_id");

        try (var mesh = Mesh.connect()) {
            Submitted submitted = mesh.submitted(id);
            var request = submitted.description().request();
            assertThat(submitted.description().timeLimitSeconds()).isEqualTo(5400);
            assertThat(request.nodes()).isEqualTo(2);
            assertThat(request.gpus().perNode()).isEqualTo(2);
            assertThat(request.gpus().type()).isEqualTo("a100");
            assertThat(request.memory().mib()).isEqualTo(2048);
            assertThat(mesh.specs())
                    .filteredOn(it -> it.job().value() == id)
                    .singleElement()
                    .satisfies(spec -> {
                        assertThat(spec.environment())
                                .containsEntry("A", "b=c")
                                .containsEntry("EMPTY", "");
                        assertThat(spec.workingDirectory()).isEqualTo("/home/alice");
                    });
        }
        slurm("bob")
                .get(ROOT + "job/" + id)
                .then()
                .statusCode(200)
                .body("jobs[0].job_id", is((int) id))
                .body("jobs[0].job_state", contains("PENDING"))
                .body("jobs[0].user_name", is("alice"))
                .body("jobs[0].time_limit.number", is(90))
                .body("jobs[0].cpus.number", is(8))
                .body("jobs[0].tres_req_str", is("cpu=8,node=2,gres/gpu=4"))
                .body("jobs[0].hold", is(true))
                .body("jobs[0].start_time.set", is(false));
        slurm("bob").get(ROOT + "jobs").then().body("jobs.job_id", hasItem((int) id));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"partition\":\"gone\"}      | 422 | partition 'gone' does not exist",
                "{\"reservation\":\"r\"}       | 422 | Requested reservation is invalid",
                "{\"container\":\"c\"}         | 422 | the container 'c' is no absolute path of a"
                        + " folder",
                "{\"cron\":\"c\"}              | 422 | field 'job.cron' is not supported yet",
                "{\"tasks\":\"many\"}          | 422 | field 'tasks' is not a whole number",
                "{\"environment\":[\"A\"]}     | 422 | a list of NAME=VALUE",
                "{\"tres_per_node\":\"license/x:1\"} | 422 | is not gres/gpu",
                "{\"name\":7}                  | 422 | field 'name' is not a text",
            })
    void what_is_refused_is_an_error_in_the_answer(String job, int status, String error) {
        submit(job)
                .then()
                .statusCode(status)
                .body("errors[0].error", containsString(error))
                .body("errors[0].source", is("berth"));
    }

    @Test
    void a_job_is_cancelled_by_its_owner_alone() throws Exception {
        long id = Api.submitted("alice", "");
        slurm("bob").delete(ROOT + "job/" + id).then().statusCode(403);

        slurm("alice").delete(ROOT + "job/" + id).then().statusCode(200).body("errors", empty());

        try (var mesh = Mesh.connect()) {
            assertThat(mesh.events(Topics.SUBMISSIONS))
                    .filteredOn(CancelRequested.class::isInstance)
                    .anyMatch(it -> it.job().value() == id);
        }
    }

    @Test
    void a_parameter_that_nobody_reads_is_warned_of() {
        Api.as("alice")
                .get("/slurm/v0.0.41/nodes?update_time=0")
                .then()
                .statusCode(200)
                .body("nodes.name", hasItems("dgx-01"))
                .body("warnings.description", contains("Ignoring unknown field \"update_time\""));
        Api.as("alice")
                .get("/slurm/v0.0.41/nodes")
                .then()
                .statusCode(200)
                .body("warnings", is(List.of()));
    }

    @Test
    void nodes_and_partitions_are_told() {
        slurm("alice")
                .get("/slurm/v0.0.41/nodes")
                .then()
                .statusCode(200)
                .body("nodes.name", hasItems("dgx-01", "plain-01"))
                .body("nodes.find { it.name == 'dgx-01' }.gres", is("gpu:a100:8(simulated)"))
                .body("nodes.find { it.name == 'volta-01' }.state", contains("IDLE"))
                .body("nodes.find { it.name == 'plain-01' }.partitions", contains("batch", "cpu"));
        slurm("alice")
                .get(ROOT + "partitions")
                .then()
                .body("partitions.name", hasItems("batch", "cpu"))
                .body("partitions.find { it.name == 'batch' }.maximums.time.number", is(1440))
                .body("partitions.find { it.name == 'batch' }.maximums.shares", is(1))
                .body(
                        "partitions.find { it.name == 'batch'"
                                + " }.defaults.partition_memory_per_cpu.number",
                        is(2048))
                .body("partitions.find { it.name == 'cpu' }.cpus.total", is(256))
                .body(
                        "partitions.find { it.name == 'cpu' }.tres.configured",
                        is("cpu=256,mem=2000000M,node=1,billing=256"))
                .body("partitions.find { it.name == 'cpu' }.maximums.time.infinite", is(true));
        slurm("alice").get(ROOT + "ping").then().body("pings[0].pinged", is("UP"));
    }

    @Test
    void one_node_or_partition_is_told_alone_and_of_none_nothing() {
        slurm("alice").get(ROOT + "node/dgx-01").then().body("nodes.name", contains("dgx-01"));
        slurm("alice").get(ROOT + "node/gone").then().statusCode(200).body("nodes", empty());
        slurm("alice").get(ROOT + "partition/cpu").then().body("partitions.name", contains("cpu"));
        slurm("alice").get(ROOT + "partition/gone").then().body("partitions", empty());
    }

    @Test
    void reservations_and_licenses_are_told() {
        for (String kind : List.of("reservations", "licenses")) {
            slurm("alice")
                    .get(ROOT + kind)
                    .then()
                    .statusCode(200)
                    .body(kind, empty())
                    .body("last_update.set", is(true));
        }
        slurm("alice").get(ROOT + "reservation/gone").then().body("reservations", empty());
    }

    @Test
    void without_a_token_or_with_another_version_there_is_nothing() {
        given().get(ROOT + "jobs").then().statusCode(401);
        given().header("X-SLURM-USER-TOKEN", "x").get(ROOT + "jobs").then().statusCode(401);
        slurm("alice").get("/slurm/v0.0.99/jobs").then().statusCode(404);
        given().header("X-SLURM-USER-TOKEN", Tokens.user("alice"))
                .get("/v1/jobs")
                .then()
                .statusCode(401);
    }
}
