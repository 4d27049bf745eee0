package io.berth.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A machine with crun, as the agents of a mesh on it find it.
///
/// @param runtime what they run containers with
record CrunHost(Path runtime) {

    private static final Path CRUN = Path.of("/usr/bin/crun");

    /// crun takes no host that has some controllers in version 2 and some in version 1.
    private static final String WITHOUT_VERSION_2 =
            """
            #!/bin/sh
            exec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec %s "$@"' crun "$@"
            """;

    /// This machine, if it has crun and lets a test mount.
    ///
    /// @param folder in which the runtime is made
    static Optional<CrunHost> in(Path folder) throws IOException {
        boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        if (!root || !Files.isExecutable(CRUN)) {
            return Optional.empty();
        }
        Path runtime = Files.writeString(folder.resolve("crun"), WITHOUT_VERSION_2.formatted(CRUN));
        Files.setPosixFilePermissions(runtime, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Optional.of(new CrunHost(runtime));
    }

    /// A bundle with the host's programs, and a file of its own that says `inside`.
    static void makeBundle(Path bundle) throws IOException {
        Path files = Files.createDirectories(bundle.resolve("rootfs"));
        for (String place :
                List.of("bin", "etc", "usr", "lib", "lib64", "proc", "dev", "sys", "run")) {
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
