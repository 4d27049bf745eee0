package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `salloc --no-shell`. An allocation with a shell is tried with a mesh.
class SallocTest {
    private final FakeMesh mesh = new FakeMesh();

    @AfterEach
    void close() {
        mesh.close();
    }

    private static Reply job(String state) {
        return new Reply(200, "{\"id\":17,\"state\":\"%s\",\"nodes\":2}".formatted(state));
    }

    @Test
    void without_a_shell_it_waits_for_the_nodes_and_leaves_a_job_that_holds_them() {
        mesh.on("POST", "/v1/jobs", new Reply(201, "{\"id\":17}"));
        mesh.on("GET", "/v1/jobs/17", job("PENDING"), job("RUNNING"));

        Outcome outcome = new CommandRun(mesh).run("salloc", "--no-shell", "-N2", "-t", "60");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                "",
                                """
                                salloc: Pending job allocation 17
                                salloc: job 17 queued and waiting for resources
                                salloc: job 17 has been allocated resources
                                salloc: Granted job allocation 17
                                """));
        assertThat(mesh.requests())
                .noneMatch(it -> it.path().equals("/v1/sessions"))
                .first()
                .satisfies(it ->
                        assertThat(it.body())
                                .contains("sleep infinity", "\"no-shell\"")
                                .doesNotContain("BERTH_SESSION"));
    }

    @Test
    void a_job_that_ends_while_it_waits_is_no_allocation() {
        mesh.on("POST", "/v1/jobs", new Reply(201, "{\"id\":17}"));
        mesh.on("GET", "/v1/jobs/17", job("CANCELLED"));

        assertThat(new CommandRun(mesh).run("salloc", "-Q", "--no-shell"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "salloc: error: Job allocation 17 has been revoked: CANCELLED\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --no-shell true           | --no-shell runs no program here: srun --jobid runs one there
                    --no-shell --container=x  | --container is for the steps of a shell, and --no-shell has none: give it to srun --jobid
                    --no-shell --immediate=x  | invalid number of seconds: --immediate=x
                    """)
    void what_it_cannot_do_is_said_before_a_job_is_there(String words, String why) {
        assertThat(new CommandRun(mesh).run(("salloc " + words).split(" ")))
                .isEqualTo(new Outcome(1, "", "salloc: error: " + why + "\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "srun -N3 -n2 hostname, srun",
        "salloc -N3 -n2 true, salloc",
        "salloc -N3 -n2 --no-shell, salloc"
    })
    void fewer_tasks_than_nodes_are_told_by_the_commands_own_name(String words, String name) {
        mesh.on("POST", "/v1/sessions", Reply.problem(503, "no", "no"));
        mesh.on("POST", "/v1/jobs", Reply.problem(400, "no", "no"));

        assertThat(new CommandRun(mesh).run(words.split(" ")).err())
                .startsWith(
                        name + ": Warning: can't run 2 processes on 3 nodes, setting nnodes to 2\n")
                .containsOnlyOnce("Warning");
        assertThat(new CommandRun(mesh).run(words.replace("-N3", "-Q -N3").split(" ")).err())
                .doesNotContain("Warning");
    }
}
