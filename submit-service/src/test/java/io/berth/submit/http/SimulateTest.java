package io.berth.submit.http;

import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On a log of its own: other tests write jobs that hold the same GPUs, of which the engine makes
/// nothing.
@QuarkusTest
@QuarkusTestResource(value = MeshResource.class, restrictToAnnotatedClass = true)
class SimulateTest {

    private static final String SCRIPT = "\"submit\":{\"script\":\"" + Api.SCRIPT + "\"";

    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private static Response ask(String user, String question) {
        return Api.as(user)
                .contentType(ContentType.JSON)
                .body("{" + question + "}")
                .post("/v1/simulate");
    }

    private static ValidatableResponse answered(String question) {
        return ask("alice", question).then().statusCode(200).body("simulated", is(true));
    }

    @Test
    void a_job_that_is_not_submitted_is_told_its_start() {
        answered(SCRIPT + ",\"gpus\":1}")
                .body("partition", is("batch"))
                .body("start.at", notNullValue())
                .body("start.nodes", notNullValue())
                .body("start.cpus", is(1))
                .body("otherwise", nullValue());
        Api.as("alice").get("/v1/jobs?user=alice&state=all").then().statusCode(200);
    }

    @Test
    void what_if_its_nodes_were_drained_or_there_was_one_more() {
        String eightGpus = SCRIPT + ",\"gpus\":8,\"gpuType\":\"a100\"}";
        String drained = eightGpus + ",\"drain\":\"dgx-[01-02]\"";

        answered(drained)
                .body("start.at", nullValue())
                .body("start.reason", is("ReqNodeNotAvail"))
                .body("otherwise.at", notNullValue());
        answered(drained + ",\"add\":[{\"like\":\"dgx-01\",\"count\":1}]")
                .body("start.nodes", is("dgx-01-more1"))
                .body("start.reason", is("None"));
    }

    @Test
    void a_waiting_job_with_another_partition_would_start() throws Exception {
        long id = Api.submitted("alice", "\"partition\":\"later\"");
        mesh.jobStatus(
                Samples.status(
                        id,
                        mesh.submitted(id).description(),
                        JobState.PENDING,
                        Reason.RESOURCES,
                        Rank.NONE));

        Api.eventually(() ->
                answered("\"job\":\"" + id + "\",\"change\":{\"partition\":\"cpu\"}")
                        .body("start.job", is((int) id))
                        .body("start.nodes", is("plain-01"))
                        .body("partition", is("cpu"))
                        .body("otherwise.at", nullValue()));
        mesh.forgetJob(id);
    }

    @Test
    void only_who_may_change_a_job_may_ask_what_a_change_would_do() {
        long id = Api.submitted("alice", "");

        Response answer = ask("bob", "\"job\":\"" + id + "\",\"change\":{\"name\":\"x\"}");

        Api.refused(answer, 403, "not_allowed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "                                                 | 422 | invalid_option",
                "\"job\":\"x\"                                    | 400 | invalid_request",
                "\"job\":\"999999999\"                            | 404 | job_not_found",
                "\"jobs\":1                                       | 400 | invalid_json",
                "\"submit\":{\"script\":\"x\"}                    | 422 | invalid_script",
                "\"submit\":{\"script\":\"#!/bin/sh\",\"gpusPerNode\":99}| 422 | node_configuration_unavailable",
                "\"submit\":{\"script\":\"#!/bin/sh\"},\"drain\":\"nosuch\" | 422 | invalid_node",
                "\"submit\":{\"script\":\"#!/bin/sh\"},\"job\":\"1\" | 422 | invalid_option",
                "\"submit\":{\"script\":\"#!/bin/sh\"},\"add\":[{\"like\":\"dgx-01\",\"count\":0}] | 422 | invalid_option",
                "\"submit\":{\"script\":\"#!/bin/sh\"},\"add\":[{\"like\":\"dgx-01\",\"count\":600},{\"like\":\"dgx-01\",\"count\":600}] | 422 | invalid_option",
                "\"submit\":{\"script\":\"#!/bin/sh\"},\"add\":[null] | 400 | invalid_json"
            })
    void a_question_that_makes_no_sense_is_refused(String question, int status, String code) {
        Api.refused(ask("alice", question == null ? "" : question), status, code);
    }
}
