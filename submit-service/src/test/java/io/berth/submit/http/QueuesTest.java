package io.berth.submit.http;

import static org.hamcrest.Matchers.anEmptyMap;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.JobState;
import io.berth.contracts.Limits;
import io.berth.contracts.PrivateData;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.Terms;
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

    @BeforeEach
    void guaranteed() {
        Api.awaitReady();
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
        mesh.jobStatus(Samples.status(mesh.submitted(a), JobState.COMPLETED, null, 9000));
        mesh.jobStatus(Samples.status(mesh.submitted(b), JobState.COMPLETED, null, 9000));
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
