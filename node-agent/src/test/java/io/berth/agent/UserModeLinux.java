package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A guest with a kernel of its own, which has each controller in that version of cgroups in which
/// it is mounted, and sees the files of this machine, read-only. It needs `linux.uml` (Debian:
/// user-mode-linux) and no rights.
public final class UserModeLinux {

    private static final long LIMIT_SECONDS = 180;
    private static final int SWAP_BYTES = 128 << 20;
    private static final int DISK_BYTES = 8 << 20;

    /// A disk on which nothing is.
    public static final String DISK = "/dev/ubdb";

    /// What a guest's first process mounts first: version 2 alone.
    public static final String MOUNTS =
            """
            mount -t proc proc /proc
            mount -t sysfs sysfs /sys
            mount -t cgroup2 cgroup2 /sys/fs/cgroup
            mount -t tmpfs tmpfs /run
            """;

    /// The same with some controllers in version 1, beside version 2 with the others.
    public static final String HYBRID_MOUNTS =
            """
            mount -t proc proc /proc
            mount -t sysfs sysfs /sys
            mount -t tmpfs tmpfs /sys/fs/cgroup
            for name in devices freezer cpuacct blkio; do
                mkdir /sys/fs/cgroup/$name
                mount -t cgroup -o $name $name /sys/fs/cgroup/$name
            done
            mkdir /sys/fs/cgroup/unified
            mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
            mount -t tmpfs tmpfs /run
            """;

    /// What it does to have swap.
    public static final String SWAP =
            """
            mkswap /dev/ubda
            swapon /dev/ubda
            """;

    /// What a guest's first process does to turn the machine off.
    public static final String OFF =
            """
            sync
            echo o >/proc/sysrq-trigger
            sleep 10
            """;

    private static final String HERE = "berth.test.guest";

    private UserModeLinux() {}

    /// Whether this is a guest's own JVM, as [#java] starts it.
    public static boolean isHere() {
        return Boolean.getBoolean(HERE);
    }

    /// Runs a guest to its end; without the program, or where it would need a C compiler (on a
    /// processor with AMX) and there is none, the test is skipped.
    ///
    /// @param folder what it writes to `/mnt` once it has called [#mount]
    /// @param init a shell script, its first process
    public static void boot(Path folder, String init) throws Exception {
        assumeThat(new ProcessBuilder("sh", "-c", "command -v linux.uml").start().waitFor())
                .as("exit status of looking for linux.uml")
                .isZero();
        Path script =
                Files.writeString(
                        folder.resolve("init"),
                        """
                        #!/bin/sh
                        export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
                        """
                                + init);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path swap = makeDisk(folder.resolve("swap"), SWAP_BYTES);
        Path disk = makeDisk(folder.resolve("disk"), DISK_BYTES);
        Path console = folder.resolve("console");
        var builder =
                new ProcessBuilder(
                                "linux.uml",
                                "uml_dir=" + folder + "/",
                                "mem=1G",
                                "ubda=" + swap,
                                "ubdb=" + disk,
                                "rootfstype=hostfs",
                                "rootflags=/",
                                "ro",
                                "init=" + script,
                                "con=null",
                                "con0=fd:0,fd:1",
                                "quiet")
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(console.toFile());
        // Registers as long as the processor's.
        Optional<Path> library =
                SharedLibrary.make(
                        UserModeLinux.class,
                        "xstate.c",
                        folder,
                        "xstate.so",
                        "-Wall",
                        "-Wextra",
                        "-O2");
        library.ifPresent(it -> builder.environment().put("LD_PRELOAD", it.toString()));
        Process guest = builder.start();
        boolean ended = guest.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        guest.destroyForcibly();

        assertThat(ended).as("the guest has ended").isTrue();
        if (library.isEmpty()) {
            assumeThat(console)
                    .as("what linux.uml says on this processor without a C compiler, cc")
                    .content()
                    .doesNotContain("ptrace set fp regs failed");
        }
        assertThat(console).content().doesNotContain("Kernel panic");
    }

    private static Path makeDisk(Path file, int bytes) throws IOException {
        try (var disk = new RandomAccessFile(file.toFile(), "rw")) {
            disk.setLength(bytes);
        }
        return file;
    }

    /// The line that shows a folder of this machine as `/mnt`.
    public static String mount(Path folder) {
        return "mount -t hostfs none /mnt -o '" + folder + "'\n";
    }

    /// The words that run a class's `main`, with the test's own class path.
    public static String java(Class<?> main) {
        return "'%s/bin/java' -D%s=true -Xmx300m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir=/run --enable-native-access=ALL-UNNAMED -cp '%s' '%s'"
                .formatted(
                        System.getProperty("java.home"),
                        HERE,
                        System.getProperty("java.class.path"),
                        main.getName());
    }
}
