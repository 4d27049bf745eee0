package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.jna.NativeLong;
import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

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
        Files.createDirectories(files.job().makeSteps().resolve("deep/er"));
        Files.createSymbolicLink(files.job().at("steps/link"), elsewhere);
        Files.createSymbolicLink(files.job().at("steps/deep/gone"), Path.of("/none"));

        files.remove();

        assertThat(files.folder()).doesNotExist();
        assertThat(others).hasContent("kept");
    }

    @Test
    void programs_of_mpi_read_of_each_node_how_many_tasks_it_has() throws IOException {
        var nodes =
                List.of(
                        new Allocation(new NodeName("b"), 0, 8, IndexSet.firstN(8), 64, List.of()),
                        new Allocation(new NodeName("a"), 1, 2, IndexSet.firstN(8), 64, List.of()));

        Path hosts = RunFiles.of(runs, RUN).hosts(nodes);

        assertThat(hosts).hasContent("b slots=8\na slots=2\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(hosts)))
                .isEqualTo("rw-r--r--");
    }

    /// As whoever may use FUSE can mount something on each of his folders.
    @ParameterizedTest
    @ValueSource(strings = {".", "steps", "asks", "steps/in", "steps/in/deep"})
    void it_goes_with_what_others_have_mounted_in_it(String place) throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        files.job().makeSteps();
        files.job().makeAsks();
        Path mounted = Files.createDirectories(files.job().at(place));
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

    /// A file system whose program never answers: who asks it for anything waits for ever.
    private record Unanswering(int device, Path place) implements AutoCloseable {

        static Unanswering at(Path place) throws Exception {
            assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                    .as("root")
                    .isEqualTo(0);
            assumeThat(Path.of("/dev/fuse")).exists();
            int device = FileCalls.Loaded.C.open("/dev/fuse", 2);
            String options =
                    "fd=%d,rootmode=%s,user_id=65534,group_id=65534,allow_other"
                            .formatted(device, Files.isDirectory(place) ? "40000" : "100000");
            FileCalls.Loaded.C.mount(
                    "berth-test", place.toString(), "fuse", new NativeLong(0), options);
            return new Unanswering(device, place);
        }

        /// It answers no more: who waits is told so.
        @Override
        public void close() {
            FileCalls.Loaded.C.close(device);
            Mounts.detach(place);
        }
    }

    private static boolean readable(JobFiles job) {
        try {
            return job.text("steps/log", 9).equals("text");
        } catch (IOException e) {
            return false;
        }
    }

    private RunFiles asking() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.job().makeAsks();
        files.job().makeCheckpoint();
        Files.writeString(files.job().makeSteps().resolve("log"), "text");
        Files.writeString(files.job().at("asks/begin.0"), "text");
        Files.writeString(files.job().at("told/begin.1"), "text");
        return files;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"asks", "asks/begin.0", "steps", "steps/log", "told/begin.1", "checkpoint"})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_file_system_of_a_users_that_does_not_answer_is_not_waited_for(String place)
            throws Exception {
        RunFiles files = asking();
        JobFiles job = files.job();
        boolean lost = place.startsWith("asks");

        try (var _ = Unanswering.at(job.at(place))) {
            assertThat(job.checkpoint()).isZero();
            assertThat(job.askedAt("begin.0")).matches(at -> lost == (at == 0));
            assertThat(job.ask("begin.0", 9)).isEqualTo(lost ? "" : "text");
            job.asks(9);
            job.answer("begin.0", "text");
            job.forgetAnswers(Long.MAX_VALUE);
            assertThat(readable(job)).isEqualTo(!place.startsWith("steps"));
            files.remove();
        }

        assertThat(runs).isEmptyDirectory();
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void what_is_mounted_on_the_asks_as_they_come_to_be_watched_is_not_waited_for()
            throws Exception {
        JobFiles job = asking().job();
        var heard = new Semaphore(0);
        var mounted = new ArrayList<Unanswering>();

        try (var watch = new SpoolWatch()) {
            try (var _ =
                    FileOfOthers.within(
                            job.folder(),
                            "asks",
                            asks -> {
                                mounted.add(muted(job.at("asks")));
                                return watch.watch(asks, heard::release);
                            })) {
                mounted.getFirst().close();
                Files.writeString(job.at("asks/begin.2"), "text");

                assertThat(heard.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            }
            try (var _ = Unanswering.at(job.at("asks"));
                    var _ = job.watchAsks(watch, heard::release)) {
                assertThat(job.asks(9)).isEmpty();
            }
            try (var _ = job.watchAsks(watch, heard::release)) {
                Files.writeString(job.at("asks/begin.3"), "text");

                assertThat(heard.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private static Unanswering muted(Path place) {
        try {
            return Unanswering.at(place);
        } catch (TestAbortedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static int status(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }

    @Test
    void what_a_job_leaves_there_is_bounded_also_where_no_name_is_left_of_it() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        assumeThat(JobFiles.unbound(runs)).as("the right to mount").isEmpty();
        files.job().bound();
        Path steps = files.job().makeSteps();
        Path gone = steps.resolve("gone");
        var room = new byte[1 << 20];

        try (var out = Files.newOutputStream(gone)) {
            Files.delete(gone);
            for (int mib = 1; mib < Mounts.MOST_MIB; mib++) {
                out.write(room);
            }
            assertThatIOException()
                    .isThrownBy(() -> Files.write(steps.resolve("more"), new byte[2 << 20]))
                    .withMessageContaining("No space left");
        }
        assertThatIOException()
                .isThrownBy(() -> {
                    for (int number = 0; number <= Mounts.MOST_FILES; number++) {
                        Files.createFile(steps.resolve("file" + number));
                    }
                })
                .withMessageContaining("No space left");
        files.remove();

        assertThat(runs).isEmptyDirectory();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(runs.toString());
    }

    @Test
    void the_memory_of_what_a_job_left_is_given_back_when_the_job_is_over() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        assumeThat(JobFiles.unbound(runs)).as("the right to mount").isEmpty();
        files.job().bound();
        Files.writeString(files.job().makeSteps().resolve("log"), "text");

        files.job().release();

        assertThat(files.job().folder()).isEmptyDirectory();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(runs.toString());
    }

    @Test
    void a_job_that_has_left_no_room_is_not_answered_and_its_asks_are_heard() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        assumeThat(JobFiles.unbound(runs)).as("the right to mount").isEmpty();
        files.job().bound();
        files.job().makeAsks();
        Path asks = files.job().at(JobFiles.ASKS);
        Files.writeString(asks.resolve("begin.0"), "text");
        assertThatIOException()
                .isThrownBy(() -> Files.write(asks.resolve("all"), new byte[65 << 20]));

        files.job().answer("begin.0", "yes");

        assertThat(files.job().at("told/begin.0")).doesNotExist();
        assertThat(files.job().ask("begin.0", 9)).isEqualTo("text");
        files.remove();
        assertThat(runs).isEmptyDirectory();
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
        Files.move(deep, files.job().makeSteps().resolve("deep"));
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
        files.job().makeAsks();
        Path asks = files.job().at(JobFiles.ASKS);
        Files.createDirectories(asks.resolve("begin.0/d"));
        Files.createSymbolicLink(asks.resolve("begin.1"), elsewhere);
        Files.writeString(asks.resolve("begin.2"), "text");

        assertThat(files.job().ask("begin.0", 100)).isEmpty();
        assertThat(files.job().ask("begin.1", 100)).isEmpty();
        assertThat(files.job().ask("begin.2", 100)).isEqualTo("text");
        assertThat(files.job().asks(9)).containsExactly("begin.0");
        assertThat(elsewhere).exists();
    }

    /// The kernel would have an open that waits wait for 45 seconds.
    @Test
    void a_file_that_somebody_holds_a_lease_on_is_not_waited_for() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.job().makeAsks();
        Path ask = Files.writeString(files.job().at(JobFiles.ASKS + "/begin.0"), "text");
        Path log = Files.writeString(files.job().makeSteps().resolve("log"), "text");

        try (var _ = LeasedFile.of(ask);
                var _ = LeasedFile.of(log)) {
            assertThat(files.job().ask("begin.0", 100)).isEmpty();
            assertThatIOException().isThrownBy(() -> files.job().text("steps/log", 100));
            assertThatIOException().isThrownBy(() -> FileOfOthers.readByCommand(log, 100));
        }

        assertThat(files.job().asks(9)).isEmpty();
        assertThat(files.job().text("steps/log", 100)).isEqualTo("text");
    }

    @Test
    void of_what_others_wrote_so_much_is_read_and_of_pipes_and_links_nothing() throws Exception {
        RunFiles files = RunFiles.of(runs, RUN);
        Path steps = files.job().makeSteps();
        String text = "é" + "x".repeat(200_000);
        Path log = Files.writeString(steps.resolve("log"), text);
        Path pipe = steps.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path link = Files.createSymbolicLink(steps.resolve("link"), log);

        assertThat(files.job().text("steps/log", 1 << 20)).isEqualTo(text);
        assertThat(FileOfOthers.readByCommand(log, 1 << 20)).isEqualTo(text);
        assertThat(files.job().text("steps/log", 100_000)).hasSize(99_999);
        assertThat(FileOfOthers.readByCommand(log, 100_000)).hasSize(99_999);
        assertThat(files.job().text("steps/pipe", 9)).isEmpty();
        assertThat(FileOfOthers.readByCommand(pipe, 9)).isEmpty();
        assertThatIOException().isThrownBy(() -> files.job().text("steps/link", 9));
        assertThatIOException().isThrownBy(() -> FileOfOthers.readByCommand(link, 9));
        assertThat(files.job().text("steps/none", 9)).isEmpty();
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> FileOfOthers.readByCommand(steps.resolve("none"), 9));
    }

    @Test
    void what_a_link_leads_to_is_given_to_nobody() throws IOException {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        RunFiles files = RunFiles.of(runs, RUN);
        Path others = Files.writeString(elsewhere.resolve("others"), "kept");
        Path link = Files.createSymbolicLink(files.job().at("link"), others);

        files.job().giveTo(new Account(65534, 65534, List.of(), "/", true), List.of("link"));

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
        files.job().makeAsks();
        files.job()
                .giveTo(
                        new Account(65_534, 65_534, List.of(65_534L), "/", true),
                        List.of(JobFiles.ASKS));

        files.job().answer("begin.0", "");

        Path told = files.job().at("told/begin.0");
        assertThat(Files.getAttribute(told, "unix:uid")).isEqualTo(65_534);
        assertThat(Files.getAttribute(told, "unix:gid")).isEqualTo(65_534);
        assertThat(Files.getPosixFilePermissions(told))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
