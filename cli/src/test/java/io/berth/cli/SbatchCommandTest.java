package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.cli.FakeMesh.Request;
import io.berth.client.JsonObject;
import io.berth.slurm.JobSubmission;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SbatchCommandTest {

    private static final Reply ACCEPTED = new Reply(201, "{\"id\":17,\"state\":\"PENDING\"}");
    private static final Reply BUSY = Reply.problem(503, "unavailable", "the log is away");
    private static final Reply OVERLOADED =
            Reply.problem(429, "too_many_requests", "the gateway already answers 1000 requests");

    private final FakeMesh mesh = new FakeMesh().on("POST", "/v1/jobs", ACCEPTED);

    @TempDir private Path folder = Path.of("");

    @AfterEach
    void close() {
        mesh.close();
    }

    private JsonObject submitted() throws IOException {
        return JsonObject.read(mesh.requests().getFirst().body().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void a_script_is_submitted_with_where_it_comes_from() throws IOException {
        Files.writeString(folder.resolve("train.sh"), "#!/bin/sh\n#SBATCH -N2 --gres=gpu:a100:4\n");

        Outcome outcome =
                new CommandRun(mesh)
                        .in(folder)
                        .with("HOSTNAME", "login1")
                        .with("FOO", "bar")
                        .run("sbatch", "-t", "10", "train.sh", "--epochs", "3");

        assertThat(outcome).isEqualTo(new Outcome(0, "Submitted batch job 17\n", ""));
        JsonObject job = submitted();
        assertThat(job.text("name")).isEqualTo("train.sh");
        assertThat(job.text("script")).startsWith("#!/bin/sh\n");
        assertThat(job.texts("arguments")).containsExactly("--epochs", "3");
        assertThat(job.text("user")).isEqualTo("alice");
        assertThat(job.text("workingDirectory")).isEqualTo(folder.toString());
        assertThat(job.text("submitHost")).isEqualTo("login1");
        assertThat(job.text("command")).isEqualTo(folder.resolve("train.sh") + " --epochs 3");
        assertThat(job.number("nodes")).isEqualTo(2);
        assertThat(job.number("gpusPerNode")).isEqualTo(4);
        assertThat(job.text("gpuType")).isEqualTo("a100");
        assertThat(job.number("timeLimitSeconds")).isEqualTo(600);
        assertThat(job.object("environment").text("FOO")).isEqualTo("bar");
    }

    @Test
    void the_token_authenticates_and_no_secret_is_handed_to_the_job() throws IOException {
        new CommandRun(mesh)
                .with("BERTH_TOKEN", "a.b.c")
                .with("BERTH_ALLOCATION", "/v1/sessions/x secret")
                .run("sbatch", "--wrap", "true");

        assertThat(mesh.requests().getFirst().header("Authorization")).isEqualTo("Bearer a.b.c");
        assertThat(submitted().object("environment").has("BERTH_TOKEN")).isFalse();
        assertThat(submitted().object("environment").has("BERTH_ALLOCATION")).isFalse();
        assertThat(submitted().has("user")).isFalse();
    }

    @Test
    void a_script_can_come_from_standard_input() throws IOException {
        new CommandRun(mesh).input("#!/bin/sh\ntrue\n").run("sbatch");

        assertThat(submitted().text("name")).isEqualTo("sbatch");
    }

    @Test
    void parsable_output_is_the_bare_id() {
        assertThat(new CommandRun(mesh).run("sbatch", "--parsable", "--wrap", "true").out())
                .isEqualTo("17\n");
        assertThat(new CommandRun(mesh).run("sbatch", "-Q", "--wrap", "true").out()).isEmpty();
    }

    @Test
    void an_attempt_without_an_outcome_is_repeated_under_the_same_key() {
        mesh.on("POST", "/v1/jobs", Reply.HANG_UP, BUSY, OVERLOADED, ACCEPTED);

        Outcome outcome = new CommandRun(mesh).run("sbatch", "--wrap", "true");

        assertThat(outcome.out()).isEqualTo("Submitted batch job 17\n");
        assertThat(outcome.err().lines()).hasSize(1);
        List<Request> requests = mesh.requests();
        assertThat(requests).hasSizeGreaterThanOrEqualTo(4);
        assertThat(requests)
                .extracting(request -> request.header("Idempotency-Key"))
                .doesNotContainNull()
                .containsOnly(requests.getFirst().header("Idempotency-Key"));
        assertThat(requests).extracting(Request::body).containsOnly(requests.getFirst().body());
    }

    @Test
    void a_token_that_is_not_accepted_is_told_at_once() {
        mesh.on("POST", "/v1/jobs", Reply.problem(401, "unauthorized", "the token has expired"));

        assertThat(new CommandRun(mesh).run("sbatch", "--wrap", "true"))
                .isEqualTo(new Outcome(1, "", "sbatch: error: the token has expired\n"));
        assertThat(mesh.requests()).hasSize(1);
    }

    @Test
    void two_submissions_have_two_keys() {
        new CommandRun(mesh).run("sbatch", "--wrap", "true");
        new CommandRun(mesh).run("sbatch", "--wrap", "true");

        assertThat(mesh.requests())
                .extracting(request -> request.header("Idempotency-Key"))
                .doesNotHaveDuplicates();
    }

    @Test
    void a_submission_is_sent_in_the_trace_that_the_shell_is_in() {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        new CommandRun(mesh).with("TRACEPARENT", trace).run("sbatch", "--wrap", "true");
        new CommandRun(mesh).run("sbatch", "--wrap", "true");

        assertThat(mesh.requests())
                .extracting(request -> request.header("traceparent"))
                .containsExactly(trace, null);
    }

    @Test
    void attempts_end_after_thirty_seconds() {
        mesh.on("POST", "/v1/jobs", BUSY);
        var run = new CommandRun(mesh);

        Outcome outcome = run.run("sbatch", "--wrap", "true");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .endsWith(
                        "sbatch: error: Batch job submission failed: Unable to contact the gateway:"
                                + " the log is away; the job may have been accepted: squeue tells\n");
        assertThat(run.pauses().stream().mapToLong(pause -> pause.toMillis()).sum())
                .isBetween(25_000L, 30_000L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "invalid_partition | invalid partition specified: nosuch"
                        + " | Batch job submission failed: Invalid partition name specified",
                "invalid_account | why | Batch job submission failed: Invalid account or"
                        + " account/partition combination specified",
                "invalid_qos | why | Batch job submission failed: Invalid qos specification",
                "node_configuration_unavailable | why | Batch job submission failed: Requested node"
                        + " configuration is not available",
                "not_allowed | why |"
            })
    void a_refusal_is_told_in_slurms_words(String code, String first, String second) {
        mesh.on("POST", "/v1/jobs", Reply.problem(422, code, "why"));

        Outcome outcome = new CommandRun(mesh).run("sbatch", "-p", "nosuch", "--wrap", "true");

        String lines =
                "sbatch: error: "
                        + first
                        + "\n"
                        + (second == null ? "" : "sbatch: error: " + second + "\n");
        assertThat(outcome).isEqualTo(new Outcome(1, "", lines));
    }

    @ParameterizedTest
    @CsvSource({
        "COMPLETED, CD, 0, 0, 0",
        "FAILED, F, 7, 0, 7",
        "FAILED, F, 0, 9, 1",
        "TIMEOUT, TO, 0, 15, 1",
        "CANCELLED, CA, 0, 0, 1"
    })
    void waiting_ends_with_the_jobs_own_code(
            String state, String code, int exitCode, int signal, int expected) {
        mesh.on(
                "GET",
                "/v1/jobs/17",
                new Reply(200, Samples.pending(17, "x", "alice", "Priority", 1, 1)),
                BUSY,
                Reply.HANG_UP,
                new Reply(200, Samples.ended(17, state, code, exitCode, signal)));

        Outcome outcome = new CommandRun(mesh).run("sbatch", "--wait", "--wrap", "true");

        assertThat(outcome.exitCode()).isEqualTo(expected);
        assertThat(outcome.out()).isEqualTo("Submitted batch job 17\n");
        assertThat(mesh.requests().get(1).header("Berth-Position")).isEqualTo("p7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/nosuch | 1 | sbatch: error: Unable to open file /nosuch",
                "--wrap true x.sh | 1 | sbatch: error: Script arguments not permitted with --wrap option",
                "-t abc --wrap true | 255 | sbatch: error: Invalid --time specification",
                "--network=x --wrap true | 1 | sbatch: error: --network is not supported yet"
            })
    void a_wrong_use_never_reaches_the_gateway(String words, int exitCode, String error) {
        Outcome outcome = new CommandRun(mesh).run(List.of(("sbatch " + words).split(" ")));

        assertThat(outcome).isEqualTo(new Outcome(exitCode, "", error + "\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @Test
    void without_a_token_one_line_says_what_to_do() {
        Outcome outcome =
                new CommandRun(mesh)
                        .without("BERTH_TOKEN")
                        .with("BERTH_HOME", folder.toString())
                        .run("squeue");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .startsWith("squeue: error: no token: set BERTH_TOKEN")
                .hasLineCount(1);
    }

    @Test
    void the_mesh_is_found_where_it_was_written_down() throws IOException {
        Files.writeString(folder.resolve("mesh.properties"), "url=" + mesh.url() + "\n");
        Files.writeString(folder.resolve("operator.token"), "a.b.c\n");

        Outcome outcome =
                new CommandRun()
                        .without("BERTH_TOKEN")
                        .with("BERTH_HOME", folder.toString())
                        .run("sbatch", "--wrap", "true");

        assertThat(outcome.out()).isEqualTo("Submitted batch job 17\n");
        assertThat(mesh.requests().getFirst().header("Authorization")).isEqualTo("Bearer a.b.c");
    }

    @Test
    void what_was_called_is_told_in_one_line_that_is_not_too_long() throws IOException {
        Files.writeString(folder.resolve("train.sh"), "#!/bin/sh\n");
        new CommandRun(mesh)
                .in(folder)
                .run("sbatch", "./train.sh", "a\nb\u001b[2J", "c".repeat(5000));

        String told = submitted().text("command");
        assertThat(told).startsWith(folder.resolve("train.sh") + " a?b?[2J ccc");
        assertThat(told.length()).isLessThanOrEqualTo(JobSubmission.MAX_COMMAND);
    }

    @Test
    void of_a_script_without_a_file_nothing_is_told() throws IOException {
        new CommandRun(mesh).in(folder).run("sbatch", "--wrap", "true");

        assertThat(submitted().has("command")).isFalse();
    }

    @Test
    void components_are_submitted_in_one_request() throws IOException {
        Outcome outcome =
                new CommandRun(mesh)
                        .run("sbatch", "-n1", "-c32", ":", "-n8", "-G8", "--wrap", "true");

        assertThat(outcome).isEqualTo(new Outcome(0, "Submitted batch job 17\n", ""));
        assertThat(submitted().number("tasks")).isEqualTo(1);
        JsonObject second = submitted().objects("components").getFirst();
        assertThat(second.number("tasks")).isEqualTo(8);
        assertThat(second.number("gpus")).isEqualTo(8);
        assertThat(List.of("script", "environment", "user", "workingDirectory", "submitHost"))
                .noneMatch(second::has);
    }
}
