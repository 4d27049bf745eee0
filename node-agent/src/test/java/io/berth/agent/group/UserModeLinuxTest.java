package io.berth.agent.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.UserModeLinux;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/// The groups on a kernel that has cgroups of version 2, in a guest.
class UserModeLinuxTest {

    @TempDir Path folder;

    @Test
    void groups_hold_on_a_kernel_with_version_2_alone() throws Exception {
        assertGroupsHold(UserModeLinux.MOUNTS, "cgroup v2");
    }

    @Test
    void groups_hold_on_a_kernel_that_has_devices_in_version_1_and_memory_in_version_2()
            throws Exception {
        assertGroupsHold(UserModeLinux.HYBRID_MOUNTS, "cgroup v1 and cgroup v2");
    }

    private void assertGroupsHold(String mounts, String kind) throws Exception {
        UserModeLinux.boot(
                folder,
                mounts
                        + "hostname localhost\ncd /run\n"
                        + UserModeLinux.SWAP
                        + UserModeLinux.mount(folder)
                        + UserModeLinux.java(Guest.class)
                        + " >/mnt/result 2>&1\n"
                        + UserModeLinux.OFF);

        assertThat(folder.resolve("result"))
                .content()
                .contains("groups: " + kind + "\n", "\nfailed: 0\n")
                .doesNotContain("succeeded: 0");
    }

    /// What runs in the guest.
    static final class Guest {
        public static void main(String[] arguments) throws Exception {
            System.out.println("groups: " + HostGroups.find("guest").description());
            var summary = new SummaryGeneratingListener();
            LauncherFactory.create(
                            LauncherConfig.builder()
                                    .enableLauncherSessionListenerAutoRegistration(false)
                                    .enableLauncherDiscoveryListenerAutoRegistration(false)
                                    .enableTestExecutionListenerAutoRegistration(false)
                                    .build())
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(GroupsTest.class))
                                    .build(),
                            summary,
                            new Telling());
            summary.getSummary()
                    .printFailuresTo(
                            new PrintWriter(new OutputStreamWriter(System.out, UTF_8), true));
            System.out.println("succeeded: " + summary.getSummary().getTestsSucceededCount());
            System.out.println("failed: " + summary.getSummary().getTestsFailedCount());
        }
    }

    /// Tells how each test ended, and how long it took.
    private static final class Telling implements TestExecutionListener {

        private long began;

        @Override
        public void executionStarted(TestIdentifier test) {
            began = System.nanoTime();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                System.out.printf(
                        "%s in %d ms: %s%s%n",
                        result.getStatus(),
                        Duration.ofNanos(System.nanoTime() - began).toMillis(),
                        test.getUniqueId().replaceFirst(".*class:", ""),
                        result.getThrowable().map(it -> ": " + it.getMessage()).orElse(""));
            }
        }
    }
}
