package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.client.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class DryRunTest {

    private static final String START =
            """
            {"simulated":true,"partition":"training",
             "start":{"job":654618,"at":1790000000000,"nodes":"node01","cpus":1,"reason":"Resources"}}
            """;
    private static final String CHANGED =
            """
            {"simulated":true,"partition":"training",
             "start":{"job":17,"at":1790000000000,"nodes":"node[01-02]","cpus":16,"reason":"None"},
             "otherwise":{"job":17,"cpus":16,"reason":"Resources"}}
            """;

    private final FakeMesh mesh = new FakeMesh().on("POST", "/v1/simulate", START);

    @TempDir private Path folder = Path.of("");

    @AfterEach
    void close() {
        mesh.close();
    }

    private JsonObject asked() throws IOException {
        return JsonObject.read(mesh.requests().getFirst().body().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void sbatch_test_only_prints_slurms_line_and_submits_nothing() throws IOException {
        Outcome outcome = new CommandRun(mesh).run("sbatch", "--test-only", "--wrap", "true");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                "",
                                "sbatch: Job 654618 to start at 2026-09-21T14:13:20 using 1 processors"
                                        + " on nodes node01 in partition training\n"));
        assertThat(mesh.requests()).hasSize(1);
        assertThat(asked().object("submit").text("script")).contains("true");
    }

    @Test
    void srun_test_only_asks_the_same_and_says_it_by_its_own_name() throws IOException {
        Outcome outcome = new CommandRun(mesh).run("srun", "--test-only", "-n1", "--pty", "bash");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                "",
                                "srun: Job 654618 to start at 2026-09-21T14:13:20 using 1 processors"
                                        + " on nodes node01 in partition training\n"));
        assertThat(mesh.requests()).hasSize(1);
        assertThat(asked().object("submit").text("name")).isEqualTo("bash");
    }

    @Test
    void components_are_asked_for_one_by_one_and_the_latest_start_is_told() {
        mesh.on(
                "POST",
                "/v1/simulate",
                new Reply(200, START),
                new Reply(
                        200, START.replace("1790000000000", "1790000060000").replace("01", "02")));

        Outcome outcome =
                new CommandRun(mesh)
                        .run("sbatch", "--test-only", "-n1", ":", "-n1", "--wrap", "true");

        assertThat(outcome.err())
                .isEqualTo(
                        "sbatch: Job 654618 to start at 2026-09-21T14:14:20 using 2 processors"
                                + " on nodes node01,node02 in partition training\n");
    }

    static List<Reply> tooLarge() {
        return List.of(
                Reply.problem(422, "node_configuration_unavailable", "too large"),
                new Reply(
                        200,
                        """
                        {"simulated":true,"partition":"training",
                         "start":{"job":17,"cpus":9,"reason":"BadConstraints"}}
                        """));
    }

    @ParameterizedTest
    @MethodSource("tooLarge")
    void sbatch_test_only_fails_as_slurm_does_where_the_nodes_could_never_hold_the_job(
            Reply reply) {
        mesh.on("POST", "/v1/simulate", reply);

        assertThat(new CommandRun(mesh).run("sbatch", "--test-only", "-N9", "--wrap", "true"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "allocation failure: Requested node configuration is not available\n"));
    }

    @Test
    void a_job_that_would_end_before_it_starts_is_told_so() {
        String never = "{\"job\":17,\"cpus\":1,\"reason\":\"DeadLine\"}";
        mesh.on(
                "POST",
                "/v1/simulate",
                "{\"simulated\":true,\"partition\":\"training\",\"start\":" + never + "}");
        String said =
                "no start is foreseen before its deadline, or before it has waited as long as it may\n";

        assertThat(new CommandRun(mesh).run("sbatch", "--test-only", "--wrap", "true"))
                .isEqualTo(new Outcome(1, "", "sbatch: error: allocation failure: " + said));
        assertThat(new CommandRun(mesh).run("why", "17", "--drain=node03").out())
                .startsWith("Would start: " + said);
    }

    @Test
    void a_script_is_asked_about_with_its_options() throws IOException {
        Files.writeString(folder.resolve("x.sh"), "#!/bin/sh\n#SBATCH -N2 -t 60\n");

        Outcome outcome =
                new CommandRun(mesh).in(folder).run("why", "--dry-run", "--time", "10", "x.sh");

        assertThat(outcome.out())
                .isEqualTo(
                        """
                        Would start: 2026-09-21T14:13:20 on node01, 1 CPUs (Resources)
                        Simulated: every run lasts as long as its limit, nothing comes in.
                        """);
        assertThat(asked().object("submit").number("nodes")).isEqualTo(2);
        assertThat(asked().object("submit").number("timeLimitSeconds")).isEqualTo(600);
    }

    @Test
    void a_waiting_job_is_asked_about_with_what_would_be_different() throws IOException {
        mesh.on("POST", "/v1/simulate", CHANGED);

        Outcome outcome =
                new CommandRun(mesh)
                        .run("why", "17", "--drain=node03", "--add-nodes=4:node01", "-t", "30");

        assertThat(outcome.out())
                .isEqualTo(
                        """
                        Would start: 2026-09-21T14:13:20 on node[01-02], 16 CPUs
                        As things are: no start is foreseen (Resources)
                        Simulated: every run lasts as long as its limit, nothing comes in.
                        """);
        assertThat(asked().text("job")).isEqualTo("17");
        assertThat(asked().text("drain")).isEqualTo("node03");
        assertThat(asked().object("change").number("timeLimitSeconds")).isEqualTo(1800);
        JsonObject more = asked().objects("add").getFirst();
        assertThat(more.text("like")).isEqualTo("node01");
        assertThat(more.number("count")).isEqualTo(4);
    }

    @Test
    void what_is_wrong_is_named() {
        assertThat(new CommandRun(mesh).run("why", "17", "--add-nodes=node01").err())
                .isEqualTo(
                        "why: error: --add-nodes takes COUNT:NODE such as 4:node01, not 'node01'\n");
        assertThat(new CommandRun(mesh).run("why", "17", "--time=soon").err())
                .isEqualTo("why: error: Invalid --time specification\n");
        assertThat(new CommandRun(mesh).run("why", "--dry-run").err())
                .isEqualTo("why: error: which script? Give its name\n");
    }
}
