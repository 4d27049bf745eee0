package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldCommandTest {
    @TempDir Path folder = Path.of("");

    private HeldCommand start(String script) throws IOException {
        return HeldCommand.start(List.of("sh", "-c", script), Map.of("A", "a"), folder);
    }

    private void await(String file) throws InterruptedException {
        while (!Files.exists(folder.resolve(file))) {
            Thread.sleep(Duration.ofMillis(20));
        }
    }

    @Test
    void its_status_is_that_of_the_command_which_has_the_variables_and_the_folder()
            throws Exception {
        assertThat(start("echo $A >here; exit 4").untilEnd()).isEqualTo(4);
        assertThat(folder.resolve("here")).hasContent("a");
        assertThatThrownBy(() -> HeldCommand.start(List.of("./none"), Map.of(), folder))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "USR1, 138"})
    void a_signal_reaches_the_command_and_what_it_waits_for(String name, int status)
            throws Exception {
        HeldCommand command = start("sh -c 'echo $$ >child; exec sleep 77'; echo done >done");
        await("child");

        command.signal(name);

        assertThat(command.untilEnd()).isEqualTo(status);
        long child = Long.parseLong(Files.readString(folder.resolve("child")).strip());
        ProcessHandle.of(child).ifPresent(it -> it.onExit().join());
        assertThat(folder.resolve("done")).doesNotExist();
    }

    @Test
    void a_command_that_takes_a_signal_well_is_waited_for() throws Exception {
        HeldCommand command =
                start("trap 'echo saved >saved; exit 0' TERM; : >ready; sleep 77 & wait");
        await("ready");

        command.signal("TERM");

        assertThat(command.untilEnd()).isZero();
        assertThat(folder.resolve("saved")).exists();
    }

    @Test
    void one_that_the_end_of_the_terminal_ends_has_failed() throws Exception {
        HeldCommand command = start(": >ready; exec sleep 77");
        await("ready");

        command.hangUp();

        assertThat(command.untilEnd()).isEqualTo(1);
    }

    @Test
    void one_that_does_not_heed_the_end_of_the_terminal_is_left_to_itself() throws Exception {
        HeldCommand command = start("trap '' HUP; echo $$ >ready; exec sleep 77");
        await("ready");

        command.hangUp();

        assertThat(command.untilEnd()).isEqualTo(1);
        command.signal("KILL");
    }
}
