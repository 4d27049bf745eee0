package io.berth.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A machine with two A100, the second in MIG mode and not split, as the agent of a mesh on it
/// finds them: in the driver's place the library of the agent's own tests, and, in a mount
/// namespace of the mesh's own, the files in which a kernel tells of the driver's devices.
///
/// @param folder of the library
record MigHost(Path folder) {

    /// Of the device files by which instances are opened; no driver has it.
    private static final int CAPABILITIES = 300;

    private static final Path LIBRARY =
            TestMesh.ROOT.resolve("node-agent/src/test/resources/io/berth/agent/nvml/stub.c");

    /// Instances on one GPU, at most.
    private static final int INSTANCES = 7;

    private static final String TOPOLOGY =
            """
            driver 550.54.15 12040
            gpu 0 minor=1 uuid=GPU-0 bus=00000000:00:00.0 mem=40960 cc=8.0 power=400 ecc=1 name=NVIDIA A100-SXM4-40GB
            gpu 1 minor=0 uuid=GPU-1 bus=00000000:01:00.0 mem=40960 cc=8.0 power=400 ecc=1 mig=1 name=NVIDIA A100-SXM4-40GB
            anc 0 1 50
            """;

    private static final String IN_IT =
            """
            set -e
            mount -t tmpfs none /proc/driver
            mkdir /proc/driver/nvidia-caps
            cp "$1/mig-minors" /proc/driver/nvidia-caps/
            mount --bind "$1/devices" /proc/devices
            export BERTH_AGENT_NVML_LIBRARY="$1/libnvidia-ml.so.1"
            shift
            exec "$@"
            """;

    /// How to find out whether there can be one: it takes a C compiler and the right to mount.
    static List<String> trial() {
        return List.of(
                "sh",
                "-c",
                "command -v cc && exec unshare -m sh -ec 'mount -t tmpfs none /proc/driver; mount --bind /proc/version /proc/devices'");
    }

    /// Puts there what makes it, but for the library.
    static MigHost in(Path folder) throws IOException {
        var minors = new StringBuilder("config 1\nmonitor 2\n");
        for (int instance = 1; instance <= INSTANCES; instance++) {
            int[] opens = capabilities(instance);
            minors.append("gpu0/gi%d/access %d\n".formatted(instance, opens[0]))
                    .append("gpu0/gi%d/ci0/access %d\n".formatted(instance, opens[1]));
        }
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("mig-minors"), minors);
        Files.writeString(folder.resolve("topology"), TOPOLOGY);
        String kernel = Files.readString(Path.of("/proc/devices")).replaceAll(".*nvidia.*\n", "");
        Files.writeString(
                folder.resolve("devices"),
                kernel.replaceFirst("\n", "\n%d nvidia-caps\n".formatted(CAPABILITIES)));
        return new MigHost(folder);
    }

    /// How the library is made.
    List<String> compiling() {
        return List.of(
                "cc",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-o",
                folder.resolve("libnvidia-ml.so.1").toString(),
                LIBRARY.toString(),
                "-ldl");
    }

    /// How a command is run on it.
    List<String> running(String... command) {
        var all = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", IN_IT, "sh"));
        all.add(folder.toString());
        all.addAll(List.of(command));
        return all;
    }

    /// The device files that who holds an instance may open, as the agent names those that it
    /// tries: the GPU's, those by which all GPUs are controlled, and the instance's own.
    static List<String> devices(int instance) {
        int[] own = capabilities(instance);
        return List.of(
                "gpu-195-0",
                "gpu-195-254",
                "gpu-195-255",
                "gpu-%d-%d".formatted(CAPABILITIES, own[0]),
                "gpu-%d-%d".formatted(CAPABILITIES, own[1]));
    }

    /// The numbers of the device files that open an instance: its GPU instance's and its compute
    /// instance's.
    private static int[] capabilities(int instance) {
        return new int[] {10 * instance, 10 * instance + 1};
    }
}
