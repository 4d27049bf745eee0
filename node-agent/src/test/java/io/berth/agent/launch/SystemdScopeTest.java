package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.agent.UserModeLinux;
import io.berth.agent.group.ApartGroup;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.Limits;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The scope on a machine that systemd runs: a guest whose first process is this machine's systemd
/// (Debian: systemd), with the units of the test alone.
class SystemdScopeTest {

    private static final Path SYSTEMD = Path.of("/lib/systemd/systemd");

    @TempDir Path folder;

    @Test
    void runs_and_shims_outlive_a_restart_of_the_agents_unit_and_the_next_agent_finds_them()
            throws Exception {
        assumeThat(SYSTEMD).exists();
        unit("test.target", "[Unit]\nDefaultDependencies=no\nWants=probe.service\n");
        unit(
                "agent.service",
                "[Unit]\nDefaultDependencies=no\n[Service]\nType=exec\nStandardOutput=append:/run/agent\nExecStart="
                        + UserModeLinux.java(Guest.class)
                        + "\n");
        unit(
                "probe.service",
                "[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/sh /mnt/probe\n");
        Files.writeString(
                folder.resolve("probe"),
                """
                systemctl start agent.service
                until [ -e /mnt/first ]; do sleep 0.1; done
                systemctl show -p Delegate -p TasksMax -p TimeoutStopUSec berth.scope >/mnt/unit
                systemctl restart agent.service
                until [ -e /mnt/second ]; do sleep 0.1; done
                while systemctl --quiet is-active berth.scope; do sleep 0.1; done
                : >/mnt/gone
                """
                        + UserModeLinux.OFF);

        UserModeLinux.boot(
                folder,
                UserModeLinux.mount(folder)
                        + "SYSTEMD_UNIT_PATH=/mnt/units exec "
                        + SYSTEMD
                        + " --unit=test.target --show-status=0 --log-target=console --log-level=warning\n");

        List<String> first = Files.readAllLines(folder.resolve("first"));
        assertThat(first)
                .startsWith("system.slice/berth.scope/berth")
                .element(1)
                .asString()
                .contains("MEMORY", "DEVICES");
        assertThat(folder.resolve("second")).content().isEqualTo(String.join("\n", first));
        assertThat(folder.resolve("unit"))
                .content()
                .contains("Delegate=yes", "TasksMax=infinity", "TimeoutStopUSec=1s");
        assertThat(folder.resolve("gone")).exists();
    }

    private void unit(String name, String text) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("units")).resolve(name), text);
    }

    /// An agent that starts a run, or finds it and ends the scope.
    static final class Guest {

        private static final Path OUT = Path.of("/mnt");
        private static final NodeName NODE = new NodeName("lab");
        private static final RunId RUN = new RunId(new JobId(7), 1);

        public static void main(String[] arguments) throws Exception {
            SystemdScope scope =
                    SystemdScope.open("berth", Duration.ofSeconds(1), new Commands()).orElseThrow();
            Groups groups = HostGroups.find(scope.parent());
            List<Path> shims = ApartGroup.make(scope.parent()).entrances();
            Path first = OUT.resolve("first");
            if (Files.exists(first)) {
                Group run = groups.find(NODE, RUN);
                tell("second", scope, Files.readAllLines(first).get(1), run, shims);
                run.kill();
                scope.close();
                return;
            }
            Group run =
                    groups.create(
                            NODE, RUN, new Limits(IndexSet.EMPTY, 64, 20, List.of("c 1:3 rw")));
            enter(run.entrances());
            enter(shims);
            tell("first", scope, run.enforced().toString(), run, shims);
            Thread.sleep(Duration.ofHours(1));
        }

        private static void enter(List<Path> entrances) throws IOException {
            String pid = Long.toString(new ProcessBuilder("sleep", "3600").start().pid());
            for (Path entrance : entrances) {
                Files.writeString(entrance, pid);
            }
        }

        /// Where the scope is, what the run's group enforces, and who is in it and in that of
        /// shims.
        private static void tell(
                String name, SystemdScope scope, String enforced, Group run, List<Path> shims)
                throws IOException {
            var text =
                    String.join(
                            "\n",
                            scope.parent(),
                            enforced,
                            run.members().toString(),
                            Files.readString(shims.getFirst()).strip());
            Path whole = Files.writeString(OUT.resolve(name + ".new"), text);
            Files.move(whole, OUT.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
