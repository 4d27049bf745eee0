package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `sbcast` and `srun` say before anything is sent. The sending is tried with a mesh.
class SrunFilesTest {
    private final FakeMesh mesh = new FakeMesh();

    @TempDir private Path folder = Path.of("");

    @AfterEach
    void close() {
        mesh.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    sbcast model /tmp/x              | sbcast: error: Need a job id to run this command.  Run from within a Slurm job or use the --jobid option.
                    sbcast -j 17 gone /tmp/x         | sbcast: error: Can't open `gone`: No such file or directory
                    sbcast -j 17 . /tmp/x            | sbcast: error: Can't open `.`: Is a directory
                    sbcast -j 17_[1-2] model /tmp/x  | sbcast: error: Invalid --jobid specification: '17_[1-2]' is no job
                    sbcast -j 17 model /tmp/x        | sbcast: error: Slurm job ID 17 lookup error: Invalid job id specified
                    srun --bcast ./gone              | srun: error: Can't open `./gone`: No such file or directory
                    srun --bcast --pty ./model       | srun: error: --bcast is for one program on one component, without --multi-prog, --pty and --container
                    srun --bcast ./model : ./model   | srun: error: --bcast is for one program on one component, without --multi-prog, --pty and --container
                    srun --send-libs --bcast ./model | srun: error: --send-libs is not supported yet: libraries are not sent with --bcast
                    """)
    void what_cannot_be_is_said_in_one_line(String words, String line) throws IOException {
        Files.writeString(folder.resolve("model"), "x");
        mesh.on(
                "POST",
                "/v1/sessions",
                "{\"userPath\":\"/x\",\"userSecret\":\"s\",\"jobUrl\":\"u\",\"jobSecret\":\"t\"}");

        Outcome outcome = new CommandRun(mesh).in(folder).run(words.split(" "));

        assertThat(outcome).isEqualTo(new Outcome(1, "", line + "\n"));
        assertThat(mesh.requests()).noneMatch(it -> it.path().equals("/v1/jobs"));
    }

    @Test
    void what_srun_has_of_mpi_is_told_before_a_job_is_there() {
        assertThat(new CommandRun(mesh).run("srun", "--mpi=list"))
                .isEqualTo(new Outcome(0, "MPI plugin types are...\n\tnone\n", ""));
        assertThat(new CommandRun(mesh).run("srun", "--mpi=pmix", "./a.out"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "srun: error: --mpi=pmix is not there: only none. Start MPI with mpirun\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @Test
    void it_takes_two_names() {
        assertThat(new CommandRun(mesh).run("sbcast", "-j", "17", "model"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "Need two file names, have 1 names\nTry \"sbcast --help\" for more information\n"));
    }
}
