package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.slurm.SrunOption.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SrunCommandLineTest {
    private static SrunCommandLine of(String... words) throws InvalidOption {
        return SrunCommandLine.srun(List.of(words), Map.of()).getFirst();
    }

    @Test
    void options_go_to_the_job_to_the_step_or_to_srun_and_the_rest_is_the_command()
            throws InvalidOption {
        SrunCommandLine line =
                of("-n2", "-G", "a100:2", "-l", "--pty", "-o", "out-%t", "python", "-u", "x.py");

        assertThat(line.job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactly("ntasks=2", "gpus=a100:2");
        assertThat(line.step()).containsExactly("--label", "--output=out-%t");
        assertThat(line.own()).containsExactly(Map.entry(Setting.PTY, ""));
        assertThat(line.command()).containsExactly("python", "-u", "x.py");
    }

    @Test
    void a_job_whose_tasks_share_cpus_has_those_of_one_task_on_each_node() throws InvalidOption {
        SrunCommandLine line = of("-O", "-n4", "-n8", "-N2", "-c3", "--tasks-per-node=4", "true");

        assertThat(line.job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactly("nodes=2", "cpus-per-task=3");
        assertThat(line.step()).containsExactly("--overcommit", "--ntasks=8");
        assertThat(of("-O", "-nx", "true").job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactly("ntasks=x");
        assertThat(of(Map.of("SLURM_OVERCOMMIT", "1"), "true").step())
                .containsExactly("--overcommit");
    }

    private static SrunCommandLine of(Map<String, String> environment, String... words)
            throws InvalidOption {
        return SrunCommandLine.srun(List.of(words), environment).getFirst();
    }

    @Test
    void variables_give_what_the_words_do_not() throws InvalidOption {
        var environment =
                Map.of(
                        "SLURM_PARTITION", "batch",
                        "SLURM_GPUS", "2",
                        "SLURM_NPROCS", "4",
                        "SLURM_MEM_PER_CPU", "1G",
                        "SLURM_LABELIO", "1",
                        "SLURM_OVERLAP", "0",
                        "SLURM_ACCOUNT", "",
                        "SLURM_JOB_ID", "17");

        SrunCommandLine line = of(environment, "-G1", "--mem=8G", "hostname");

        assertThat(line.job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactlyInAnyOrder("gpus=1", "mem=8G", "ntasks=4", "partition=batch");
        assertThat(line.step()).containsExactly("--label");
        assertThat(line.own()).containsExactly(Map.entry(Setting.JOBID, "17"));
    }

    @Test
    void sallocs_variables_are_its_own() throws InvalidOption {
        var environment =
                Map.of(
                        "SALLOC_TIMELIMIT", "10",
                        "SALLOC_KILL_CMD", "TERM",
                        "SALLOC_BELL", "yes",
                        "SLURM_PARTITION", "other",
                        "SALLOC_IMMEDIATE", "1");

        SrunCommandLine line = SrunCommandLine.salloc(List.of(), environment).getFirst();

        assertThat(line.job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactly("time=10");
        assertThat(line.own())
                .containsOnly(
                        Map.entry(Setting.BELL, ""),
                        Map.entry(Setting.IMMEDIATE, ""),
                        Map.entry(Setting.KILL_COMMAND, "TERM"));
    }

    @Test
    void letters_mean_what_they_mean_to_srun() throws InvalidOption {
        SrunCommandLine line = of("-W", "10", "-u", "-K", "-Q", "--", "-x");

        assertThat(line.job().options()).isEmpty();
        assertThat(line.step()).containsExactly("--wait=10", "--kill-on-bad-exit");
        assertThat(line.has(Setting.QUIET)).isTrue();
        assertThat(line.command()).containsExactly("-x");
    }

    @ParameterizedTest
    @CsvSource({
        "--send-libs, --send-libs is not supported yet: libraries are not sent with --bcast",
        "--array=0-3, unrecognized option '--array=0-3'",
        "--wrap=x, unrecognized option '--wrap=x'",
        "--nodes, option '--nodes' requires an argument",
    })
    void what_srun_does_not_do_is_refused_by_name(String option, String message) {
        assertThatThrownBy(() -> of(option)).isInstanceOf(InvalidOption.class).hasMessage(message);
    }

    @Test
    void sallocs_letters_are_its_own() throws InvalidOption {
        SrunCommandLine line =
                SrunCommandLine.salloc(
                                List.of(
                                        "-KINT",
                                        "-I",
                                        "--bell",
                                        "-n2",
                                        "--gpu-bind=closest",
                                        "sh",
                                        "-l"),
                                Map.of())
                        .getFirst();

        assertThat(line.own())
                .isEqualTo(
                        Map.of(
                                Setting.KILL_COMMAND,
                                "INT",
                                Setting.IMMEDIATE,
                                "",
                                Setting.BELL,
                                ""));
        assertThat(line.immediateSeconds()).isEqualTo(1);
        assertThat(line.job().options())
                .extracting(it -> it.option().longName() + "=" + it.value())
                .containsExactly("ntasks=2", "gpu-bind=closest");
        assertThat(line.command()).containsExactly("sh", "-l");
        assertThatThrownBy(() -> SrunCommandLine.salloc(List.of("--pty"), Map.of()))
                .hasMessage("unrecognized option '--pty'");
    }

    @Test
    void how_long_a_job_may_wait_is_a_number_of_seconds() throws InvalidOption {
        assertThat(of("true").immediateSeconds()).isZero();
        assertThat(of("-I30", "true").immediateSeconds()).isEqualTo(30);
        SrunCommandLine wrong = of("--immediate=soon", "true");
        assertThatThrownBy(wrong::immediateSeconds)
                .hasMessage("invalid number of seconds: --immediate=soon");
    }

    private static List<String> commands(List<SrunCommandLine> parts) {
        return parts.stream()
                .map(it -> it.job().options().size() + " " + String.join(" ", it.command()))
                .toList();
    }

    @Test
    void a_colon_parts_components_and_programs() throws InvalidOption {
        assertThat(
                        commands(
                                SrunCommandLine.srun(
                                        List.of("-n1", ":", "-n2", "-c4", "a", "-x", ":", "b"),
                                        Map.of("SLURM_TIMELIMIT", "10"))))
                .containsExactly("2 ", "3 a -x", "1 b");
        assertThat(
                        commands(
                                SrunCommandLine.salloc(
                                        List.of("-n1", ":", "-G8", "sh", "-c", ":"), Map.of())))
                .containsExactly("1 ", "1 sh -c :");
        assertThatThrownBy(() -> of("-n1", ":", "--send-libs", "true"))
                .hasMessage(
                        "--send-libs is not supported yet: libraries are not sent with --bcast");
    }

    @Test
    void no_two_options_share_a_name_or_a_letter() {
        for (List<SrunOption> table : List.of(SrunOption.TABLE, SrunOption.SALLOC)) {
            assertThat(table).extracting(SrunOption::longName).doesNotHaveDuplicates();
            assertThat(table)
                    .extracting(SrunOption::letter)
                    .filteredOn(letter -> letter != 0)
                    .doesNotHaveDuplicates();
        }
    }
}
