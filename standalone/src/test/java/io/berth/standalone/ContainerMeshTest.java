package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.standalone.TestMesh.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Steps over two nodes in containers, by a real crun.
final class ContainerMeshTest {

    private static final Path CRUN = Path.of("/usr/bin/crun");

    private final TestMesh mesh;

    ContainerMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
    }

    /// Of scripts outside of any and in one.
    @Test
    void a_step_over_two_nodes_is_in_a_container_on_each() throws IOException {
        assumeThat(CRUN).as("crun").isExecutable();
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        Path home = Files.createDirectories(mesh.home().root());
        // crun takes no host that has some controllers in version 2 and some in version 1.
        Path crun =
                Files.writeString(
                        home.resolve("crun"),
                        "#!/bin/sh\nexec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec %s \"$@\"' crun \"$@\"\n"
                                .formatted(CRUN));
        Files.setPosixFilePermissions(crun, PosixFilePermissions.fromString("rwxr-xr-x"));
        makeImage(mesh.work().resolve("image"));
        mesh.run(
                        List.of(
                                "env",
                                "BERTH_AGENT_CONTAINER_RUNTIME=" + crun,
                                TestMesh.ROOT.resolve("berth").toString(),
                                "up",
                                "--detach",
                                "--virtual",
                                "2xdgx-a100"))
                .succeeded();
        try {
            String tell = "sh -c \"cat /mark; echo of \\$SLURM_NODEID; exit \\$SLURM_PROCID\"";
            assertSteps("out", List.of(), "srun --container=image -N2 -l " + tell);
            assertSteps("in", List.of("--container=image"), "cat /mark && srun -N2 -l " + tell);
        } finally {
            mesh.berth("down").succeeded();
        }
        mesh.assertGone();
    }

    /// The script's exit status is its step's, which is the highest of its tasks'.
    private void assertSteps(String name, List<String> options, String script) throws IOException {
        var command =
                Stream.of(
                                List.of("sbatch", "--wait", "-N2", "--ntasks-per-node=1"),
                                options,
                                List.of("-o", name, "-e", name + ".err", "--wrap", script))
                        .flatMap(List::stream)
                        .toArray(String[]::new);

        Outcome outcome = mesh.berth(command);

        Path errors = mesh.work().resolve(name + ".err");
        String said = Files.exists(errors) ? Files.readString(errors) : outcome.err();
        assertThat(outcome.status()).as(said).isEqualTo(1);
        assertThat(Files.readAllLines(mesh.work().resolve(name)).stream().filter(it -> it.contains(":")))
                .as(said)
                .containsExactlyInAnyOrder("0: inside", "0: of 0", "1: inside", "1: of 1");
    }

    /// A bundle with the host's programs.
    private static void makeImage(Path bundle) throws IOException {
        Path files = Files.createDirectories(bundle.resolve("rootfs"));
        for (String place : List.of("bin", "etc", "usr", "lib", "lib64", "proc", "dev", "sys", "run")) {
            Files.createDirectory(files.resolve(place));
        }
        Files.writeString(files.resolve("mark"), "inside\n");
        String mounts =
                Stream.of("/bin", "/etc", "/usr", "/lib", "/lib64")
                        .filter(it -> Files.exists(Path.of(it)))
                        .map(it ->
                                "{\"destination\":\"%s\",\"type\":\"none\",\"source\":\"%s\",\"options\":[\"rbind\",\"ro\"]}"
                                        .formatted(it, it))
                        .collect(Collectors.joining(","));
        Files.writeString(bundle.resolve("config.json"), "{\"mounts\":[" + mounts + "]}");
    }
}
