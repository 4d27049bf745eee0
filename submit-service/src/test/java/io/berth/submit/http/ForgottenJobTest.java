package io.berth.submit.http;

import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import io.berth.contracts.JobState;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A job that has ended and that placement has forgotten.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class ForgottenJobTest {

    private final Mesh mesh = Mesh.connect();
    @Nullable MeshResource surroundings;
    private long id;

    @BeforeEach
    void forget() throws Exception {
        Api.awaitReady();
        id = Api.submitted("alice", "");
        Submitted submitted = mesh.submitted(id);
        mesh.jobStatus(
                Samples.status(submitted, JobState.COMPLETED, null, System.currentTimeMillis()));
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("fromBooks", nullValue()));
        mesh.forgetJob(id);
        Api.eventually(() -> Api.as("alice").get("/v1/jobs/" + id + "/why").then().statusCode(404));
    }

    @AfterEach
    void close() {
        books().away(false);
        books().behind(false);
        mesh.close();
    }

    private FakeBooks books() {
        return Objects.requireNonNull(surroundings).books();
    }

    @Test
    void it_is_told_as_the_books_have_it() {
        books().has(id, "COMPLETED");

        Api.as("alice")
                .get("/v1/jobs/" + id)
                .then()
                .statusCode(200)
                .body("fromBooks", is(true))
                .body("id", is((int) id))
                .body("state", is("COMPLETED"))
                .body("nodeNames", contains("gpu-01", "gpu-02"))
                .body("runs[0].lease", is(1));
    }

    @Test
    void one_that_the_books_do_not_have_either_is_none() {
        Api.refused(Api.as("alice").get("/v1/jobs/" + id), 404, "job_not_found");
    }

    @Test
    void whether_there_is_one_is_not_known_while_the_books_cannot_be_asked() {
        books().has(id, "COMPLETED");
        books().away(true);

        Api.refused(Api.as("alice").get("/v1/jobs/" + id), 503, "unavailable");
    }

    @Test
    void books_that_are_behind_are_no_proof_that_there_is_none() {
        books().behind(true);

        Api.refused(Api.as("alice").get("/v1/jobs/" + id), 503, "unavailable");
    }

    @Test
    void books_that_have_not_read_its_end_do_not_tell_that_it_runs() {
        books().has(id, "RUNNING");

        Api.refused(Api.as("alice").get("/v1/jobs/" + id), 503, "unavailable");
    }

    @Test
    void an_id_that_nobody_was_given_is_asked_of_nobody() {
        books().away(true);

        Api.refused(Api.as("alice").get("/v1/jobs/999999999"), 404, "job_not_found");
    }

    @Test
    void why_it_waited_nobody_knows_and_it_is_said_who_knows_the_rest() {
        Api.as("alice")
                .get("/v1/jobs/" + id + "/why")
                .then()
                .statusCode(404)
                .body("detail", containsString("sacct -j " + id));
    }
}
