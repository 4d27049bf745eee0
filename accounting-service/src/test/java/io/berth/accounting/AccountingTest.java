package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.db.Batch;
import io.berth.accounting.db.Books;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.contracts.DeadLetter;
import io.berth.contracts.event.Usage;
import io.berth.contracts.topic.Topics;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import io.berth.log.Events;
import io.berth.log.LogReader;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.security.TestSecurity;
import io.quarkus.vertx.VertxContextSupport;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.common.TopicPartition;
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
class AccountingTest extends QuestionsOfBooks {

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
        reset("{\"acount\": \"team_b\"}")
                .then()
                .statusCode(400)
                .body("detail", is("there is no field 'acount'; there are: account, user"));

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

    /// Else one that stands still would keep the next one waiting for as long.
    @Test
    @Order(16)
    void the_database_is_told_to_end_a_transaction_that_nobody_goes_on_with() throws Throwable {
        Object limit =
                VertxContextSupport.subscribeAndAwait(() ->
                        Panache.withSession(() ->
                                Panache.getSession()
                                        .chain(session ->
                                                session.createNativeQuery(
                                                                "SELECT current_setting('idle_in_transaction_session_timeout')",
                                                                String.class)
                                                        .getSingleResult())));

        assertThat(limit).isEqualTo("30s");
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
}
