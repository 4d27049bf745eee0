package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.NodeName;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.TasksUsage.OfTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is believed of a file that the run's user may have written.
class StepLogTest {

    private static final Allocation HERE =
            new Allocation(new NodeName("gpu1"), 0, 1, IndexSet.firstN(8), 64, List.of("G0", "G1"));

    @TempDir Path folder;
    private Path log;

    @BeforeEach
    void a_run_from_1000_to_9000() throws IOException {
        Path steps = Files.createDirectories(folder.resolve("steps"));
        log = steps.resolve("log");
        at("begun", 1000);
        at("exit", 9000);
    }

    private void at(String name, long millis) throws IOException {
        Files.setLastModifiedTime(
                Files.createFile(folder.resolve(name)), FileTime.fromMillis(millis));
    }

    private @Nullable Steps told(String... lines) throws IOException {
        Files.writeString(log, String.join("\n", lines) + "\n");
        return read();
    }

    private @Nullable Steps read() {
        return StepLog.read(RunFiles.at(folder), "begun", HERE);
    }

    private static Step step(int number, String name, long beganAt, long endedAt) {
        return new Step(number, name, 1, 1, 0, beganAt, endedAt, null, null);
    }

    @Test
    void the_name_of_a_step_that_begins_stands_at_the_end_of_what_was_noted() throws IOException {
        Files.writeString(log, "x".repeat(3 << 20) + "\nbegin 7 2000 4 8 2 python train\n");

        assertThat(StepLog.name(RunFiles.at(folder), 7)).isEqualTo("python train");
    }

    @Test
    void a_step_that_begins_has_its_name() throws IOException {
        Files.writeString(
                log,
                "begin 0 2000 4 8 2 python train\nnonsense\nbegin 0 7 1 1 0 again\nbegin 3 99999999999999 1 1 0 a\u001bb\n");

        var files = RunFiles.at(folder);
        assertThat(StepLog.name(files, 0)).isEqualTo("python train");
        assertThat(StepLog.name(files, 3)).isEqualTo("a?b");
        assertThat(StepLog.name(files, 1)).isNull();
    }

    @Test
    void a_step_is_told_from_its_beginning_to_its_end() throws IOException {
        assertThat(
                        told(
                                "begin 0 2000 4 8 2 python train",
                                "begin 1 2500 1 1 0 sleep",
                                "end 1 2600 143 0m0.000s 0m0.000s",
                                "end 0 8000 3 1m2.250000s 0m0.010000s"))
                .isEqualTo(
                        new Steps(
                                List.of(
                                        new Step(
                                                0,
                                                "python train",
                                                4,
                                                8,
                                                2,
                                                2000,
                                                8000,
                                                new ExitStatus(3, 0),
                                                62_260L),
                                        new Step(
                                                1,
                                                "sleep",
                                                1,
                                                1,
                                                0,
                                                2500,
                                                2600,
                                                new ExitStatus(0, 15),
                                                0L)),
                                0));
    }

    @Test
    void what_the_kernel_counted_is_told_in_its_place() throws IOException {
        var uses =
                new StepUse.StepUses(
                        List.of(
                                new StepUse(0, 5200, 700, true, true, null),
                                new StepUse(9, 1, 1, false, false, null)));
        RunFiles.at(folder).note(StepUse.StepUses.NAME, uses);

        assertThat(told("begin 0 2000 1 1 0 a", "end 0 3000 0 0m0.000s 0m0.000s"))
                .isEqualTo(
                        new Steps(
                                List.of(
                                        new Step(
                                                0,
                                                "a",
                                                1,
                                                1,
                                                0,
                                                2000,
                                                3000,
                                                ExitStatus.SUCCESS,
                                                5200L,
                                                700L,
                                                true,
                                                null)),
                                0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3 90 9216 4096 0 2 20 1 8192 0 4096 0 0 | 3 90 9 2 0 2:20 1:8 0:2 0:0",
                // More than the kernel counted of the step, and more tasks than it had.
                "9 9000 999999999 0 0 2 6000 1 999999999 0 0 0 0 | 4 5200 2800 0 0 2:5200 1:700 0:0 0:0",
                "0 0 0 0 0 0 0 0 0 0 0 0 0 |",
                "3 90 9216 4096 0 2 20 1 8192 0 4096 |",
                "3 -90 9216 4096 0 2 20 1 8192 0 4096 0 0 |",
                "3 99999999999999999999 9216 4096 0 2 20 1 8192 0 4096 0 0 |"
            })
    void what_the_tasks_used_one_by_one_is_within_what_their_step_did(
            String told, @Nullable String expected) throws IOException {
        var uses = new StepUse.StepUses(List.of(new StepUse(0, 5200, 700, false, false, null)));
        RunFiles.at(folder).note(StepUse.StepUses.NAME, uses);

        Steps steps = Objects.requireNonNull(told("begin 0 2000 4 1 0 a", "tasks 0 " + told));

        TasksUsage each = steps.each().getFirst().each();
        assertThat(each == null ? null : words(each)).isEqualTo(expected);
    }

    private static String words(TasksUsage used) {
        return Stream.of(
                        used.tasks(),
                        used.cpuMillis(),
                        used.memoryMib(),
                        used.readMib(),
                        used.writtenMib(),
                        rank(used.leastCpu()),
                        rank(used.mostMemory()),
                        rank(used.mostRead()),
                        rank(used.mostWritten()))
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    private static String rank(@Nullable OfTask task) {
        return task == null ? "none" : task.rank() + ":" + task.amount();
    }

    @Test
    void what_the_group_of_a_task_counted_goes_before_what_is_told_of_it() throws IOException {
        TasksUsage counted =
                TasksUsage.of(Map.of(0, new Consumption(1, 2), 1, new Consumption(3, 4)));
        RunFiles.at(folder)
                .note(
                        StepUse.StepUses.NAME,
                        new StepUse.StepUses(
                                List.of(new StepUse(0, 5200, 700, false, false, counted))));

        Steps steps =
                Objects.requireNonNull(
                        told("begin 0 2000 2 1 0 a", "tasks 0 2 9 9 0 0 0 9 0 9 0 0 0 0"));

        assertThat(steps.each().getFirst().each()).isEqualTo(counted);
    }

    @Test
    void a_step_without_an_end_lasts_as_long_as_its_run() throws IOException {
        assertThat(told("begin 0 2000 1 1 0 a"))
                .isEqualTo(new Steps(List.of(step(0, "a", 2000, 9000)), 0));
    }

    @Test
    void nothing_lies_outside_of_the_run_or_takes_more_than_it_holds() throws IOException {
        assertThat(told("begin 0 999999999999999 7 100000 77 a", "end 0 5 0 0m0.0s 0m0.0s"))
                .isEqualTo(
                        new Steps(List.of(new Step(0, "a", 7, 8, 2, 9000, 9000, null, null)), 0));
        assertThat(told("begin 0 5 1 1 0 a"))
                .isEqualTo(new Steps(List.of(step(0, "a", 1000, 9000)), 0));
    }

    @Test
    void what_is_no_line_is_passed_over_and_the_first_of_two_counts() throws IOException {
        assertThat(
                        told(
                                "begin 0 2000 1 1 0 a",
                                "begin 0 3000 1 1 0 b",
                                "begin -1 2000 1 1 0 c",
                                "begin 99999999999999999999 2000 1 1 0 d",
                                "begin 2 2000",
                                "\0\u00ff\u0001",
                                "end 7 2000 0 0m0.000s 0m0.000s",
                                "end 0 2000 -1 0m0.000s 0m0.000s"))
                .isEqualTo(new Steps(List.of(step(0, "a", 2000, 9000)), 0));
    }

    @Test
    void a_name_has_nothing_that_moves_a_cursor() throws IOException {
        Steps steps =
                Objects.requireNonNull(
                        told(
                                "begin 0 2000 1 1 0 a\u001b[2J\u202eb\u0007\u200b",
                                "begin 1 2000 1 1 0 " + "\u00e9".repeat(1000)));

        assertThat(steps.each())
                .extracting(Step::name)
                .containsExactly("a?[2J?b??", "\u00e9".repeat(64));
    }

    @Test
    void more_than_a_thousand_steps_are_counted_and_a_long_file_is_not_read_to_its_end()
            throws IOException {
        Files.writeString(folder.resolve("steps/next"), "1234\n");

        Steps steps =
                Objects.requireNonNull(
                        told(
                                IntStream.range(0, 1000)
                                        .mapToObj("begin %d 2000 1 1 0 a"::formatted)
                                        .collect(Collectors.joining("\n")),
                                "x".repeat(4 << 20),
                                "end 0 3000 0 0m0.000s 0m0.000s"));

        assertThat(steps.each()).hasSize(1000);
        assertThat(steps.more()).isEqualTo(234);
        assertThat(steps.each().getFirst().exit()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ln -s $0/secret log", "mkfifo log", "mkdir log", "true"})
    void what_is_no_file_tells_nothing_and_is_not_waited_for(String command) throws Exception {
        Files.writeString(folder.resolve("secret"), "begin 0 2000 1 1 0 a\n");

        int made =
                new ProcessBuilder("sh", "-c", command, folder.toString())
                        .directory(folder.resolve("steps").toFile())
                        .start()
                        .waitFor();

        assertThat(made).isZero();
        assertThat(read()).isNull();
    }
}
