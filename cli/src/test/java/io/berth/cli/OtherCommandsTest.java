package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.cli.FakeMesh.Request;
import io.berth.client.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `scancel`, `why`, `logs`, `token`, `help` and the command line itself.
final class OtherCommandsTest {

    private static final String CANCEL = "/v1/jobs/cancel";
    private static final Reply NONE_REFUSED = new Reply(202, "{\"refused\":[]}");

    private final FakeMesh mesh = new FakeMesh();

    @TempDir private Path folder = Path.of("");

    @AfterEach
    void close() {
        mesh.close();
    }

    private static String job(int id, String state, Path output) {
        return Samples.ended(id, state, "", 0, 0).replace("/nowhere", output.toString());
    }

    @Test
    void scancel_sends_a_signal_to_the_tasks_that_are_named() {
        mesh.on("POST", "/v1/jobs/17_%5B1-3%5D/signal", "{}").on("POST", CANCEL, NONE_REFUSED);

        assertThat(new CommandRun(mesh).run("scancel", "-b", "-s", "usr1", "17_[1-3]").exitCode())
                .isZero();
        assertThat(new CommandRun(mesh).run("scancel", "--signal=KILL", "18").exitCode()).isZero();

        assertThat(mesh.requests())
                .extracting(it -> it.method() + " " + it.path())
                .containsExactly(
                        "POST /v1/jobs/17_%5B1-3%5D/signal?signal=USR1&target=batch",
                        "POST " + CANCEL);
    }

    @Test
    void jobs_are_cancelled_by_number_in_one_request() {
        mesh.on("POST", CANCEL, NONE_REFUSED);

        Outcome outcome = new CommandRun(mesh).run("scancel", "17", "18_[1-3]");

        assertThat(outcome).isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests())
                .extracting(request -> request.path() + " " + request.body())
                .containsExactly(CANCEL + " {\"jobs\":[\"17\",\"18_[1-3]\"]}");
    }

    private Outcome scancelOf1001Jobs() {
        String[] words =
                Stream.concat(
                                Stream.of("scancel"),
                                IntStream.rangeClosed(1, 1001).mapToObj(Integer::toString))
                        .toArray(String[]::new);
        return new CommandRun(mesh).run(words);
    }

    @Test
    void more_jobs_than_a_request_takes_are_cancelled_by_several() {
        mesh.on("POST", CANCEL, NONE_REFUSED);

        assertThat(scancelOf1001Jobs().exitCode()).isZero();
        assertThat(mesh.requests()).hasSize(2);
        assertThat(mesh.requests().getLast().body()).isEqualTo("{\"jobs\":[\"1001\"]}");
    }

    @Test
    void that_some_jobs_could_not_be_cancelled_does_not_keep_the_others() {
        mesh.on("POST", CANCEL, Reply.problem(503, "unavailable", "try again"), NONE_REFUSED);

        Outcome outcome = scancelOf1001Jobs();

        assertThat(outcome.exitCode()).isOne();
        assertThat(outcome.err().lines()).hasSize(1000).allMatch(it -> it.endsWith("try again"));
        assertThat(mesh.requests()).hasSize(2);
    }

    private static Reply refused(String job, int status, String code) {
        String stays = "{\"job\":\"%s\",\"status\":%d,\"code\":\"%s\",\"detail\":\"it is bob's\"}";
        return new Reply(202, "{\"refused\":[" + stays.formatted(job, status, code) + "]}");
    }

    private static Reply listed(int id, String name) {
        return new Reply(
                200, "{\"jobs\":[" + Samples.pending(id, name, "carol", "Priority", 1, 1) + "]}");
    }

    @Test
    void scancel_takes_the_jobs_of_a_reservation() {
        mesh.on(
                        "GET",
                        "/v1/jobs",
                        "{\"jobs\":[{\"id\":7,\"state\":\"PENDING\",\"reservation\":\"course\"},{\"id\":8,\"state\":\"PENDING\"}]}")
                .on("POST", "/v1/jobs/cancel", "{\"refused\":[]}");

        assertThat(new CommandRun(mesh).run("scancel", "-H", "--ctld", "-R", "course"))
                .isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests().getLast().body()).isEqualTo("{\"jobs\":[\"7\"]}");
    }

    @Test
    void scancel_ends_a_step_or_sends_it_a_signal() {
        mesh.on("POST", "/v1/jobs/17_4/signal", "{}").on("POST", "/v1/jobs/17/signal", "{}");

        assertThat(new CommandRun(mesh).run("scancel", "-v", "17_4.0"))
                .isEqualTo(new Outcome(0, "", "scancel: Terminating step 17_4.0\n"));
        assertThat(new CommandRun(mesh).run("scancel", "-s", "USR1", "17.3,17.batch").err())
                .isEmpty();
        assertThat(new CommandRun(mesh).run("scancel", "17.extern").err())
                .isEqualTo("scancel: error: 17.extern: there is no such step\n");
        assertThat(new CommandRun(mesh).run("scancel", "-u", "bob", "17.0").err())
                .isEqualTo("scancel: error: a step is named alone, without filters: 17.0\n");
        assertThat(mesh.requests())
                .extracting(it -> it.method() + " " + it.path())
                .containsExactly(
                        "POST /v1/jobs/17_4/signal?signal=KILL&step=0",
                        "POST /v1/jobs/17/signal?signal=USR1&step=3",
                        "POST /v1/jobs/17/signal?signal=USR1&target=batch");
    }

    @Test
    void scancel_asks_before_each_job() {
        mesh.on("GET", "/v1/jobs", listed(1018, "j_carol"), listed(1023, "dep"))
                .on("DELETE", "/v1/jobs/1023", new Reply(202, ""));

        Outcome outcome =
                new CommandRun(mesh).input("no\nperhaps\nY\n").run("scancel", "-i", "1018", "1023");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                "Cancel job_id=1018 name=j_carol partition=training [y/n]? "
                                        + "Cancel job_id=1023 name=dep partition=training [y/n]? "
                                                .repeat(2),
                                ""));
        assertThat(mesh.requests())
                .extracting(it -> it.method() + " " + it.path())
                .containsExactly(
                        "GET /v1/jobs?job=1018", "GET /v1/jobs?job=1023", "DELETE /v1/jobs/1023");
    }

    @Test
    void scancel_cancels_nothing_more_when_nobody_answers() {
        mesh.on("GET", "/v1/jobs", listed(1018, "j_carol"));

        assertThat(new CommandRun(mesh).input("").run("scancel", "-i", "1018", "1023").exitCode())
                .isOne();
        assertThat(mesh.requests()).extracting(Request::method).containsExactly("GET");
    }

    @Test
    void only_jobs_that_match_every_filter_are_cancelled() {
        mesh.on("GET", "/v1/jobs", Samples.queue()).on("POST", CANCEL, NONE_REFUSED);

        new CommandRun(mesh).run("scancel", "-u", "carol", "-t", "PENDING", "-n", "j_carol");

        assertThat(mesh.requests())
                .extracting(it -> it.path() + it.body())
                .containsExactly(
                        "/v1/jobs?state=PENDING&user=carol", CANCEL + "{\"jobs\":[\"1018\"]}");
    }

    @Test
    void jobs_on_the_nodes_of_a_host_list_are_cancelled() {
        mesh.on("GET", "/v1/jobs", Samples.queue()).on("POST", CANCEL, NONE_REFUSED);

        new CommandRun(mesh).run("scancel", "-w", "node[03-04]");

        assertThat(mesh.requests()).extracting(Request::path).containsExactly("/v1/jobs", CANCEL);
    }

    @Test
    void the_first_task_of_an_array_is_cancelled_alone() {
        mesh.on("GET", "/v1/jobs", "{\"jobs\":[" + Samples.task(0) + "," + Samples.task(1) + "]}")
                .on("POST", CANCEL, NONE_REFUSED);

        new CommandRun(mesh).run("scancel", "-t", "PENDING");

        assertThat(mesh.requests().getLast().body()).isEqualTo("{\"jobs\":[\"1030_0\",\"1031\"]}");
    }

    @Test
    void my_jobs_are_nobody_elses_whomever_the_environment_names() {
        mesh.on("GET", "/v1/jobs", Samples.queue());

        new CommandRun(mesh).with("SCANCEL_USER", "carol").run("scancel", "--me");

        assertThat(mesh.requests().getFirst().path()).doesNotContain("carol");
    }

    @Test
    void a_task_of_an_array_that_is_not_there_is_no_error() {
        mesh.on("POST", CANCEL, refused("17_3", 404, "job_not_found"));

        assertThat(new CommandRun(mesh).run("scancel", "17_3", "17_0"))
                .isEqualTo(new Outcome(0, "", ""));
    }

    @Test
    void another_users_job_stays_and_that_is_said() {
        mesh.on("POST", CANCEL, refused("17", 403, "not_allowed"));

        assertThat(new CommandRun(mesh).run("scancel", "17"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "scancel: error: Kill job error on job id 17:"
                                        + " Access/permission denied\n"));
    }

    @Test
    void a_token_is_for_a_name_that_a_user_can_have() {
        assertThat(new CommandRun().run("token", "a b").err())
                .isEqualTo(
                        "token: error: no user is named 'a b': a name has up to 64 letters, digits and ._@-\n");
    }

    @Test
    void the_parts_of_a_priority_do_not_exceed_it() {
        mesh.on(
                "GET",
                "/v1/jobs/17/why",
                """
                {"job":17,"state":"PENDING","reason":"Priority",
                 "priority":{"total":1666.67,"age":0,"fairShare":1666.67}}
                """);

        assertThat(new CommandRun(mesh).run("why", "17").out())
                .contains("Priority 1666 = age 0 + fairShare 1666\n");
    }

    @Test
    void a_pending_job_is_explained() {
        mesh.on(
                "GET",
                "/v1/jobs/17/why",
                """
                {"job":17,"state":"PENDING","reason":"Priority","explanation":"Two jobs are ahead.",
                 "position":3,"ahead":2,"first":[{"job":12,"user":"bob"}],
                 "holders":[{"job":9,"user":"carol","until":1790000000000},{"job":8,"user":"bob","until":1790000060000}],
                 "priority":{"total":4253.4,"age":12.2,"fairShare":4000,
                 "jobSize":241.2,"partition":0,"qos":0,"nice":50}}
                """);

        assertThat(new CommandRun(mesh).run("why", "17").out())
                .isEqualTo(
                        """
                        Job 17 is PENDING (Priority)
                        Two jobs are ahead.
                        Position 3 in the queue, 2 ahead: 12 (bob) and 1 more.
                        Priority 4253 = age 12 + fairShare 4000 + jobSize 241 + partition 0 + qos 0 - nice 50
                        Waits for the end of 9 (carol) by 2026-09-21T14:13:20, 8 (bob) by 2026-09-21T14:14:20.
                        """);
    }

    @Test
    void gpus_that_are_or_will_be_divided_for_a_job_are_named() {
        mesh.on(
                "GET",
                "/v1/jobs/17/why",
                """
                {"job":17,"state":"PENDING","reason":"Resources","explanation":"No room.",
                 "draining":[{"node":"n2","gpu":1}],
                 "dividing":[{"node":"n1","gpu":3,"into":"7x1g.10gb"}]}
                """);

        assertThat(new CommandRun(mesh).run("why", "17").out())
                .isEqualTo(
                        """
                        Job 17 is PENDING (Resources)
                        No room.
                        GPU 1 of n2 runs empty for it, and is divided then.
                        GPU 3 of n1 is being divided into 7x1g.10gb.
                        """);
    }

    @Test
    void a_component_of_a_heterogeneous_job_is_told_which_one_finds_no_nodes() {
        mesh.on(
                "GET",
                "/v1/jobs/18/why",
                """
                {"job":18,"state":"PENDING","reason":"Resources","explanation":"No room.",
                 "together":{"job":17,"size":3,"unseated":19}}
                """);

        assertThat(new CommandRun(mesh).run("why", "18").out())
                .contains(
                        "Component 17+1 of a heterogeneous job of 3: they start together, and 17+2"
                                + " finds no nodes now.\n");
    }

    @Test
    void a_pending_job_is_told_what_would_start_it() {
        mesh.on(
                "GET",
                "/v1/jobs/17/why",
                """
                {"job":17,"state":"PENDING","reason":"Resources","explanation":"It is next.",
                 "plannedStart":1790000000000,"packing":"fgd",
                 "stages":[{"question":"REGISTERED","nodes":4,"gpus":9},
                  {"question":"PARTITION","nodes":4,"gpus":9},{"question":"SIZE","nodes":2,"gpus":2},
                  {"question":"FREE","nodes":0,"gpus":0},{"question":"UNPLANNED","nodes":0,"gpus":0}],
                 "changes":[{"axis":"GPUS","from":"8","to":"5"},
                  {"axis":"TIME_LIMIT","from":"0","to":"5400"},
                  {"axis":"LEVEL","from":"rack","to":"row"},
                  {"axis":"LEVEL","from":"rack","to":"any"},
                  {"axis":"GPUS_IN_ALL","from":"12","to":"5"},
                  {"axis":"GPU_TYPE","from":"a100","to":"any"},
                  {"axis":"GPU_MEMORY","from":"60000","to":"40960"},
                  {"axis":"SWITCHES","from":"1","to":"2"},
                  {"axis":"SEGMENT","from":"4","to":"2"}]}
                """);

        assertThat(new CommandRun(mesh).run("why", "17").out())
                .isEqualTo(
                        """
                        Job 17 is PENDING (Resources)
                        It is next.
                        Expected to start by 2026-09-21T14:13:20.
                        Of nodes that are as good it takes one by the policy fgd.
                        Nodes: 4 registered (9 GPUs free), 2 large enough (2 GPUs free), 0 with room now.
                        It would start now with one of these:
                          5 GPUs a node instead of 8
                          a time limit of 01:30:00 instead of no end
                          nodes in one row instead of one rack
                          any nodes instead of those in one rack
                          5 GPUs in all instead of 12
                          GPUs of any type instead of a100
                          GPUs of 40960 MiB at least instead of 60000
                          2 switches instead of 1
                          segments of 2 nodes instead of segments of 4
                        """);
    }

    @Test
    void a_pending_job_is_told_whose_place_it_needs_and_who_is_exempt() {
        mesh.on(
                "GET",
                "/v1/jobs/17/why",
                """
                {"job":17,"state":"PENDING","reason":"Resources","explanation":"It is next.",
                 "preemption":{
                  "victims":[{"job":3},{"job":4},{"job":9,"exemption":"EXEMPT_TIME","until":1790000000000}],
                  "exempt":[{"exemption":"NOT_BELOW","jobs":12,"named":[1,2]},
                   {"exemption":"MODE_OFF","jobs":1,"named":[6]}]}}
                """);

        assertThat(new CommandRun(mesh).run("why", "17").out())
                .isEqualTo(
                        """
                        Job 17 is PENDING (Resources)
                        It is next.
                        Preempts jobs 3, 4.
                        Needs the place of job 9 (exempt until 2026-09-21T14:13:20).
                        Not preempted: jobs 1, 2 and 10 more (of no lower standing), job 6 (never preempted).
                        """);
    }

    @Test
    void the_output_of_a_job_is_copied() {
        mesh.on("GET", "/v1/jobs/17", job(17, "COMPLETED", Path.of("/nowhere")));
        mesh.on("GET", "/v1/jobs/17/output", "\u001b[1mhello\n");

        assertThat(new CommandRun(mesh).run("logs", "-e", "17").out())
                .isEqualTo("\u001b[1mhello\n");
        assertThat(mesh.requests().getLast().path()).endsWith("?stream=err&offset=0&follow=false");
    }

    @Test
    void what_is_cut_off_is_gone_on_with_as_long_as_that_brings_more() {
        mesh.on("GET", "/v1/jobs/17", job(17, "COMPLETED", Path.of("/nowhere")));
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.cutOff("one\n"),
                Reply.problem(503, "unavailable", "node gpu-01 does not answer"),
                Reply.cutOff("two\n"),
                new Reply(200, "three\n"));
        var run = new CommandRun(mesh);

        assertThat(run.run("logs", "17")).isEqualTo(new Outcome(0, "one\ntwo\nthree\n", ""));
        assertThat(mesh.requests().getLast().path()).endsWith("offset=8&follow=false");
        assertThat(run.pauses()).hasSize(3);
    }

    @Test
    void what_is_cut_off_for_good_is_an_error() {
        mesh.on("GET", "/v1/jobs/17", job(17, "COMPLETED", Path.of("/nowhere")));
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.cutOff("one\n"),
                Reply.problem(404, "output_not_found", "the file is gone"));

        Outcome outcome = new CommandRun(mesh).run("logs", "17");

        assertThat(outcome).isEqualTo(new Outcome(1, "one\n", "logs: error: the file is gone\n"));
        assertThat(mesh.requests()).hasSize(3);
    }

    /// Those of job 17, one after the other.
    private void states(String... inTurn) {
        mesh.on(
                "GET",
                "/v1/jobs/17",
                Stream.of(inTurn)
                        .map(it -> new Reply(200, job(17, it, Path.of("/nowhere"))))
                        .toArray(Reply[]::new));
    }

    @Test
    void following_goes_on_where_it_was_cut_off_until_the_job_has_ended() {
        states("RUNNING", "RUNNING", "RUNNING", "COMPLETED");
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.problem(404, "output_not_found", "job 17 has not started"),
                new Reply(200, "hello\n"),
                Reply.problem(503, "unavailable", "node gpu-01 does not answer"),
                new Reply(200, "bye\n"));
        var run = new CommandRun(mesh);

        assertThat(run.run("logs", "-f", "17").out()).isEqualTo("hello\nbye\n");
        assertThat(run.pauses()).hasSize(3);
        assertThat(mesh.requests().getLast().path()).endsWith("offset=6&follow=true");
    }

    @Test
    void following_says_once_what_it_waits_for() {
        states("PENDING", "PENDING", "RUNNING", "COMPLETED");
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.problem(404, "output_not_found", "job 17 has not started"),
                Reply.problem(404, "output_not_found", "job 17 has not started"),
                new Reply(200, "hello\n"));

        Outcome outcome = new CommandRun(mesh).run("logs", "-f", "17");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEqualTo("logs: job 17 has not started: waiting\n");
    }

    @Test
    void following_a_job_that_has_ended_ends_though_its_node_is_down() {
        mesh.on("GET", "/v1/jobs/17", job(17, "COMPLETED", Path.of("/nowhere")));
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.problem(503, "unavailable", "node gpu-01 does not answer"));
        var run = new CommandRun(mesh);

        Outcome outcome = run.run("logs", "-f", "17");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .isEqualTo(
                        """
                        logs: node gpu-01 does not answer: waiting
                        logs: error: node gpu-01 does not answer
                        """);
        assertThat(run.pauses()).hasSize(2);
    }

    @Test
    @Timeout(30)
    void no_more_is_read_than_someone_takes() {
        mesh.on("GET", "/v1/jobs/17", job(17, "RUNNING", Path.of("/nowhere")));
        mesh.on("GET", "/v1/jobs/17/output", Reply.ENDLESS);
        var gone =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };

        assertThat(new CommandRun(mesh).out(gone).run("logs", "17").exitCode()).isZero();
        assertThat(new CommandRun(mesh).out(gone).run("logs", "-f", "17").exitCode()).isZero();
    }

    @Test
    void a_job_without_output_is_told_so() {
        mesh.on("GET", "/v1/jobs/17", job(17, "PENDING", Path.of("/nowhere")));
        mesh.on(
                "GET",
                "/v1/jobs/17/output",
                Reply.problem(404, "output_not_found", "job 17 has not started"));

        Outcome outcome = new CommandRun(mesh).run("logs", "17");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).isEqualTo("logs: error: job 17 has not started\n");
    }

    @Test
    void scontrol_tells_programs_a_token_a_new_one_where_the_key_is_there() throws Exception {
        KeyPair pair = keyPair();
        assertThat(new CommandRun().with("BERTH_TOKEN", "a.b.c").run("scontrol", "token").out())
                .isEqualTo("SLURM_JWT=a.b.c\n");
        Outcome notHis = new CommandRun().run("scontrol", "token", "lifespan=60");
        writeKey(pair);
        CommandRun mesh = new CommandRun().with("BERTH_HOME", folder.toString());

        String line = mesh.run("scontrol", "token", "lifespan=60", "username=bob").out().strip();

        JsonObject claims =
                JsonObject.read(
                        Base64.getUrlDecoder()
                                .decode(line.replace("SLURM_JWT=", "").split("\\.", -1)[1]));
        assertThat(claims.text("sub")).isEqualTo("bob");
        assertThat(claims.texts("groups")).contains("user").doesNotContain("admin");
        assertThat(claims.number("exp") - claims.number("iat")).isEqualTo(60);
        assertThat(notHis.err()).contains("for who may read the mesh's key");
        assertThat(mesh.run("scontrol", "token", "lifespan=soon").err())
                .isEqualTo("scontrol: error: Invalid lifespan: soon\n");
    }

    @Test
    void a_token_is_signed_so_that_the_public_key_verifies_it() throws Exception {
        KeyPair pair = keyPair();
        writeKey(pair);

        String jwt =
                new CommandRun()
                        .with("BERTH_HOME", folder.toString())
                        .run(
                                "token",
                                "bob",
                                "--groups",
                                "lab,chemistry",
                                "--lifetime",
                                "1-0",
                                "--scope",
                                "read")
                        .out()
                        .strip();

        String[] parts = jwt.split("\\.", -1);
        Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
        verifier.initVerify(pair.getPublic());
        verifier.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        assertThat(verifier.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
        JsonObject claims = JsonObject.read(Base64.getUrlDecoder().decode(parts[1]));
        assertThat(claims.text("iss")).isEqualTo("berth");
        assertThat(claims.text("sub")).isEqualTo("bob");
        assertThat(claims.texts("groups")).containsExactly("user", "lab", "chemistry");
        assertThat(claims.number("exp") - claims.number("iat")).isEqualTo(86_400);
        assertThat(claims.number("iat")).isEqualTo(CommandRun.NOW / 1000);
        assertThat(claims.text("scope")).isEqualTo("berth:read");
        assertThat(new CommandRun().run("token", "bob", "--scope", "all").err())
                .isEqualTo("token: error: --scope=all is none of read, submit and operate\n");
    }

    @Test
    void groups_make_nobody_an_operator() {
        assertThat(new CommandRun().run("token", "bob", "--groups", "lab,operator").err())
                .isEqualTo(
                        "token: error: group operator is given by --operator, not by --groups\n");
        assertThat(new CommandRun().run("token", "bob", "-g", "admin").err())
                .isEqualTo("token: error: group admin is given by --admin, not by --groups\n");
    }

    /// A token with these claims that nobody signed.
    static String unsigned(String claims) {
        Base64.Encoder url = Base64.getUrlEncoder().withoutPadding();
        return "e30." + url.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + ".x";
    }

    private void writeKey(KeyPair pair) throws IOException {
        Files.createDirectories(folder.resolve("keys"));
        Files.writeString(
                folder.resolve("keys/token-private.pem"),
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
    }

    private static KeyPair keyPair() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    @Test
    void without_the_meshs_key_no_token_is_made() {
        Outcome outcome =
                new CommandRun().with("BERTH_HOME", folder.toString()).run("token", "bob");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).startsWith("token: error: cannot read the mesh's key ");
    }

    @Test
    void a_mesh_that_is_down_is_said_in_one_line() {
        mesh.close();

        Outcome outcome = new CommandRun(mesh).run("squeue");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .matches(
                        "squeue: error: no answer from http://127.0.0.1:\\d+/v1/jobs \\(connection"
                                + " refused\\): is the mesh up\\? \\('berth up'\\)\n");
    }

    @Test
    void an_unknown_option_or_command_is_refused() {
        assertThat(new CommandRun().run("squeue", "--bogus"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "squeue: unrecognized option '--bogus'\n"
                                        + "Try \"squeue --help\" for more information\n"));
        assertThat(new CommandRun().run("frobnicate").err())
                .isEqualTo("berth: error: 'frobnicate' is no command; 'berth help' lists them\n");
    }

    @Test
    void a_cluster_is_reconfigured_by_admins_and_there_is_nothing_to_do() {
        mesh.on("GET", "/v1/partitions", "{\"partitions\":[]}");
        String alice = "e30.eyJ1cG4iOiJhbGljZSIsImdyb3VwcyI6WyJ1c2VyIl19.x";

        assertThat(new CommandRun(mesh).run("scontrol", "reconfigure"))
                .isEqualTo(new Outcome(0, "", ""));
        assertThat(new CommandRun(mesh).with("BERTH_TOKEN", alice).run("scontrol", "reconfigure"))
                .isEqualTo(
                        new Outcome(1, "", "slurm_reconfigure error: Access/permission denied\n"));
    }

    @Test
    void every_command_has_its_help() {
        for (String command : Main.names()) {
            assertThat(new CommandRun().run(command, "--help").out())
                    .startsWith("usage: " + command + " ");
        }
        assertThat(new CommandRun().run("sbatch", "--help").out()).contains("-N, --nodes=VALUE");
        assertThat(new CommandRun().run("help").out()).contains(Main.names());
        assertThat(new CommandRun().run("help", "squeue"))
                .isEqualTo(new CommandRun().run("squeue", "--help"));
        assertThat(new CommandRun().run("help", "frobnicate").err()).contains("is no command");
        for (String command : List.of("scontrol", "sacctmgr")) {
            assertThat(new CommandRun().run(command, "help"))
                    .isEqualTo(new CommandRun().run(command, "--help"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sbatch", "srun", "salloc"})
    void every_option_of_a_job_or_a_step_says_what_it_is_for(String command) {
        String help = new CommandRun().run(command, "--help").out();

        assertThat(help.lines().filter(it -> it.contains("--")))
                .hasSizeGreaterThan(70)
                .allMatch(it -> it.matches("  (-., |    )--\\S+ +\\S.*"));
        assertThat(help).doesNotContain("](", "`").endsWith("docs/slurm-compatibility.md\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"squeue", "sinfo", "sprio", "sshare", "sdiag", "sacct"})
    void a_word_that_means_nothing_is_not_passed_over(String command) {
        assertThat(new CommandRun(mesh).run(command, "17"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "%1$s: error: Unrecognized option: 17\nTry \"%1$s --help\" for more information\n"
                                        .formatted(command)));
        assertThat(mesh.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scontrol      | scontrol: error: what is to be done? 'scontrol show job' or another; 'scontrol --help' lists them",
                "scontrol show | too few arguments for keyword:show",
                "console bob   | console: error: only who runs the mesh opens it for others or as an operator: leave out the user, --operator and --admin"
            })
    void who_does_not_say_enough_is_told_what_is_missing(String line, String message) {
        Outcome outcome = new CommandRun(mesh).run(line.split(" "));

        assertThat(outcome).isEqualTo(new Outcome(1, "", message + "\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @Test
    void who_does_not_run_the_mesh_opens_the_console_with_the_token_that_he_has() {
        assertThat(new CommandRun(mesh).with("BERTH_TOKEN", "a.b.c").run("console").out())
                .isEqualTo(mesh.url() + "/#token=a.b.c\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "squeue",
                "scancel",
                "sinfo",
                "sacct",
                "sprio",
                "sshare",
                "sdiag",
                "sstat",
                "sattach",
                "sbcast",
                "strigger"
            })
    void how_a_command_is_called_is_told(String command) {
        assertThat(new CommandRun().run(command, "--usage").out())
                .startsWith("Usage: " + command + " ");
    }

    @Test
    void the_training_run_succeeds() {
        assertThat(new CommandRun().run("--train-aot")).isEqualTo(new Outcome(0, "", ""));
    }
}
