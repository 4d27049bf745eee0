package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.slurm.SrunOption.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SrunCommandLineTest {
    private static SrunCommandLine of(String... words) throws InvalidOption {
        return SrunCommandLine.of(List.of(words));
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
        assertThat(line.own()).containsExactly(Setting.PTY);
        assertThat(line.command()).containsExactly("python", "-u", "x.py");
    }

    @Test
    void letters_mean_what_they_mean_to_srun() throws InvalidOption {
        SrunCommandLine line = of("-W", "10", "-u", "-K", "-Q", "--", "-x");

        assertThat(line.job().options()).isEmpty();
        assertThat(line.step()).containsExactly("--kill-on-bad-exit");
        assertThat(line.has(Setting.QUIET)).isTrue();
        assertThat(line.command()).containsExactly("-x");
    }

    @ParameterizedTest
    @CsvSource({
        "--bcast, --bcast is not supported yet",
        "--jobid=7, --jobid is not supported yet",
        "--array=0-3, unrecognized option '--array=0-3'",
        "--wrap=x, unrecognized option '--wrap=x'",
        "--nodes, option '--nodes' requires an argument",
    })
    void what_srun_does_not_do_is_refused_by_name(String option, String message) {
        assertThatThrownBy(() -> of(option)).isInstanceOf(InvalidOption.class).hasMessage(message);
    }

    @Test
    void no_two_options_share_a_name_or_a_letter() {
        assertThat(SrunOption.TABLE).extracting(SrunOption::longName).doesNotHaveDuplicates();
        assertThat(SrunOption.TABLE)
                .extracting(SrunOption::letter)
                .filteredOn(letter -> letter != 0)
                .doesNotHaveDuplicates();
    }
}
