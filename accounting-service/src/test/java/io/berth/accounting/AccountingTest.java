package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.cluster.Removed;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.db.Batch;
import io.berth.accounting.db.Books;
import io.berth.accounting.db.RunRow;
import io.berth.accounting.db.StepRow;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.contracts.Charge;
import io.berth.contracts.DeadLetter;
import io.berth.contracts.EndedRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Usage;
import io.berth.contracts.topic.Topics;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.TopicDeclarations;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.security.TestSecurity;
import io.quarkus.vertx.VertxContextSupport;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/// The whole service on a real broker and a real database. The tests share both, and each stands on
/// what the ones before it left.
@QuarkusTest
@QuarkusTestResource(Servers.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccountingTest {

    private static final String JOBS = Topics.JOBS.name();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConnection kafka = Servers.outside();
    @Inject TopicDeclarations declarations;
    @Inject BooksLoop loop;
    @Inject Books books;
    @Inject RetentionLoop retention;
    @Inject ClusterConfiguration configuration;
    @Inject Occupancy occupancy;
    @Inject Revisions revisions;

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String jdbcUrl = "";

    @ConfigProperty(name = "quarkus.datasource.password")
    String password = "";

    Servers servers = new Servers();
    private Tables tables = new Tables("", "");

    private final Lives lives = new Lives(7);
    private final List<EndedRun> charged = new ArrayList<>();
    private final Events<JobEvent> events = new Events<>(Topics.JOBS, "placement-service");
    private int nextId = 1;

    @BeforeEach
    void jobs_topic_exists() {
        tables = new Tables(jdbcUrl, password);
        try (Admin admin = kafka.admin()) {
            declarations.create(admin, List.of(Topics.JOBS, Topics.NODE_STATES));
        }
    }

    @Test
    @Order(1)
    void it_becomes_ready_and_has_published_the_cluster_file() throws Exception {
        await().atMost(PATIENCE).untilAsserted(() -> ready().then().statusCode(200));

        var published = new ConfigTopic(kafka).read();

        var file = ClusterFile.parse(Files.readString(Path.of("../examples/accounts.yaml")));
        assertThat(published.highest()).isEqualTo(1);
        assertThat(published.entries().values()).containsExactlyElementsOf(file.entries(1));
    }

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
    @Order(5)
    @TestSecurity(user = "admin", roles = "operator")
    void what_happened_is_in_the_books_and_they_balance() {
        write(40);

        awaitBooks();

        Response jobs = given().get("/v1/accounting/jobs");
        jobs.then().statusCode(200).body("jobs", hasSize(40)).body("more", is(false));
        balance()
                .then()
                .body("balanced", is(true))
                .body("jobs", is(40))
                .body("differences", hasSize(0));
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

    private void change(String change) throws Exception {
        var made = configuration.patch("root", null, false, new ObjectMapper().readTree(change));
        assertThat(made).isInstanceOf(Changed.Done.class);
        configuration.await(((Changed.Done) made).revision(), PATIENCE);
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

    @Test
    @Order(7)
    @TestSecurity(user = "admin", roles = "operator")
    void after_a_restart_every_record_still_counts_once() {
        loop.stop();
        write(30);
        loop.start();

        awaitBooks();

        balance().then().body("balanced", is(true)).body("jobs", is(70));
    }

    @Test
    @Order(8)
    @TestSecurity(user = "admin", roles = "operator")
    void a_database_that_was_away_is_waited_for() throws Exception {
        servers.stopDatabase();
        write(10);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        ready().then()
                                .statusCode(503)
                                .body("checks.data.books", hasItem(containsString("waiting"))));

        servers.startDatabase();

        awaitBooks();
        balance().then().body("balanced", is(true)).body("jobs", is(80));
        await().atMost(PATIENCE).untilAsserted(() -> ready().then().statusCode(200));
    }

    @Test
    @Order(8)
    @TestSecurity(user = "admin", roles = "operator")
    void a_database_that_stands_still_is_waited_for() throws Exception {
        servers.signalDatabase("STOP");
        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            ready().then()
                                    .statusCode(503)
                                    .body(
                                            "checks.data.books",
                                            hasItem(containsString("has not answered for 5 s"))));
            given().get("/v1/configuration")
                    .then()
                    .statusCode(503)
                    .contentType("application/problem+json")
                    .body("detail", is("the database has not answered for 5 s"));
        } finally {
            servers.signalDatabase("CONT");
        }

        await().atMost(PATIENCE).untilAsserted(() -> ready().then().statusCode(200));
        balance().then().body("balanced", is(true));
    }

    @Test
    @Order(9)
    void usage_is_published_and_matches_the_books() {
        Map<String, Usage> shares = new TreeMap<>();

        await().atMost(PATIENCE)
                .untilAsserted(() -> {
                    readShares(shares);
                    assertThat(shares.keySet())
                            .contains("team_a/alice", "team_a/bob", "team_b/carol");
                    assertThat(gpuMillis(shares)).isEqualTo(tables.sum("gpu_millis"));
                });

        assertThat(gpuMillis(shares)).isPositive();
        assertThat(shares.values())
                .flatExtracting(Usage::spent)
                .allSatisfy(it ->
                        assertThat(it.whole().millis("gres/gpu:a100"))
                                .isEqualTo(it.whole().millis("gres/gpu")));
    }

    @Test
    @Order(9)
    @TestSecurity(user = "admin", roles = "operator")
    void a_longer_half_life_brings_back_nothing_that_a_shorter_one_let_decay() throws Exception {
        long before = decayed("alice");

        change("{\"fairShare\": {\"halfLife\": \"0\"}}");

        // Runs that last since 2023 count with the days that count then, and with each one from
        // now.
        assertThat(decayed("alice")).isBetween(before / 2, 2 * before).isPositive();
        change("{\"fairShare\": {\"halfLife\": \"14-0\"}}");
        assertThat(decayed("alice")).isBetween(before / 2, 2 * before);
        assertThat(tables.ask("SELECT half_life_seconds FROM decay_rule ORDER BY since"))
                .containsExactly("1209600", "0", "1209600");
    }

    private static long decayed(String user) {
        return given().get("/v1/accounting/usage")
                .jsonPath()
                .getLong("usage.find { it.user == '%s' }.decayedBillingMicros".formatted(user));
    }

    @Test
    @Order(10)
    @TestSecurity(user = "admin", roles = "operator")
    void usage_that_is_reset_counts_no_more_and_the_sums_stay() {
        long used = tables.sum("billing_micros");
        String counts = "usage.find { it.user == '%s' }.decayedBillingMicros";
        JsonPath before = given().get("/v1/accounting/usage").jsonPath();

        reset("{\"account\": \"team_a\", \"user\": \"bob\"}").then().statusCode(200);
        reset("{\"account\": \"team_b\"}").then().body("accounts", is(List.of("team_b")));
        reset("{\"account\": \"team_z\"}")
                .then()
                .statusCode(422)
                .body("detail", is("there is no account 'team_z'"));
        reset("{\"account\": \"team_a\", \"user\": \"\"}")
                .then()
                .statusCode(400)
                .body("detail", is("user: a name is expected, or nothing for all users"));
        reset("{\"account\": \"team_a\", \"user\": \"b\\u0000b\"}").then().statusCode(400);
        reset("").then().statusCode(422);

        JsonPath usage = given().get("/v1/accounting/usage").jsonPath();
        assertThat(usage.getLong(counts.formatted("alice")))
                .isGreaterThan(before.getLong(counts.formatted("alice")) / 2);
        for (String user : List.of("bob", "carol")) {
            // What lasts counts from now on.
            assertThat(usage.getLong(counts.formatted(user)))
                    .isLessThan(before.getLong(counts.formatted(user)) / 2);
        }
        assertThat(tables.sum("billing_micros")).isEqualTo(used);
        balance().then().body("balanced", is(true));
    }

    private static Response reset(String whose) {
        return given().contentType(ContentType.JSON)
                .body(whose)
                .post("/v1/accounting/usage/resets");
    }

    @Test
    @Order(10)
    @TestSecurity(user = "admin", roles = "operator")
    void a_corrupt_record_is_kept_aside_and_the_next_one_is_booked() {
        long offset = writeRaw(JOBS, "Queued", "{\"job\":");
        write(5);

        awaitBooks();

        balance().then().body("balanced", is(true)).body("jobs", is(85));
        var letters = new ArrayList<DeadLetter>();
        var topic = Topics.deadLetters("accounting-service");
        var codec = new Events<>(topic, "test");
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(
                    consumer,
                    List.of(new TopicPartition(topic.name(), 0)),
                    record -> {
                        try {
                            letters.add(codec.event(record));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    });
        }
        assertThat(letters).extracting(DeadLetter::position).containsExactly(JOBS + "/0/" + offset);
        assertThat(tables.count("dead_letter")).isEqualTo(1);
    }

    @Test
    @Order(10)
    void a_corrupt_record_of_the_configuration_changes_nothing_of_it() {
        var config = new ConfigTopic(kafka);
        ConfigTopic.Published before = config.read();

        writeRaw(Topics.CONFIG.name(), "Partition", "{");
        writeRaw(Topics.CONFIG.name(), "Partition", "null");

        assertThat(config.read()).isEqualTo(before);
        assertThat(before.whole()).isPresent();
    }

    @Test
    @Order(11)
    @TestSecurity(user = "admin", roles = "operator")
    void the_whole_topic_read_again_gives_the_same_books() throws Exception {
        List<String> before = tables.dump();
        loop.stop();
        tables.execute("TRUNCATE step, run, job, usage, log_position, dead_letter");

        loop.start();

        awaitBooks();
        assertThat(tables.dump()).isEqualTo(before).isNotEmpty();
    }

    @Test
    @Order(12)
    void a_backup_in_an_empty_database_goes_on_from_where_it_was_taken() throws Exception {
        Map<String, String> backup = tables.backup();
        write(10);
        awaitBooks();
        List<String> before = tables.dump();
        loop.stop();

        tables.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        books.migrate();
        tables.restore(backup);
        loop.start();

        awaitBooks();
        assertThat(tables.dump()).isEqualTo(before).isNotEmpty();
    }

    @Test
    @Order(12)
    @TestSecurity(user = "admin", roles = "operator")
    void a_run_that_ends_before_it_begins_is_told_by_the_balance() throws Exception {
        long job =
                tables.number("SELECT min(job) FROM run WHERE freed_at > placed_at AND lease = 1");
        String swap =
                "UPDATE run SET freed_at = placed_at, placed_at = freed_at WHERE lease = 1 AND job = "
                        + job;

        tables.execute(swap);

        balance()
                .then()
                .body("balanced", is(false))
                .body("differences", hasItem("run " + job + ".1 ends before it begins"));
        tables.execute(swap);
        balance().then().body("balanced", is(true));
    }

    @Test
    @Order(13)
    void another_topic_of_the_same_name_stops_the_books() throws Exception {
        restartAfter("UPDATE log_position SET topic_id = 'AAAAAAAAAAAAAAAAAAAAAA'");

        assertStopped("another topic");

        restartAfter("DELETE FROM log_position; TRUNCATE step, run, job, usage, dead_letter");
        awaitBooks();
    }

    @Test
    @Order(14)
    void a_position_that_the_log_does_not_have_stops_the_books() throws Exception {
        restartAfter("UPDATE log_position SET next_offset = 1000000");

        assertStopped("the books stand at offset 1000000");

        restartAfter("DELETE FROM log_position; TRUNCATE step, run, job, usage, dead_letter");
        awaitBooks();
    }

    @Test
    @Order(15)
    @TestSecurity(user = "admin", roles = "operator")
    void an_event_of_a_newer_version_stops_the_books_after_what_came_before_it() {
        write(3);
        writeRaw(JOBS, "Teleported", "{\"job\":1}");
        write(3);

        assertStopped("Teleported");

        balance().then().body("jobs", is(98));
    }

    @Test
    @Order(16)
    @TestSecurity(user = "admin", roles = "operator")
    void old_jobs_are_archived_and_deleted_and_the_books_still_balance(@TempDir Path folder)
            throws Exception {
        long ended = tables.number("SELECT count(*) FROM job WHERE ended_at <> 0");
        long runs =
                tables.number(
                        "SELECT count(*) FROM run r JOIN job j ON j.id = r.job WHERE ended_at <> 0");
        long live = tables.count("job") - ended;
        long steps =
                tables.number(
                        "SELECT count(*) FROM step s JOIN job j ON j.id = s.job WHERE j.ended_at <> 0");
        long used = tables.sum("billing_micros");

        retention.purge(Instant.parse("9999-01-01T00:00:00Z"), Optional.of(folder));
        List<String> jobLines = archived(folder, "jobs-");
        retention.purge(Instant.parse("9999-01-01T00:00:00Z"), Optional.of(folder));

        assertThat(ended).isPositive();
        assertThat(tables.count("job")).isEqualTo(live);
        assertThat(tables.sum("billing_micros")).isEqualTo(used);
        balance().then().body("balanced", is(true)).body("jobs", is((int) live));
        assertThat(jobLines).hasSize((int) ended).doesNotHaveDuplicates();
        assertThat(archived(folder, "jobs-")).isEqualTo(jobLines);
        assertThat(archived(folder, "runs-")).hasSize((int) runs).doesNotHaveDuplicates();
        assertThat(archived(folder, "steps-")).hasSize((int) steps).doesNotHaveDuplicates();
        assertThat(
                        tables.number(
                                "SELECT count(*) FROM step LEFT JOIN job ON job.id = step.job WHERE job.id IS NULL"))
                .isZero();
        assertThat(tables.number("SELECT sum(jobs) FROM archived")).isEqualTo(ended);
    }

    /// The rows of all such files.
    private static List<String> archived(Path folder, String prefix) throws IOException {
        var rows = new ArrayList<String>();
        try (var files = Files.newDirectoryStream(folder, prefix + "*.csv.gz")) {
            for (Path file : files) {
                try (var in = new GZIPInputStream(Files.newInputStream(file))) {
                    List<String> lines =
                            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
                    assertThat(lines.getFirst()).matches("(id|job),[a-z_,]+");
                    rows.addAll(lines.subList(1, lines.size()));
                }
            }
        }
        return rows;
    }

    @Test
    @Order(15)
    void a_batch_that_begins_where_the_books_do_not_stand_is_not_entered() {
        List<String> before = tables.dump();
        var batch =
                new Batch(
                        new Lives(1).events(1000, 3),
                        List.of(),
                        List.of(new Batch.Advance(JOBS, "id", 0, 0, 10)));

        assertThatExceptionOfType(Books.Overtaken.class)
                .isThrownBy(() -> books.enter(batch, Decay.of(HalfLife.ofSeconds(1))));

        assertThat(tables.dump()).isEqualTo(before);
    }

    private void restartAfter(String sql) throws SQLException {
        loop.stop();
        tables.execute(sql);
        loop.start();
    }

    private void assertStopped(String word) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        ready().then()
                                .statusCode(503)
                                .body("checks.data.books", hasItem(containsString("stopped")))
                                .body("checks.data.books", hasItem(containsString(word))));
    }

    /// Writes the lives of so many new jobs.
    private void write(int jobs) {
        try (var producer = kafka.producer()) {
            int before = lives.charged().size();
            for (JobEvent event : lives.events(nextId, jobs)) {
                var unused = producer.send(events.record(0, event, "test"));
            }
            producer.flush();
            charged.addAll(lives.charged().subList(before, lives.charged().size()));
            nextId += jobs;
        }
    }

    private long writeRaw(String topic, String event, String value) {
        var record =
                new ProducerRecord<>(
                        topic,
                        0,
                        "1".getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8));
        record.headers().add("ce_type", (topic + "/" + event).getBytes(StandardCharsets.UTF_8));
        try (var producer = kafka.producer()) {
            return producer.send(record).get().offset();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits until the books hold all that was written, and checks the sum of usage.
    private void awaitBooks() {
        Charge all = charged.stream().map(EndedRun::charge).reduce(Charge.ZERO, Charge::plus);
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> {
                    assertThat(tables.count("job")).isEqualTo(nextId - 1L);
                    assertThat(tables.sum("billing_micros")).isEqualTo(all.billingMicros());
                    assertThat(tables.sum("gpu_millis")).isEqualTo(all.gpuMillis());
                    assertThat(tables.position()).isEqualTo(end());
                });
    }

    private long end() {
        var partition = new TopicPartition(JOBS, 0);
        try (var consumer = kafka.consumer()) {
            return consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
        }
    }

    private static long gpuMillis(Map<String, Usage> shares) {
        return shares.values().stream()
                .flatMap(it -> it.spent().stream())
                .mapToLong(it -> it.whole().charge().gpuMillis())
                .sum();
    }

    private void readShares(Map<String, Usage> shares) {
        var codec = new Events<>(Topics.SHARES, "test");
        try (var consumer = kafka.consumer()) {
            LogReader.readAll(
                    consumer,
                    List.of(new TopicPartition(Topics.SHARES.name(), 0)),
                    record -> {
                        try {
                            Usage usage = codec.event(record);
                            shares.put(usage.account() + "/" + usage.user(), usage);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    });
        }
    }

    private static List<Integer> ids(String query) {
        return given().get("/v1/accounting/jobs?" + query).jsonPath().getList("jobs.id");
    }

    private static Response balance() {
        return given().get("/v1/accounting/balance");
    }

    private static Response ready() {
        return given().get("/q/health/ready");
    }
}
