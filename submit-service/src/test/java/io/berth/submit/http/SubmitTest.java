package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.Sealed;
import io.berth.log.trace.TraceContext;
import io.berth.submit.Samples;
import io.berth.submit.Sha256;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.response.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class SubmitTest {
    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @Test
    void a_job_is_answered_with_its_id_its_place_and_its_view() {
        Api.submit(Api.as("alice"), "\"name\":\"train\",\"gpus\":2,\"gpuType\":\"a100\"")
                .then()
                .statusCode(201)
                .header("Location", matchesPattern(".*/v1/jobs/\\d+"))
                .header("Berth-Position", matchesPattern("submissions:0:\\d+"))
                .body("id", greaterThan(0))
                .body("name", is("train"))
                .body("user", is("alice"))
                .body("account", is("team_a"))
                .body("partition", is("batch"))
                .body("state", is("PENDING"))
                .body("stateCode", is("PD"))
                .body("reason", is("None"))
                .body("nodeList", is(""))
                .body("gpus", is(2))
                .body("gpuType", is("a100"))
                .body("memoryMib", is(2048))
                .body("submittedBy", is("alice"));
    }

    @Test
    void the_log_holds_the_specification_and_the_submission_that_names_its_bytes()
            throws Exception {
        long id = Api.submitted("alice", "\"environment\":{\"A\":\"b\"},\"nodes\":2");
        try (var mesh = Mesh.connect()) {
            Submitted submitted = mesh.submitted(id);

            var record =
                    mesh.records(Topics.SPECS).stream()
                            .filter(it -> it.offset() == submitted.spec().offset())
                            .findFirst()
                            .orElseThrow();
            JobSpec spec =
                    new Events<>(Topics.SPECS, "test")
                            .event(Sealed.open(record, String.valueOf(submitted.spec().key())));
            assertThat(submitted.spec().partition()).isZero();
            assertThat(submitted.spec().sha256()).isEqualTo(Sha256.hex(record.value()));
            assertThat(submitted.submittedBy()).isEqualTo("alice");
            assertThat(submitted.description().request().nodes()).isEqualTo(2);
            assertThat(spec.job()).isEqualTo(new JobId(id));
            assertThat(spec.description()).isEqualTo(submitted.description());
            assertThat(spec.script()).isEqualTo("#!/bin/sh\nhostname\n");
            assertThat(spec.environment()).containsEntry("A", "b");
        }
    }

    @Test
    void who_reads_the_specifications_alone_learns_nothing_of_a_job() throws Exception {
        long id = Api.submitted("alice", "\"environment\":{\"TOKEN\":\"my-secret\"}");

        try (var mesh = Mesh.connect()) {
            String key = mesh.submitted(id).spec().key();
            assertThat(mesh.specs())
                    .filteredOn(it -> it.job().value() == id)
                    .singleElement()
                    .satisfies(it -> assertThat(it.environment()).containsKey("TOKEN"));
            assertThat(mesh.records(Topics.SPECS))
                    .filteredOn(it -> it.value() != null)
                    .extracting(it -> new String(it.value(), StandardCharsets.ISO_8859_1))
                    .noneMatch(it -> it.contains("my-secret") || it.contains("hostname"));
            assertThat(mesh.submitted(Api.submitted("alice", "")).spec().key()).isNotEqualTo(key);
        }
    }

    @Test
    void a_submission_is_a_span_of_its_callers_trace_and_its_records_and_its_job_go_on_with_it()
            throws Exception {
        TraceContext caller = TraceContext.root();
        long id =
                Api.submit(Api.as("alice").header(TraceContext.HEADER, caller.toString()), "")
                        .jsonPath()
                        .getLong("id");
        try (var mesh = Mesh.connect()) {
            var submission = mesh.records(Topics.SUBMISSIONS).getLast();
            var spec = mesh.specRecords().getLast();

            TraceContext own = trace(submission);
            assertThat(own.traceId()).isEqualTo(caller.traceId());
            assertThat(own.spanId()).isNotEqualTo(caller.spanId());
            assertThat(trace(spec)).isEqualTo(own);
            JobSpec asked = new Events<>(Topics.SPECS, "test").event(spec);
            assertThat(asked.job()).isEqualTo(new JobId(id));
            assertThat(asked.environment()).containsEntry(TraceContext.VARIABLE, own.toString());
            String collector =
                    ConfigProvider.getConfig()
                            .getValue("berth.submit.traces-endpoint", String.class);
            Api.eventually(() ->
                    assertThat(RestAssured.get(collector).asString())
                            .contains("\"spanId\":\"" + own.spanId() + "\"")
                            .contains("\"parentSpanId\":\"" + caller.spanId() + "\"")
                            .contains("\"name\":\"POST /v1/jobs\""));
        }
    }

    private static TraceContext trace(ConsumerRecord<byte[], byte[]> record) {
        byte[] header = record.headers().lastHeader(TraceContext.HEADER).value();
        return TraceContext.parse(new String(header, StandardCharsets.US_ASCII)).orElseThrow();
    }

    @Test
    void no_id_is_given_twice() throws Exception {
        assertThat(atOnce(30, () -> Api.submitted("ida", ""))).doesNotHaveDuplicates();
    }

    @Test
    void a_block_of_ids_that_is_not_above_every_known_job_is_void() {
        long before = Api.submitted("ivan", "");
        try (var mesh = Mesh.connect()) {
            mesh.write(Topics.CELL_STATES, Samples.cellStatus(0, before + 100_000));
        }

        // As many ids as may be left of blocks that were claimed before the gateway has read that.
        String all = "\"terms\":{\"array\":\"1-" + 2 * IdBlockClaimed.SIZE + "\"}";
        Api.eventually(() -> {
            Api.submitted("ivan", all);
            assertThat(Api.submitted("ivan", "")).isGreaterThan(before + 100_000);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/x-shellscript", "application/x-sh"})
    void a_batch_script_is_a_job_by_its_directives(String type) {
        String script =
                """
                #!/bin/bash
                #SBATCH --job-name=größer --time=0:05:00
                #SBATCH --gres=gpu:a100:4
                #SBATCH -N 2
                srun hostname
                """;

        given().auth()
                .oauth2(Tokens.user("alice"))
                .contentType(type)
                .body(script.getBytes(StandardCharsets.UTF_8))
                .post("/v1/jobs")
                .then()
                .statusCode(201)
                .body("name", is("größer"))
                .body("timeLimitSeconds", is(300))
                .body("nodes", is(2))
                .body("gpus", is(8))
                .body("gpusPerNode", is(4));
    }

    @Test
    void an_admin_submits_a_script_for_a_user() {
        script(Tokens.admin(), "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8), "?user=carol")
                .then()
                .statusCode(201)
                .body("user", is("carol"))
                .body("account", is("default"))
                .body("submittedBy", is("root"));
    }

    @Test
    void the_largest_script_is_accepted_and_read_back() throws Exception {
        String head = "#!/bin/sh\n";
        String script = head + "#".repeat(JobSpec.MAX_SCRIPT_BYTES - head.length());

        var response = LargeRequest.script(script).send();

        assertThat(response.statusCode()).isEqualTo(201);
        String job = response.headers().firstValue("Location").orElseThrow();
        Api.eventually(() ->
                Api.as("alice")
                        .get(job)
                        .then()
                        .statusCode(200)
                        .body("workingDirectory", is("/tmp")));
        byte[] read = Api.as("alice").get(job + "/script").then().extract().asByteArray();
        assertThat(read).isEqualTo(script.getBytes(StandardCharsets.UTF_8));
    }

    static Stream<LargeRequest> tooLarge() {
        return Stream.of(
                LargeRequest.script("#!/bin/sh\n" + "#".repeat(JobSpec.MAX_SCRIPT_BYTES)),
                LargeRequest.script("#".repeat(9_000_001)),
                LargeRequest.script("#".repeat(20_000_000)),
                LargeRequest.script("#".repeat(9_100_000)).withoutLength(),
                // Within the limit of scripts, but not as the JSON that the log keeps.
                LargeRequest.json("{\"script\":\"#!/bin/sh\\n" + "\\n".repeat(4_190_000) + "\"}"),
                // One record of the log has all components.
                LargeRequest.json(
                        "{\"script\":\"#!/bin/sh\",\"components\":["
                                + String.join(
                                        ",",
                                        Collections.nCopies(
                                                100,
                                                "{\"terms\":{\"dependency\":\"afterok"
                                                        + ":1".repeat(1000)
                                                        + "\"}}"))
                                + "]}"));
    }

    @ParameterizedTest
    @MethodSource("tooLarge")
    void what_is_too_large_is_refused(LargeRequest request) throws Exception {
        var response = request.send();

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.headers().firstValue("Content-Type")).contains(Problem.MEDIA_TYPE);
        assertThat(response.body()).contains("\"code\":\"script_too_large\"");
    }

    @Test
    void a_script_that_is_not_utf_8_is_refused() {
        byte[] script = {'#', '!', '/', 'b', '\n', (byte) 0xff, (byte) 0xfe};

        Api.refused(script(Tokens.user("alice"), script, ""), 422, "invalid_script")
                .body("detail", containsString("UTF-8"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ''                                       | invalid_script | empty
                    hostname                                 | invalid_script | must start with #!
                    #!/bin/sh~#SBATCH --frobnicate           | invalid_option | frobnicate
                    #!/bin/sh~#SBATCH --time=soon            | invalid_option | time
                    #!/bin/sh~#SBATCH --mem=lots             | invalid_option | mem
                    #!/bin/sh~#SBATCH --gres=gpu:            | invalid_option | gres
                    #!/bin/sh~#SBATCH --gpus-per-node=9      | node_configuration_unavailable | the largest has 8 (dgx-01)
                    #!/bin/sh~#SBATCH -p gone                | invalid_partition | 'gone'
                    """)
    void a_bad_script_is_refused_by_code(String script, String code, String because) {
        byte[] body = script.replace('~', '\n').getBytes(StandardCharsets.UTF_8);

        Api.refused(script(Tokens.user("alice"), body, ""), 422, code)
                .body("detail", containsString(because));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    "nodes":"two"        | 400 | invalid_json    | field 'nodes' is not a whole number
                    "gpu":1              | 400 | invalid_json    | unknown field 'gpu'; there are: script, arguments
                    "nodes":             | 400 | invalid_json    | not JSON
                    "name":"\\ud800"     | 422 | invalid_option  | the job's name
                    "nodes":0            | 422 | invalid_option  | the number of nodes is 0
                    "account":"gone"     | 422 | invalid_account | 'gone'
                    "qos":"gone"         | 422 | invalid_qos     | 'gone'
                    "user":"bob"         | 403 | not_allowed     | bob
                    """)
    void bad_json_is_refused_by_code(String fields, int status, String code, String because) {
        Api.refused(Api.submit(Api.as("alice"), fields), status, code)
                .body("detail", containsString(because));
    }

    @Test
    void a_repeated_request_finds_the_job_of_the_first() throws Exception {
        String key = UUID.randomUUID().toString();
        Response first = keyed("alice", key, "\"nodes\":1");

        Response second = keyed("alice", key, "\"nodes\":1");

        first.then().statusCode(201);
        second.then()
                .statusCode(201)
                .body("id", is(first.jsonPath().getInt("id")))
                .header("Berth-Position", first.header("Berth-Position"));
        assertThat(submissionsWith(key)).hasSize(1);
    }

    @Test
    void a_repeated_script_that_begins_in_an_hour_finds_the_job_of_the_first() throws Exception {
        String key = UUID.randomUUID().toString();
        String directives = "#!/bin/sh\n#SBATCH --begin=now+1hour --deadline=now+2days\n";
        long first = keyedScript(key, directives).then().extract().jsonPath().getLong("id");
        // Times are those of whole seconds.
        Thread.sleep(1_100);

        Response second = keyedScript(key, directives);

        second.then().statusCode(201).body("id", is((int) first));
        Api.refused(
                keyedScript(key, "#!/bin/sh\n#SBATCH --begin=now+2hours\n"),
                422,
                "idempotency_key_reused");
        assertThat(submissionsWith(key)).hasSize(1);
    }

    private static Response keyedScript(String key, String script) {
        return Api.as("alice")
                .header("Idempotency-Key", key)
                .contentType("text/x-shellscript")
                .body(script.getBytes(StandardCharsets.UTF_8))
                .post("/v1/jobs");
    }

    @Test
    void another_request_with_the_same_key_is_refused() throws Exception {
        String key = UUID.randomUUID().toString();
        keyed("alice", key, "\"nodes\":1").then().statusCode(201);

        Response second = keyed("alice", key, "\"nodes\":2");

        Api.refused(second, 422, "idempotency_key_reused");
        assertThat(submissionsWith(key)).hasSize(1);
    }

    @Test
    void the_same_key_of_another_user_is_another_key() {
        String key = UUID.randomUUID().toString();
        Response alices = keyed("alice", key, "");

        Response bobs = keyed("bob", key, "");

        bobs.then().statusCode(201);
        assertThat(bobs.jsonPath().getLong("id")).isNotEqualTo(alices.jsonPath().getLong("id"));
    }

    @Test
    void requests_at_the_same_time_with_one_key_make_one_job() throws Exception {
        String key = UUID.randomUUID().toString();

        var ids = atOnce(4, () -> keyed("eve", key, "").jsonPath().getLong("id"));

        assertThat(ids.stream().distinct()).hasSize(1);
        Api.as("eve").get("/v1/jobs?user=eve").then().body("jobs.size()", is(1));
    }

    @Test
    void a_key_of_another_replica_that_came_first_is_the_job() throws Exception {
        String key = UUID.randomUUID().toString();
        long theirs = atAnotherReplica(it -> new IdempotencyKey(key, it.requestSha256()));

        Response response = keyed("frank", key, "\"nodes\":1");

        response.then().statusCode(201).body("id", is((int) theirs));
    }

    @Test
    void a_key_of_another_request_at_another_replica_is_refused() throws Exception {
        String key = UUID.randomUUID().toString();
        atAnotherReplica(_ -> new IdempotencyKey(key, "another request"));

        Response response = keyed("frank", key, "\"nodes\":1");

        Api.refused(response, 422, "idempotency_key_reused");
    }

    /// The job that another replica has just written for a request of one node, keyed like that.
    ///
    /// @param keyed is given the key of such a request here
    private static long atAnotherReplica(UnaryOperator<IdempotencyKey> keyed) throws Exception {
        String ours = UUID.randomUUID().toString();
        long like = keyed("frank", ours, "\"nodes\":1").then().extract().jsonPath().getLong("id");
        try (var mesh = Mesh.connect()) {
            Submitted it = mesh.submitted(like);
            var theirs =
                    new Submitted(
                            new JobId(like + 200),
                            it.description(),
                            "frank",
                            it.spec(),
                            keyed.apply(Objects.requireNonNull(it.key())));
            mesh.write(Topics.SUBMISSIONS, theirs);
            return theirs.job().value();
        }
    }

    @Test
    void a_key_with_too_many_characters_is_refused() {
        Response response = keyed("alice", "k".repeat(129), "");

        Api.refused(response, 400, "invalid_request");
    }

    @Test
    void submissions_are_counted_by_code() {
        Api.submitted("alice", "");
        Api.submit(Api.as("alice"), "\"partition\":\"gone\"").then().statusCode(422);

        String metrics = given().get("/q/metrics").then().statusCode(200).extract().asString();

        assertThat(metrics)
                .contains("berth_submissions_total{code=\"accepted\"}")
                .contains("berth_submissions_total{code=\"invalid_partition\"}");
    }

    @Test
    void the_api_describes_itself() {
        given().accept("application/json")
                .get("/q/openapi")
                .then()
                .statusCode(200)
                .body("paths.'/v1/jobs'.post.summary", endsWith("job"))
                .body("paths.'/v1/nodes'.get.summary", containsString("nodes"))
                .body("components.schemas.JobSubmission.properties.script.type", is("string"));
    }

    private static List<Submitted> submissionsWith(String key) throws Exception {
        try (var mesh = Mesh.connect()) {
            return mesh.events(Topics.SUBMISSIONS).stream()
                    .filter(Submitted.class::isInstance)
                    .map(Submitted.class::cast)
                    .filter(it -> key.equals(keyOf(it)))
                    .toList();
        }
    }

    private static @Nullable String keyOf(Submitted submitted) {
        IdempotencyKey key = submitted.key();
        return key == null ? null : key.key();
    }

    /// The answers of as many callers, each on a thread that the test makes: one of a common pool
    /// may know another application's configuration, and so another key of tokens.
    private static <T> List<T> atOnce(int callers, Callable<T> call) throws Exception {
        try (var threads = Executors.newFixedThreadPool(4)) {
            var answers = new ArrayList<T>();
            for (Future<T> answer : threads.invokeAll(Collections.nCopies(callers, call))) {
                answers.add(answer.get());
            }
            return answers;
        }
    }

    private static Response keyed(String user, String key, String fields) {
        return Api.submit(Api.as(user).header("Idempotency-Key", key), fields);
    }

    private static Response script(String token, byte[] body, String query) {
        return given().auth()
                .oauth2(token)
                .contentType("text/x-shellscript")
                .body(body)
                .post("/v1/jobs" + query);
    }
}
