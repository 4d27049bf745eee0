package io.berth.agent.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/// The groups on a kernel that has cgroups of version 2 alone: a guest that sees the files of this
/// machine, read-only. It needs `linux.uml` (Debian: user-mode-linux) and no rights.
class UserModeLinuxTest {

    private static final long LIMIT_SECONDS = 180;

    @TempDir Path folder;

    @Test
    void groups_hold_on_a_kernel_with_version_2_alone() throws Exception {
        assumeThat(new ProcessBuilder("sh", "-c", "command -v linux.uml").start().waitFor())
                .as("exit status of looking for linux.uml")
                .isZero();
        Path init = Files.writeString(folder.resolve("init"), init());
        Files.setPosixFilePermissions(init, PosixFilePermissions.fromString("rwxr-xr-x"));

        Process guest =
                new ProcessBuilder(
                                "linux.uml",
                                "mem=1G",
                                "rootfstype=hostfs",
                                "rootflags=/",
                                "ro",
                                "init=" + init,
                                "con=null",
                                "con0=fd:0,fd:1",
                                "quiet",
                                "cgroup_no_v1=all")
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("console").toFile())
                        .start();
        boolean ended = guest.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        guest.destroyForcibly();

        assertThat(ended).as("the guest has ended").isTrue();
        assertThat(folder.resolve("result"))
                .content()
                .contains("groups: cgroup v2\n", "\nfailed: 0\n")
                .doesNotContain("succeeded: 0");
    }

    private String init() {
        return """
        #!/bin/sh
        export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        mount -t proc proc /proc
        mount -t sysfs sysfs /sys
        mount -t cgroup2 cgroup2 /sys/fs/cgroup
        mount -t tmpfs tmpfs /run
        mount -t devtmpfs dev /dev
        mount -t hostfs none /mnt -o '%s'
        cd /run
        '%s/bin/java' -Xmx300m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir=/run \
            --enable-native-access=ALL-UNNAMED -cp '%s' '%s' >/mnt/result 2>&1
        sync
        echo o >/proc/sysrq-trigger
        sleep 10
        """
                .formatted(
                        folder,
                        System.getProperty("java.home"),
                        System.getProperty("java.class.path"),
                        Guest.class.getName());
    }

    /// What runs in the guest.
    static final class Guest {
        public static void main(String[] arguments) throws Exception {
            System.out.println("groups: " + HostGroups.find("guest").description());
            var summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(GroupsTest.class))
                                    .build(),
                            summary);
            summary.getSummary()
                    .printFailuresTo(
                            new PrintWriter(new OutputStreamWriter(System.out, UTF_8), true));
            System.out.println("succeeded: " + summary.getSummary().getTestsSucceededCount());
            System.out.println("failed: " + summary.getSummary().getTestsFailedCount());
        }
    }
}
