package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.Hold;
import io.berth.contracts.JobState;
import io.berth.contracts.PrivateData;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.Transitions;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who may do what: every cell of the table in the users' documents is tried. What is allowed may
/// still be refused for the state of the job.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class PermissionsTest {

    private static final String PRIVATE = " that are private";
    private static final String OURS = "\"account\":\"team_b\",\"timeLimitSeconds\":3600";

    /// What is asked of the accounting service, whose tests try it.
    private static final String OF_ACCOUNTING = "change a partition";

    record Cell(String act, String who, String may) {}

    static List<Cell> cells() throws IOException {
        List<List<String>> rows =
                Files.readString(Path.of("../docs/commands.md"))
                        .split("### Who may do what\n", 2)[1]
                        .lines()
                        .skip(1)
                        .takeWhile(line -> line.startsWith("|"))
                        .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toList())
                        .toList();
        List<String> columns = rows.getFirst();
        var cells = new ArrayList<Cell>();
        for (List<String> row : rows.subList(2, rows.size())) {
            if (row.get(1).equals(OF_ACCOUNTING)) {
                continue;
            }
            for (String act : row.get(1).split(", ")) {
                for (int column = 2; column < columns.size(); column++) {
                    cells.add(new Cell(act, columns.get(column), row.get(column)));
                }
            }
        }
        return cells;
    }

    private final Mesh mesh = Mesh.connect();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @AfterEach
    void close() {
        mesh.close();
    }

    @ParameterizedTest
    @MethodSource("cells")
    void everyone_may_do_what_the_table_says(Cell cell) throws Exception {
        switch (cell.may()) {
            case "yes" -> assertThat(status(cell, Hold.USER)).isNotEqualTo(403);
            case "no" -> assertThat(status(cell, Hold.USER)).isEqualTo(403);
            case "what a user held" -> {
                assertThat(status(cell, Hold.USER)).isEqualTo(202);
                assertThat(status(cell, Hold.ADMIN)).isEqualTo(403);
            }
            default -> throw new IllegalArgumentException("no cell is '" + cell.may() + "'");
        }
    }

    /// What comes of it, with a job that is held so where it is to be released.
    private int status(Cell cell, Hold hold) throws Exception {
        long id = Api.submitted("alice", OURS);
        String job = "/v1/jobs/" + id;
        if (cell.act().endsWith(PRIVATE)) {
            return hidden(cell, job);
        }
        if (cell.act().equals("release")) {
            JobStatus waiting = Samples.status(mesh.submitted(id), JobState.PENDING, null, 0);
            Reason reason = hold == Hold.ADMIN ? Reason.JOB_HELD_ADMIN : Reason.JOB_HELD_USER;
            mesh.jobStatus(Transitions.held(Transitions.reasoned(waiting, reason), hold));
            Api.eventually(
                    () -> Api.as("alice").get(job).then().body("reason", is(reason.slurmName())));
        }
        if (cell.act().equals("see a trigger of the owner")) {
            return seesTrigger(caller(cell.who()), ownersTrigger(job));
        }
        Response response = act(cell.act(), caller(cell.who()), job);
        if (response.statusCode() == 404 && "trigger_not_found".equals(response.path("code"))) {
            // Who may not clear it does not learn that it is there.
            return 403;
        }
        if (response.statusCode() == 404
                && List.of("output_not_found", "step_not_found").contains(response.path("code"))) {
            // The job waits: who may is told that there is nothing yet.
            return 200;
        }
        int status = response.statusCode();
        assertThat(status).isBetween(200, 499).isNotIn(400, 401, 404, 405, 422);
        return status;
    }

    /// Who may not see it gets a list without it.
    private static int seesTrigger(RequestSpecification caller, long id) {
        List<Integer> ids =
                caller.get("/v1/triggers").then().statusCode(200).extract().path("triggers.id");
        return ids.contains((int) id) ? 200 : 403;
    }

    /// What comes of it where all data are private: what one may not see is not there.
    private int hidden(Cell cell, String job) {
        mesh.publishCluster(List.of(PrivateData.values()));
        Api.eventually(() -> Api.as("bob").get("/v1/nodes").then().statusCode(403));
        String act = cell.act().replace(PRIVATE, "");
        int status = act(act, caller(cell.who()), job).statusCode();
        mesh.publishCluster(List.of());
        Api.eventually(() -> Api.as("bob").get("/v1/nodes").then().statusCode(200));
        assertThat(status).isIn(200, 403, 404);
        return status == 404 ? 403 : status;
    }

    private static RequestSpecification caller(String who) {
        return switch (who) {
            case "owner" -> Api.as("alice");
            case "coordinator" -> Api.as("carol");
            case "another user" -> Api.as("bob");
            case "operator" -> Api.asOperator();
            case "admin" -> Api.asAdmin();
            case "owner with `berth:read`" -> scoped("alice", "user", "berth:read");
            case "admin with `berth:submit`" -> scoped("root", "admin", "openid berth:submit");
            default -> throw new IllegalArgumentException("there is no " + who);
        };
    }

    private static RequestSpecification scoped(String user, String group, String scope) {
        return given().header(
                        "Authorization",
                        "Bearer "
                                + Tokens.token(
                                        Map.of(
                                                "upn", user,
                                                "groups", List.of(group),
                                                "scope", scope)));
    }

    private static Response act(String act, RequestSpecification caller, String job) {
        return switch (act) {
            case "ask who one is" -> caller.get("/v1/me");
            case "see jobs" -> caller.get(job);
            case "read the script" -> caller.get(job + "/script");
            case "read the output" -> caller.get(job + "/output");
            case "attach to a step" -> caller.post(job + "/steps/0/attach");
            case "start a step" -> caller.post(job + "/sessions");
            case "see nodes" -> caller.get("/v1/nodes");
            case "cancel" -> caller.delete(job);
            case "signal" -> caller.post(job + "/signal?signal=USR1");
            case "requeue", "hold", "release", "suspend", "resume", "top" ->
                    caller.post(job + "/" + act);
            case "rename" -> change(caller, job, "{\"name\":\"other\"}");
            case "lower the time limit" -> change(caller, job, "{\"timeLimitSeconds\":60}");
            case "raise the time limit" -> change(caller, job, "{\"timeLimitSeconds\":7200}");
            case "raise nice" -> change(caller, job, "{\"nice\":20}");
            case "lower nice" -> change(caller, job, "{\"nice\":-5}");
            case "set a priority" -> change(caller, job, "{\"priority\":9}");
            case "set a site factor" -> change(caller, job, "{\"siteFactor\":9}");
            case "set a trigger of the job" ->
                    change(
                            caller,
                            "/v1/triggers",
                            trigger("fini", "\"job\":\"%s\"".formatted(job.substring(9))));
            case "set a trigger of nodes" ->
                    change(caller, "/v1/triggers", trigger("down", "\"nodes\":\"dgx-01\""));
            case "clear a trigger of the owner" ->
                    caller.delete("/v1/triggers/" + ownersTrigger(job));
            case "submit as the owner" -> Api.submit(caller, "\"user\":\"alice\"");
            case "drain a node" -> node(caller, "{\"state\":\"drain\",\"reason\":\"test\"}");
            case "take a node down" -> node(caller, "{\"state\":\"down\",\"reason\":\"test\"}");
            case "give a node features" -> node(caller, "{\"features\":[\"ib\"]}");
            default -> throw new IllegalArgumentException("nobody can " + act + " here");
        };
    }

    private static Response change(RequestSpecification caller, String job, String body) {
        return caller.contentType(ContentType.JSON).body(body).post(job);
    }

    private static String trigger(String occasion, String of) {
        return "{\"occasion\":\"%s\",%s,\"program\":[\"/bin/true\"]}".formatted(occasion, of);
    }

    private static long ownersTrigger(String job) {
        Response set = act("set a trigger of the job", caller("owner"), job);
        return set.then().statusCode(201).extract().jsonPath().getLong("id");
    }

    private static Response node(RequestSpecification caller, String body) {
        return change(caller, "/v1/nodes/dgx-01", body);
    }
}
