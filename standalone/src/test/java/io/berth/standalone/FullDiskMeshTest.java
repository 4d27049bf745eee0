package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Small disks for the log and for the database, which takes the right to mount them.
@Tag("long")
class FullDiskMeshTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String[] UP = {"--gpu-profile", "none", "--virtual", "1xdgx-a100"};

    private final TestMesh mesh;
    private final Workload jobs;
    private final List<Path> mounted = new ArrayList<>();

    FullDiskMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
        jobs = new Workload(mesh, PATIENCE);
    }

    @BeforeEach
    void mount() throws Exception {
        Files.createDirectories(
                mesh.home().root(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (Path folder : List.of(mesh.home().kafka(), mesh.home().postgres())) {
            Files.createDirectories(folder);
            int status = run("mount", "-t", "tmpfs", "-o", "size=192m", "berth", folder.toString());
            assumeThat(status).as("may mount a disk").isZero();
            mounted.add(folder);
        }
    }

    @AfterEach
    void unmount() throws Exception {
        mesh.berth("down");
        mesh.assertGone();
        for (Path folder : mounted) {
            assertThat(run("umount", "--lazy", folder.toString())).isZero();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static Path fill(Path disk) throws IOException {
        Path filler = disk.resolve("filler");
        try (var out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
            return filler;
        }
    }

    @Test
    void without_room_for_the_books_jobs_go_on_and_are_booked_when_there_is_some()
            throws Exception {
        mesh.up(UP);
        Path filler = fill(mesh.home().postgres());

        List<Long> ids = new ArrayList<>(jobs.submit(8));
        jobs.awaitCompleted(ids);
        ids.addAll(jobs.submit(1));
        jobs.awaitCompleted(ids);
        Files.delete(filler);

        jobs.assertNothingLostOrDoubled(ids);
    }

    @Test
    void without_room_for_the_log_the_mesh_ends_and_jobs_go_on_and_nothing_is_lost()
            throws Exception {
        mesh.up(UP);
        List<Long> ids = new ArrayList<>(jobs.submit(20));
        jobs.awaitRunning(ids, 8);
        ProcessHandle supervisor = mesh.process("kafka");

        Path filler = fill(mesh.home().kafka());
        supervisor.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        TestMesh.Outcome refused = mesh.berth("up", "--detach");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.out() + refused.err())
                .isEqualToIgnoringNewLines(
                        "berth: no room to start: %s has 0 MiB free, and at least 64 are needed"
                                .formatted(mesh.home().kafka()));
        Files.delete(filler);
        mesh.up(UP);
        jobs.assertNothingLostOrDoubled(ids);
    }
}
