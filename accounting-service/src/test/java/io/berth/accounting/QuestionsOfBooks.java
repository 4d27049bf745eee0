package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import io.berth.accounting.cluster.Removed;
import io.berth.accounting.db.RunRow;
import io.berth.accounting.db.StepRow;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.test.security.TestSecurity;
import io.quarkus.vertx.VertxContextSupport;
import io.restassured.path.json.JsonPath;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/// What the service tells of the first 40 jobs, to whom.
abstract class QuestionsOfBooks extends RunningBooks {

    @Test
    @Order(3)
    void without_a_token_nothing_is_told() {
        given().get("/v1/accounting/jobs")
                .then()
                .statusCode(401)
                .contentType("application/problem+json")
                .body("code", equalTo("unauthenticated"));
        given().get("/v1/accounting/usage").then().statusCode(401);
        given().get("/v1/accounting/balance").then().statusCode(401);
    }

    @Test
    @Order(4)
    @TestSecurity(user = "alice", roles = "user")
    void only_an_operator_checks_the_balance() {
        given().get("/v1/accounting/balance")
                .then()
                .statusCode(403)
                .contentType("application/problem+json")
                .body("code", equalTo("not_allowed"));
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void jobs_are_found_by_what_they_are() {
        JsonPath all = given().get("/v1/accounting/jobs").jsonPath();
        List<Integer> alices = all.getList("jobs.findAll { it.user == 'alice' }.id");
        List<Integer> completed = all.getList("jobs.findAll { it.state == 'COMPLETED' }.id");

        assertThat(ids("user=alice")).isEqualTo(alices).isNotEmpty();
        assertThat(ids("state=CD")).isEqualTo(completed).isNotEmpty();
        assertThat(ids("state=completed&account=team_a,team_b")).isNotEmpty();
        for (String column : List.of("partition", "qos", "name")) {
            List<String> values = all.getList("jobs." + column);
            String one = values.getLast();
            assertThat(ids(column + "=nowhere")).isEmpty();
            assertThat(ids(column + "=nowhere," + one))
                    .hasSize(Collections.frequency(values, one))
                    .contains(40);
        }
        assertThat(ids("job=3,1,999")).containsExactly(1, 3);
        assertThat(ids("job=20")).as("a set goes by its first component").containsExactly(20, 21);
        given().get("/v1/accounting/jobs?job=21")
                .then()
                .body("jobs.hetJob", hasItem(20))
                .body("jobs.hetOffset", hasItem(1));
        assertThat(ids("end=1")).isEmpty();
        assertThat(ids("start=1")).hasSize(40);
        given().get("/v1/accounting/jobs?start=2&end=1").then().statusCode(400);
        assertThat(ids("limit=2")).containsExactly(39, 40);
        given().get("/v1/accounting/jobs?state=ASLEEP")
                .then()
                .statusCode(400)
                .contentType("application/problem+json")
                .body("code", equalTo("invalid_request"))
                .body("detail", containsString("'ASLEEP'"));
        given().get("/v1/accounting/jobs?usr=alice")
                .then()
                .statusCode(400)
                .contentType("application/problem+json")
                .body("code", equalTo("invalid_request"))
                .body(
                        "detail",
                        equalTo(
                                "there is no parameter 'usr'; there are: account, end, job, limit,"
                                        + " name, partition, qos, start, state, steps, user"));
        given().get("/v1/accounting/usage?limit=1").then().statusCode(400);
        given().get("/v1/accounting/jobs?job=0x1").then().statusCode(400);
        given().get("/v1/accounting/jobs?job=0").then().statusCode(400);
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void tasks_of_arrays_are_found_by_their_arrays() {
        assertThat(ids("job=15")).containsExactly(15, 16, 17, 18);
        assertThat(ids("job=16")).containsExactly(16);
        assertThat(ids("job=15_2")).containsExactly(16);
        assertThat(ids("job=15_[1,3-9],25_*,3")).containsExactly(3, 15, 17, 18, 25, 26, 27, 28);
        assertThat(ids("job=15_[0-65535]")).hasSize(4);
        assertThat(ids("job=16_2,3_1")).isEmpty();
        assertThat(ids("job=15&user=nobody")).isEmpty();
        given().get("/v1/accounting/jobs?job=15_x")
                .then()
                .statusCode(400)
                .body("detail", containsString("'15_x'"));
        given().get("/v1/accounting/jobs?job=16")
                .then()
                .body("jobs[0].arrayJob", is(15))
                .body("jobs[0].arrayTask", is(2))
                .body("jobs[0].arrayThrottle", is(2));
    }

    @Test
    @Order(6)
    void a_reservation_is_in_use_until_the_last_job_that_names_it_has_ended() {
        assertThat(occupancy.look().named()).isEmpty();
        String named =
                "UPDATE job SET reservation = %s WHERE id = (SELECT min(id) FROM job WHERE ended_at %s) RETURNING id";

        tables.ask(named.formatted("'night'", "= 0"));
        tables.ask(named.formatted("'over'", "> 0"));
        try {
            assertThat(occupancy.look().named()).containsExactly("night");
        } finally {
            tables.ask(named.formatted("NULL", "= 0"));
            tables.ask(named.formatted("NULL", "> 0"));
        }
    }

    @Test
    @Order(6)
    void a_partition_is_in_use_until_the_last_job_that_may_start_in_it_has_ended() {
        String may =
                "UPDATE job SET partitions = %s WHERE id = (SELECT min(id) FROM job WHERE ended_at %s) RETURNING id";

        tables.ask(may.formatted("',batch,second,'", "= 0"));
        tables.ask(may.formatted("',batch,over,'", "> 0"));
        try {
            assertThat(revisions.liveJobs(new Removed.Partition("second"))).isEqualTo(1);
            assertThat(revisions.liveJobs(new Removed.Partition("over"))).isZero();
            assertThat(revisions.liveJobs(new Removed.Partition("econd"))).isZero();
        } finally {
            tables.ask(may.formatted("NULL", "= 0"));
            tables.ask(may.formatted("NULL", "> 0"));
        }
    }

    @Test
    @Order(6)
    void a_job_that_stands_still_may_stay_for_any_time() {
        List<String> still =
                tables.ask("SELECT job FROM run WHERE freed_at = 0 AND suspended_at <> 0");

        assertThat(still).isNotEmpty();
        assertThat(occupancy.look().stays())
                .filteredOn(it -> it.until() == Long.MAX_VALUE)
                .extracting(it -> Long.toString(it.job()))
                .containsExactlyInAnyOrderElementsOf(still);
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void what_is_private_is_told_to_those_whom_it_concerns() throws Exception {
        long first = tables.number("SELECT min(placed_at) FROM run");
        assertThat(users("report?start=" + first, "usage.user")).contains("alice", "bob");

        hide("[\"jobs\", \"usage\", \"users\", \"accounts\"]", "");
        assertThat(users("jobs", "jobs.user")).containsOnly("alice");
        assertThat(users("jobs?user=bob,alice&start=1", "jobs.user")).containsOnly("alice");
        assertThat(users("usage", "usage.user")).containsOnly("alice");
        assertThat(users("report?start=" + first, "usage.user")).containsOnly("alice");
        assertThat(users("shares", "shares.user")).containsOnly("alice");
        assertThat(users("budgets", "budgets.holder")).isEmpty();
        given().get("/v1/accounts").then().body("size()", is(0));

        hide("[\"jobs\", \"users\"]", "\"alice\"");
        assertThat(users("jobs", "jobs.findAll { it.account == 'team_a' }.user"))
                .contains("alice", "bob");
        assertThat(users("jobs", "jobs.findAll { it.account != 'team_a' }.user"))
                .doesNotContain("bob");
        given().get("/v1/configuration")
                .then()
                .body("document.accounts.team_a.users.keySet()", hasItem("bob"))
                .body("document.accounts.team_b.users.size()", is(0));

        hide("[]", "");
        assertThat(users("jobs", "jobs.user")).contains("bob");
    }

    /// @param coordinators of team_a, as items of a list in JSON
    private void hide(String kinds, String coordinators) throws Exception {
        change(
                "{\"privateData\": %s, \"accounts\": {\"team_a\": {\"coordinators\": [%s]}}}"
                        .formatted(kinds, coordinators));
    }

    private static List<String> users(String query, String path) {
        return given().get("/v1/accounting/" + query).jsonPath().getList(path);
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void steps_are_told_with_their_runs_where_they_are_asked_for() {
        JsonPath all = given().get("/v1/accounting/jobs?steps=true").jsonPath();

        List<List<List<Map<String, Object>>>> steps = all.getList("jobs.runs.steps");

        assertThat(steps.stream().flatMap(List::stream).mapToLong(List::size).sum())
                .isEqualTo(tables.count("step"))
                .isPositive();
        assertThat(all.getBoolean("stepsLeftOut")).isFalse();
        assertThat(all.<Integer>getList("jobs.runs.moreSteps.flatten()"))
                .anyMatch(more -> more > 0);
        assertThat(all.<String>getList("jobs.runs.steps.flatten().state"))
                .containsOnly("COMPLETED", "FAILED", "CANCELLED", "OUT_OF_MEMORY");
        assertThat(all.<Integer>getList("jobs.runs.steps.flatten().maxMemoryMib"))
                .contains(700, (Integer) null);
        assertThat(given().get("/v1/accounting/jobs").asString()).doesNotContain("\"steps\"");
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void what_gpus_did_is_told_with_what_else_a_run_used() {
        JsonPath all = given().get("/v1/accounting/jobs").jsonPath();

        List<Object> gpus =
                all.getList("jobs.runs.flatten().used.findAll { it?.gpu != null }.gpu.millijoules");

        assertThat(gpus)
                .hasSize((int) tables.number("SELECT count(*) FROM run WHERE gpu_millijoules > 0"))
                .isNotEmpty();
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void a_report_tells_what_was_held_in_a_time_in_the_parts_of_it() {
        long first = tables.number("SELECT min(placed_at) FROM run");
        long last = tables.number("SELECT max(freed_at) FROM run");
        long gpuMillis = charged.stream().mapToLong(it -> it.charge().gpuMillis()).sum();
        long middle = (first + last) / 2;

        List<Long> parts =
                Stream.of(
                                new long[] {first, last},
                                new long[] {first, middle},
                                new long[] {middle, last})
                        .map(it -> gpuSeconds(it[0], it[1]))
                        .toList();

        // Runs that still last count as well.
        assertThat(parts.getFirst()).isGreaterThan(gpuMillis / 1000 - 10);
        assertThat(parts.get(1) + parts.get(2)).isCloseTo(parts.getFirst(), within(20L));
        assertThat(parts.get(1)).isPositive();
        assertThat(gpuSeconds(last, last + 1000)).isZero();
        given().get("/v1/accounting/report").then().statusCode(400);
        given().get("/v1/accounting/report?start=-9223372036854775808").then().statusCode(400);
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void a_history_has_the_report_of_each_part_of_a_time() {
        long first = tables.number("SELECT min(placed_at) FROM run");
        long last = tables.number("SELECT max(freed_at) FROM run");
        String time = "?start=" + first + "&end=" + last;
        long step = Math.max(1, (last - first) / 1000 / 7);

        JsonPath told = given().get("/v1/accounting/history" + time + "&step=" + step).jsonPath();

        List<Long> starts = told.getList("periods.start", Long.class);
        assertThat(starts).hasSizeGreaterThan(3).isSorted();
        assertThat(starts).allMatch(it -> (it - first) % (1000 * step) == 0);
        for (int i = 0; i < starts.size(); i++) {
            List<Integer> seconds = told.getList("periods[" + i + "].usage.gpuSeconds");
            long end = Math.min(last, starts.get(i) + 1000 * step);
            assertThat(seconds.stream().mapToLong(Integer::longValue).sum())
                    .isEqualTo(gpuSeconds(starts.get(i), end));
        }
        for (String wrong : List.of("", "&step=0", "&step=1", "&step=-9", "&step=x")) {
            given().get("/v1/accounting/history?start=0&end=" + last + wrong)
                    .then()
                    .statusCode(400);
        }
        given().get(
                        "/v1/accounting/history?step=86400&start=9223372036854775000&end="
                                + Long.MAX_VALUE)
                .then()
                .statusCode(200)
                .body("periods", hasSize(0));
    }

    /// A statement may have 65,535 parameters.
    @Test
    @Order(6)
    void runs_and_steps_of_as_many_jobs_are_read_as_may_be_asked_for() throws Throwable {
        List<Long> jobs = LongStream.rangeClosed(1, 100_000).boxed().toList();

        List<RunRow> runs =
                VertxContextSupport.subscribeAndAwait(
                        () -> Panache.withSession(() -> RunRow.ofJobs(jobs)));
        List<StepRow> steps =
                VertxContextSupport.subscribeAndAwait(
                        () -> Panache.withSession(() -> StepRow.ofJobs(jobs, 100_000)));

        assertThat(runs).hasSize((int) tables.count("run"));
        assertThat(steps).hasSize((int) tables.count("step"));
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void a_name_that_the_database_could_not_hold_is_nobodys() {
        given().urlEncodingEnabled(false)
                .get("/v1/accounting/jobs?user=%00")
                .then()
                .statusCode(200)
                .body("jobs", hasSize(0));
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void how_jobs_ended_is_told_by_partition_and_part_of_the_time() {
        long first = tables.number("SELECT min(ended_at) FROM job WHERE ended_at > 0");
        long last = tables.number("SELECT max(ended_at) FROM job");
        String time = "?start=" + first + "&end=" + last;
        long step = Math.max(1, (last - first) / 1000 / 5);

        JsonPath whole = given().get("/v1/accounting/outcomes" + time).jsonPath();
        JsonPath parts = given().get("/v1/accounting/outcomes" + time + "&step=" + step).jsonPath();

        String ended =
                "SELECT count(*) FROM job WHERE ended_at > 0 AND ended_at < %d".formatted(last);
        assertThat(jobs(whole, "true")).isEqualTo(tables.number(ended)).isPositive();
        assertThat(jobs(parts, "true")).isEqualTo(jobs(whole, "true"));
        assertThat(jobs(whole, "it.state == 'COMPLETED'"))
                .isEqualTo(tables.number(ended + " AND state = 'COMPLETED'"))
                .isPositive();
        assertThat(parts.getList("outcomes.start", Long.class))
                .isSorted()
                .allMatch(it -> (it - first) % (1000 * step) == 0)
                .hasSizeGreaterThan(whole.getList("outcomes").size());
        given().get("/v1/accounting/outcomes" + time + "&step=0").then().statusCode(400);
    }

    private static long jobs(JsonPath outcomes, String which) {
        List<Integer> jobs = outcomes.getList("outcomes.findAll { " + which + " }.jobs");
        return jobs.stream().mapToLong(Integer::longValue).sum();
    }

    @Test
    @Order(6)
    @TestSecurity(user = "alice", roles = "user")
    void the_clusters_utilization_is_known_from_the_states_of_its_nodes() throws Exception {
        writeNode("n1", 8, null);
        writeRaw(Topics.NODE_STATES.name(), "NodeStatus", "{");
        writeRaw(Topics.NODE_STATES.name(), "Teleported", "{}");
        writeNode("n1", 8, null);
        writeNode("n1", 8, new NodeHold(NodeHold.Kind.DRAIN, "disk", "root", 1));
        writeNode("n2", 4, null);
        await().atMost(PATIENCE).until(() -> tables.count("node_span") == 3);
        long first = tables.number("SELECT min(placed_at) FROM run");
        tables.execute(
                "UPDATE node_span SET since = %d, until = %d WHERE until <> 0"
                        .formatted(first, first + 10_000));
        tables.execute("UPDATE node_span SET since = %d WHERE until = 0".formatted(first + 10_000));

        JsonPath told =
                given().get(
                                "/v1/accounting/utilization?start="
                                        + first
                                        + "&end="
                                        + (first + 15_000))
                        .jsonPath();

        assertThat(told.getLong("resources.find { it.resource == 'cpu' }.reported"))
                .isEqualTo(15 * 8 + 5 * 4);
        assertThat(told.getLong("resources.find { it.resource == 'cpu' }.down")).isEqualTo(5 * 8);
        assertThat(told.getLong("resources.find { it.resource == 'node' }.reported")).isEqualTo(20);
        assertThat(told.getLong("resources.find { it.resource == 'node' }.allocated")).isPositive();
    }

    private void writeNode(String name, int cpus, @Nullable NodeHold hold) {
        var inventory =
                new Inventory(
                        1, cpus, 1, cpus, 1024, List.of(), List.of(), true, null, "linux", "amd64");
        var node = new NodeName(name);
        var seen = new NodeSeen(node, "nonce", "machine", "boot", "test", inventory, List.of(), 0);
        var status = new NodeStatus(node, 1, 0, NodeStatus.Presence.UP, seen, hold, null);
        try (var producer = kafka.producer()) {
            producer.send(
                            new Events<>(Topics.NODE_STATES, "placement-service")
                                    .record(0, status, name + "/" + System.nanoTime()))
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static long gpuSeconds(long start, long end) {
        List<Integer> seconds =
                given().get("/v1/accounting/report?start=" + start + "&end=" + end)
                        .jsonPath()
                        .getList("usage.gpuSeconds");
        return seconds.stream().mapToLong(Integer::longValue).sum();
    }

    private static List<Integer> ids(String query) {
        return given().get("/v1/accounting/jobs?" + query).jsonPath().getList("jobs.id");
    }
}
