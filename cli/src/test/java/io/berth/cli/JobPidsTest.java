package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `scontrol listpids`.
final class JobPidsTest {

    @TempDir Path proc = Path.of("");

    private void process(String pid, String... variables) throws IOException {
        Path folder = Files.createDirectory(proc.resolve(pid));
        Files.writeString(folder.resolve("environ"), String.join("\0", variables) + "\0");
    }

    private void cluster() throws IOException {
        String node = "SLURMD_NODENAME=gpu1";
        process("310", node, "SLURM_JOB_ID=17", "SLURM_LOCALID=0", "SLURM_PROCID=0");
        process(
                "42",
                node,
                "SLURM_JOB_ID=17",
                "SLURM_STEP_ID=0",
                "SLURM_LOCALID=1",
                "SLURM_PROCID=3");
        process("50", node, "SLURM_JOB_ID=18", "SLURM_STEP_ID=2");
        process("60", "SLURM_JOB_ID=19", "HOME=/home/alice");
        process("70", "HOME=/root");
        process("self", node, "SLURM_JOB_ID=99");
        Files.createDirectory(proc.resolve("80"));
    }

    @Test
    void each_process_of_a_job_has_a_line_with_its_step_and_task() throws Exception {
        cluster();

        assertThat(new JobPids(proc).table(List.of()))
                .isEqualTo(
                        """
                        PID      JOBID    STEPID   LOCALID GLOBALID
                        42       17       0        1       3       \s
                        310      17       batch    0       0       \s
                        50       18       2        -       -       \s
                        """
                                .replace("        \n", "       \n"));
    }

    @ParameterizedTest
    @CsvSource({"*, 42 310 50", "17, 42 310", "17.0, 42", "17.batch, 310", "18, 50"})
    void a_job_or_a_step_is_picked_out(String asked, String pids) throws Exception {
        cluster();

        String table = new JobPids(proc).table(List.of(asked));

        assertThat(table.lines().skip(1).map(it -> it.split(" ")[0]))
                .containsExactly(pids.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "19, Job 19 does not exist on this node.",
        "17.5, Job step 17.5 does not exist on this node.",
        "abc, Invalid job id: abc"
    })
    void what_is_not_there_is_said(String asked, String message) throws Exception {
        cluster();

        assertThatThrownBy(() -> new JobPids(proc).table(List.of(asked)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(message);
    }

    @Test
    void what_a_process_says_of_itself_does_nothing_to_a_terminal() throws Exception {
        process("7", "SLURMD_NODENAME=gpu1", "SLURM_JOB_ID=17", "SLURM_LOCALID=\u001b[2J\n8");

        String table = new JobPids(proc).table(List.of("17"));

        assertThat(table).doesNotContain("\u001b").hasLineCount(2);
    }

    @Test
    void a_machine_without_jobs_says_so() {
        assertThatThrownBy(() -> new JobPids(proc).table(List.of("*")))
                .hasMessageContaining("No job steps exist on this node.");
    }
}
