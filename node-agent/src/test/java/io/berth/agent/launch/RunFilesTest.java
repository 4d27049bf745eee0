package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A run's folder in the spool.
class RunFilesTest {

    private static final RunId RUN = new RunId(new JobId(5), 1);

    @TempDir Path runs;
    @TempDir Path elsewhere;

    @Test
    void it_goes_with_all_that_is_in_it_and_nothing_that_a_link_in_it_leads_to()
            throws IOException {
        Path others = Files.writeString(elsewhere.resolve("others"), "kept");
        RunFiles files = RunFiles.of(runs, RUN);
        files.write("script", "true");
        Files.createDirectories(files.makeSteps().resolve("deep/er"));
        Files.createSymbolicLink(files.folder().resolve("steps/link"), elsewhere);
        Files.createSymbolicLink(files.folder().resolve("steps/deep/gone"), Path.of("/none"));

        files.remove();

        assertThat(files.folder()).doesNotExist();
        assertThat(others).hasContent("kept");
    }

    /// As whoever may use FUSE can mount something on each of his folders.
    @ParameterizedTest
    @ValueSource(strings = {"steps", "asks", "steps/in", "steps/in/deep"})
    void it_goes_with_what_others_have_mounted_in_it(String place) throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        files.makeSteps();
        files.makeAsks();
        Path mounted = Files.createDirectories(files.folder().resolve(place));
        assumeThat(status("mount", "-t", "tmpfs", "berth-test", mounted.toString()))
                .as("the right to mount")
                .isZero();
        Files.writeString(mounted.resolve("file"), "text");
        try {
            files.remove();
        } finally {
            status("umount", "--quiet", mounted.toString());
        }

        assertThat(runs).isEmptyDirectory();
    }

    private static int status(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }

    /// Deeper than the stack of the thread would let it go down.
    @Test
    void it_goes_however_deep_what_others_put_in_it_is() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        Path deep = Files.createDirectory(runs.resolve("0"));
        for (int i = 1; i < 2000; i++) {
            Path around = Files.createDirectory(runs.resolve(Integer.toString(i)));
            Files.move(deep, around.resolve("d"));
            deep = around;
        }
        Files.move(deep, files.makeSteps().resolve("deep"));
        var removal =
                new FutureTask<Void>(() -> {
                    files.remove();
                    return null;
                });

        new Thread(null, removal, "small", 200_000).start();
        removal.get();

        assertThat(runs).isEmptyDirectory();
    }

    @Test
    void what_asks_for_nothing_stays_where_it_is() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.makeAsks();
        Path asks = files.folder().resolve(RunFiles.ASKS);
        Files.createDirectories(asks.resolve("begin.0/d"));
        Files.createSymbolicLink(asks.resolve("begin.1"), elsewhere);
        Files.writeString(asks.resolve("begin.2"), "text");

        assertThat(files.ask("begin.0", 100)).isEmpty();
        assertThat(files.ask("begin.1", 100)).isEmpty();
        assertThat(files.ask("begin.2", 100)).isEqualTo("text");
        assertThat(files.asks(9)).containsExactly("begin.0");
        assertThat(elsewhere).exists();
    }

    /// The kernel would have an open that waits wait for 45 seconds.
    @Test
    void a_file_that_somebody_holds_a_lease_on_is_not_waited_for() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.makeAsks();
        Path ask = Files.writeString(files.folder().resolve(RunFiles.ASKS + "/begin.0"), "text");
        Path log = Files.writeString(files.makeSteps().resolve("log"), "text");

        try (var _ = LeasedFile.of(ask);
                var _ = LeasedFile.of(log)) {
            assertThat(files.ask("begin.0", 100)).isEmpty();
            assertThatIOException().isThrownBy(() -> files.textOfOthers("steps/log", 100));
            assertThatIOException().isThrownBy(() -> FileOfOthers.readByCommand(log, 100));
        }

        assertThat(files.asks(9)).isEmpty();
        assertThat(files.textOfOthers("steps/log", 100)).isEqualTo("text");
    }

    @Test
    void of_what_others_wrote_so_much_is_read_and_of_pipes_and_links_nothing() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        Path steps = files.makeSteps();
        String text = "é" + "x".repeat(200_000);
        Path log = Files.writeString(steps.resolve("log"), text);
        Path pipe = steps.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path link = Files.createSymbolicLink(steps.resolve("link"), log);

        assertThat(files.textOfOthers("steps/log", 1 << 20)).isEqualTo(text);
        assertThat(FileOfOthers.readByCommand(log, 1 << 20)).isEqualTo(text);
        assertThat(files.textOfOthers("steps/log", 100_000)).hasSize(99_999);
        assertThat(FileOfOthers.readByCommand(log, 100_000)).hasSize(99_999);
        assertThat(files.textOfOthers("steps/pipe", 9)).isEmpty();
        assertThat(FileOfOthers.readByCommand(pipe, 9)).isEmpty();
        assertThatIOException().isThrownBy(() -> files.textOfOthers("steps/link", 9));
        assertThatIOException().isThrownBy(() -> FileOfOthers.readByCommand(link, 9));
        assertThat(files.textOfOthers("steps/none", 9)).isEmpty();
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> FileOfOthers.readByCommand(steps.resolve("none"), 9));
    }

    @Test
    void what_a_link_leads_to_is_given_to_nobody() throws IOException {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        RunFiles files = RunFiles.of(runs, RUN);
        Path others = Files.writeString(elsewhere.resolve("others"), "kept");
        Path link = Files.createSymbolicLink(files.folder().resolve("link"), others);

        files.giveTo(new Account(65534, 65534, List.of(), "/", true), List.of("link"));

        assertThat(Files.getAttribute(others, "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(link, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(65534);
    }

    @Test
    void what_is_gone_can_be_removed_again() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.remove();

        files.remove();

        assertThat(runs).isEmptyDirectory();
    }

    @Test
    void an_answer_is_for_the_account_that_asks_alone() throws IOException {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        RunFiles files = RunFiles.of(runs, new RunId(new JobId(31), 1));
        files.makeAsks();
        files.giveTo(
                new Account(65_534, 65_534, List.of(65_534L), "/", true), List.of(RunFiles.ASKS));

        files.answer("begin.0", "");

        Path told = files.folder().resolve("told/begin.0");
        assertThat(Files.getAttribute(told, "unix:uid")).isEqualTo(65_534);
        assertThat(Files.getAttribute(told, "unix:gid")).isEqualTo(65_534);
        assertThat(Files.getPosixFilePermissions(told))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
