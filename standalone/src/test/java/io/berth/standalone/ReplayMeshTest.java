package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// What a whole mesh of virtual nodes decided, decided again by the simulator from the jobs alone.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("long")
class ReplayMeshTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// A round that is written late shifts what follows it.
    private static final double LATE_SECONDS = 1.5;

    /// Nodes, GPUs on each, minutes of the limit, seconds that it runs.
    private static final int[][] JOBS = {
        {1, 8, 1, 4}, {1, 8, 1, 6}, {1, 8, 1, 9}, {2, 8, 2, 3}, {1, 8, 5, 4},
        {1, 4, 1, 2}, {1, 4, 1, 4}, {3, 8, 1, 1}, {1, 2, 1, 3}, {1, 8, 9, 2}
    };

    private final TestMesh mesh;

    ReplayMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
    }

    @BeforeAll
    void start() throws IOException {
        mesh.up("--gpu-profile", "none", "--virtual", "3xdgx-a100");
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
    }

    @Test
    void the_simulator_starts_the_jobs_of_the_mesh_when_the_mesh_did() throws IOException {
        for (int[] job : JOBS) {
            mesh.berth(
                            "sbatch",
                            "--nodes=" + job[0],
                            "--gpus-per-node=" + job[1],
                            "--time=" + job[2],
                            "--wrap",
                            "sleep " + job[3])
                    .succeeded();
        }
        await().atMost(PATIENCE)
                .until(() -> mesh.berth("squeue", "-h").succeeded().out().isEmpty());
        Path csv = mesh.work().resolve("starts.csv");

        mesh.berth(
                        "replay",
                        "--shadow",
                        "--policy=fifo",
                        "--backfill=conservative",
                        "--depth=500",
                        "--estimates=limit",
                        "--csv=" + csv)
                .succeeded();

        List<double[]> starts = starts(csv);
        assertThat(starts).hasSizeGreaterThanOrEqualTo(JOBS.length);
        assertThat(starts).anySatisfy(it -> assertThat(it[0]).isGreaterThan(5));
        assertThat(starts)
                .allSatisfy(it -> assertThat(it[1]).isCloseTo(it[0], within(LATE_SECONDS)));
    }

    /// When each job started, and when it does in the simulator, in seconds.
    private static List<double[]> starts(Path csv) throws IOException {
        var starts = new ArrayList<double[]>();
        for (String line : Files.readAllLines(csv).stream().skip(1).toList()) {
            List<String> fields = List.of(line.split(","));
            starts.add(
                    new double[] {
                        Double.parseDouble(fields.get(4)), Double.parseDouble(fields.get(5))
                    });
        }
        return starts;
    }
}
