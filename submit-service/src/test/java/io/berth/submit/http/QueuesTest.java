package io.berth.submit.http;

import static org.hamcrest.Matchers.anEmptyMap;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.Limits;
import io.berth.contracts.PrivateData;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.Terms;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `/v1/queues`: team_a is guaranteed 22 of the 20 GPUs that there are.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class QueuesTest {

    private final Mesh mesh = Mesh.connect();

    /// Jobs of other tests have ended.
    @BeforeEach
    void guaranteed() throws Exception {
        Api.awaitReady();
        for (JobStatus left : mesh.events(Topics.JOB_STATES)) {
            end(left.job().value(), left.description());
        }
        mesh.publish(it -> it instanceof Account account ? guaranteed(account) : it);
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/queues")
                        .then()
                        .body("queues[0].guarantee['gres/gpu']", is(22)));
    }

    @AfterEach
    void close() {
        mesh.publishCluster(List.of());
        Api.eventually(() ->
                Api.as("alice").get("/v1/queues").then().body("queues[0].guarantee", anEmptyMap()));
        mesh.close();
    }

    private static ConfigEntry guaranteed(Account it) {
        var terms = new Terms(null, List.of(), 0, Limits.NONE, Map.of(), Map.of("gres/gpu", 22L));
        return it.name().equals("team_a")
                ? new Account(it.part(), it.name(), it.parent(), it.shares(), terms, it.details())
                : it;
    }

    @Test
    void what_accounts_use_borrow_and_lend_is_told() throws Exception {
        long a = running("alice", "\"account\":\"team_a\"", List.of("GPU-dgx-01-0"));
        long b = running("bob", "\"account\":\"team_b\"", List.of("GPU-dgx-01-1"));

        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/queues")
                        .then()
                        .statusCode(200)
                        .body("queues.account", is(List.of("team_a", "team_b")))
                        .body("queues[0].used['gres/gpu']", is(1))
                        .body("queues[0].borrowed", anEmptyMap())
                        .body("queues[0].lent['gres/gpu']", is(3))
                        .body("queues[1].used['gres/gpu']", is(1))
                        .body("queues[1].borrowed['gres/gpu']", is(1))
                        .body("queues[1].running", is(1))
                        .body("capacity['gres/gpu']", is(20))
                        .body("guaranteed['gres/gpu']", is(22)));
        end(a, mesh.submitted(a).description());
        end(b, mesh.submitted(b).description());
    }

    @Test
    void where_usage_is_private_nobody_sees_that_of_others() {
        mesh.publishCluster(List.of(PrivateData.USAGE));

        Api.eventually(() ->
                Api.as("carol")
                        .get("/v1/queues")
                        .then()
                        .body("queues.account", is(List.of("team_b"))));
    }

    private void end(long job, JobDescription description) throws Exception {
        mesh.jobStatus(
                Samples.status(
                        job, description, JobState.COMPLETED, Reason.NONE, Rank.NONE, null, 9000));
    }

    private long running(String user, String fields, List<String> gpus) throws Exception {
        long id = Api.submitted(user, fields + ",\"gpus\":" + gpus.size());
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(id),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis(), gpus),
                        0));
        return id;
    }
}
