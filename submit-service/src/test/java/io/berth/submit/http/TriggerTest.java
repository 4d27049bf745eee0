package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeHold;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Occasion;
import io.berth.contracts.event.Trigger.Progress;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Triggers, set by the API and pulled by the gateway that looks after them.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class TriggerTest {

    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    private static Response set(RequestSpecification caller, String fields) {
        return caller.contentType(ContentType.JSON).body("{" + fields + "}").post("/v1/triggers");
    }

    private static long isSet(RequestSpecification caller, String fields) {
        return set(caller, fields).then().statusCode(201).extract().jsonPath().getLong("id");
    }

    private static String program(String... words) {
        return "\"program\":[\"" + String.join("\",\"", words) + "\"]";
    }

    /// What the programs that begin with this word were run with.
    private List<List<String>> runs(String program) throws Exception {
        return mesh.specs().stream()
                .map(JobSpec::arguments)
                .filter(it -> !it.isEmpty() && it.getFirst().equals(program))
                .toList();
    }

    private void eventuallyRuns(String program, List<List<String>> with) {
        Api.eventually(() -> {
            try {
                assertThat(runs(program)).isEqualTo(with);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void a_refused_trigger_uses_up_no_number() {
        long job = Api.submitted("alice", "\"name\":\"numbers\"");
        String good =
                "\"occasion\":\"fini\",\"job\":\"%d\",%s".formatted(job, program("/bin/true"));

        long first = isSet(Api.as("alice"), good);
        set(
                        Api.as("alice"),
                        "\"occasion\":\"fini\",\"job\":\"%d\",\"program\":[\"true\"]"
                                .formatted(job))
                .then()
                .statusCode(422);
        set(Api.as("bob"), good).then().statusCode(403);

        assertThat(isSet(Api.as("alice"), good)).isEqualTo(first + 1);
    }

    @Test
    void the_end_of_a_job_runs_a_program_of_the_one_who_set_it_once() throws Exception {
        long job = Api.submitted("alice", "");
        long id =
                isSet(
                        Api.as("alice"),
                        "\"occasion\":\"fini\",\"job\":\"%d\",%s"
                                .formatted(job, program("/opt/collect", "-v")));
        Api.as("alice").get("/v1/triggers").then().body("triggers.id", hasItem((int) id));
        Api.as("bob").get("/v1/triggers").then().body("triggers.id", not(hasItem((int) id)));

        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.COMPLETED,
                        Samples.run(Samples.DGX, 1000, List.of()),
                        System.currentTimeMillis()));

        eventuallyRuns("/opt/collect", List.of(List.of("/opt/collect", "-v", Long.toString(job))));
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/triggers")
                        .then()
                        .body("triggers.id", not(hasItem((int) id))));
        Api.as("alice")
                .get("/v1/jobs?name=strigger&user=alice")
                .then()
                .body("jobs.comment", hasItem("trigger " + id + ": fini"))
                .body("jobs.timeLimitSeconds", hasItem(300));
    }

    @Test
    void a_trigger_of_a_job_that_is_over_is_refused() throws Exception {
        long job = Api.submitted("alice", "");
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(job),
                        JobState.COMPLETED,
                        Samples.run(Samples.DGX, 1000, List.of()),
                        System.currentTimeMillis()));
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + job).then().body("state", is("COMPLETED")));

        for (String occasion : List.of("fini", "time")) {
            set(
                            Api.as("alice"),
                            "\"occasion\":\"%s\",\"job\":\"%d\",%s"
                                    .formatted(occasion, job, program("/bin/true")))
                    .then()
                    .statusCode(409)
                    .body("code", is("job_not_pending"))
                    .body("detail", is("Job/step already completing or completed"));
        }
    }

    @Test
    void a_node_that_is_drained_runs_a_permanent_program_each_time() throws Exception {
        isSet(
                Api.asOperator(),
                "\"occasion\":\"drained\",\"nodes\":\"volta-01\",\"permanent\":true,"
                        + program("/opt/notify"));

        drain(true);
        eventuallyRuns("/opt/notify", List.of(List.of("/opt/notify", "volta-01")));
        drain(false);
        Api.eventually(() -> {
            try {
                assertThat(
                                mesh.events(Topics.TRIGGERS).reversed().stream()
                                        .filter(Progress.class::isInstance)
                                        .map(Progress.class::cast)
                                        .findFirst())
                        .hasValueSatisfying(it -> assertThat(it.nodes()).isEmpty());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        drain(true);
        eventuallyRuns(
                "/opt/notify",
                List.of(List.of("/opt/notify", "volta-01"), List.of("/opt/notify", "volta-01")));
        drain(false);
    }

    private void drain(boolean held) {
        var hold = held ? new NodeHold(NodeHold.Kind.DRAIN, "fan", "root", 1) : null;
        mesh.write(Topics.NODE_STATES, Samples.nodeStatus(Samples.VOLTA, Presence.UP).held(hold));
    }

    @Test
    void what_a_gateway_left_half_done_is_done_and_not_twice() throws Exception {
        var asked =
                new Asked(
                        900_001,
                        "alice",
                        Occasion.FINI,
                        new JobId(1),
                        List.of(),
                        List.of(),
                        0,
                        false,
                        List.of("/opt/half"),
                        1);
        var left = new Progress(asked.number(), 0, "1", List.of());

        for (int death = 0; death < 2; death++) {
            mesh.write(Topics.TRIGGERS, asked);
            mesh.write(Topics.TRIGGERS, left);
            Api.eventually(() ->
                    Api.as("alice")
                            .get("/v1/triggers")
                            .then()
                            .body("triggers.id", not(hasItem(900_001))));
            eventuallyRuns("/opt/half", List.of(List.of("/opt/half", "1")));
        }
        Api.as("alice")
                .get("/v1/jobs?name=strigger&user=alice")
                .then()
                .body("jobs.findAll { it.comment == 'trigger 900001: fini' }", hasSize(1));
    }

    @Test
    void a_trigger_that_is_cleared_is_gone() {
        long job = Api.submitted("alice", "");
        long id =
                isSet(
                        Api.as("alice"),
                        "\"occasion\":\"time\",\"job\":\"%d\",\"offsetSeconds\":-60,%s"
                                .formatted(job, program("/opt/save")));

        Api.as("alice").delete("/v1/triggers/" + id).then().statusCode(204);

        Api.refused(Api.as("alice").delete("/v1/triggers/" + id), 404, "trigger_not_found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"occasion\":\"later\"                      | the occasion is one of fini, time,",
                "\"occasion\":\"fini\"                       | no job is named",
                "\"occasion\":\"fini\",\"permanent\":true    | no job is named",
                "\"occasion\":\"down\",\"job\":\"1\"         | down is an occasion of nodes",
                "\"occasion\":\"down\",\"nodes\":\"gpu-99\"  | there is no node 'gpu-99'",
                "\"occasion\":\"down\",\"nodes\":\"gpu-[\"   | gpu-[",
                "\"occasion\":\"down\",\"offsetSeconds\":-1  | the offset in seconds is -1",
                "\"occasion\":\"down\",\"program\":[\"ls\"]  | the program is not an absolute path",
                "\"occasion\":\"down\",\"program\":[]        | the program is not an absolute path",
            })
    void what_can_be_no_trigger_is_refused_in_a_line(String fields, String detail) {
        String whole = fields.contains("program") ? fields : fields + "," + program("/bin/true");

        Response response = set(Api.asOperator(), whole);

        assertThat(response.statusCode()).isEqualTo(422);
        response.then().body("detail", containsString(detail));
    }

    @Test
    void an_array_has_no_end_of_its_own() {
        long job = Api.submitted("alice", "\"terms\":{\"array\":\"0-3\"}");

        Api.refused(
                        set(
                                Api.as("alice"),
                                "\"occasion\":\"fini\",\"job\":\"%d\",%s"
                                        .formatted(job, program("/bin/true"))),
                        422,
                        "invalid_option")
                .body("detail", containsString("is an array"));
        set(
                        Api.as("alice"),
                        "\"occasion\":\"fini\",\"job\":\"%d_2\",%s"
                                .formatted(job, program("/bin/true")))
                .then()
                .statusCode(201)
                .body("jobName", is(job + "_2"));
    }

    @Test
    void only_an_admin_sets_triggers_for_others() {
        long job = Api.submitted("alice", "");
        String fields =
                "\"occasion\":\"fini\",\"user\":\"alice\",\"job\":\"%d\",%s"
                        .formatted(job, program("/bin/true"));

        Api.refused(set(Api.asOperator(), fields), 403, "not_allowed");
        set(Api.asAdmin(), fields).then().statusCode(201).body("user", is("alice"));
    }
}
