package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.Group;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.Limits;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Agents in containers, each a cgroup namespace whose topmost group they are in, in a guest whose
/// kernel has cgroups of version 2 alone.
class ContainerLeafTest {

    @TempDir static Path folder;

    @BeforeAll
    static void boot() throws Exception {
        script("agent", "exec " + UserModeLinux.java(Guest.class) + " \"$@\"");
        script(
                "enter",
                """
                mkdir /sys/fs/cgroup/$1
                [ -z "$2" ] || echo $2 >/sys/fs/cgroup/$1/cgroup.procs
                echo $$ >/sys/fs/cgroup/$1/cgroup.procs
                exec unshare --cgroup --mount sh /mnt/container $1
                """);
        script(
                "container",
                """
                umount /sys/fs/cgroup
                mount -t cgroup2 cgroup2 /sys/fs/cgroup
                sleep 3600 &
                sh /mnt/agent begin /run/$1 >/mnt/$1-begun
                [ $1 = own ] || exit
                sh /mnt/agent end /run/$1 >/mnt/$1-ended
                ls -d /sys/fs/cgroup/*/ >/mnt/$1-left
                cat /sys/fs/cgroup/cgroup.subtree_control >>/mnt/$1-left
                """);
        UserModeLinux.boot(
                folder,
                UserModeLinux.MOUNTS
                        + UserModeLinux.mount(folder)
                        + """
                        echo +memory +pids >/sys/fs/cgroup/cgroup.subtree_control
                        sleep 3600 &
                        sh /mnt/enter own
                        sh /mnt/enter shared $!
                        sh /mnt/agent begin /run/machine >/mnt/machine-begun
                        """
                        + UserModeLinux.OFF);
    }

    private static void script(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private static List<String> told(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    @Test
    void runs_of_an_agent_in_a_container_are_limited() throws Exception {
        assertThat(told("own-begun"))
                .containsExactly("0::/berth-agent", "DEVICES", "MEMORY", "0::/berth-agent");
    }

    @Test
    void the_next_agent_in_the_container_finds_them_and_leaves_nothing() throws Exception {
        assertThat(told("own-ended")).containsExactly("0::/berth-agent", "1 in the run", "0::/");
        assertThat(told("own-left")).isEmpty();
    }

    @Test
    void nobody_is_moved_from_where_somebody_of_outside_is_too() throws Exception {
        assertThat(told("shared-begun")).containsExactly("0::/", "DEVICES", "0::/");
    }

    @Test
    void nobody_is_moved_from_the_machines_own_topmost_group() throws Exception {
        assertThat(told("machine-begun")).containsExactly("0::/", "DEVICES", "MEMORY", "0::/");
    }

    /// An agent without a log, who begins a run in a group, or finds its group and ends it.
    static final class Guest {

        private static final NodeName NODE = new NodeName("lab");
        private static final RunId RUN = new RunId(new JobId(7), 1);

        public static void main(String[] arguments) throws Exception {
            boolean begins = arguments[0].equals("begin");
            TestConfig stopping = TestConfig.host(Path.of(arguments[1]), NODE.value(), "berth");
            try (AgentProcess agent =
                    AgentRig.start(
                            begins ? stopping.leaving() : stopping,
                            new KafkaConnection("127.0.0.1:1"))) {
                tellWhere();
                if (begins) {
                    agent.agents().getFirst().node().inventory().isolation().stream()
                            .sorted()
                            .forEach(System.out::println);
                    beginRun();
                } else {
                    endRun();
                }
            }
            tellWhere();
        }

        private static void beginRun() throws IOException {
            var limits = new Limits(IndexSet.EMPTY, 64, 20, List.of("c 1:3 rw"));
            Group run = HostGroups.find("berth").create(NODE, RUN, limits);
            long pid = new ProcessBuilder("sleep", "3600").start().pid();
            Files.writeString(run.entrances().getFirst(), Long.toString(pid));
        }

        private static void endRun() throws IOException {
            Group run = HostGroups.find("berth").find(NODE, RUN);
            System.out.println(run.members().size() + " in the run");
            run.kill();
            await().until(run::isEmpty);
            run.remove();
        }

        private static void tellWhere() throws IOException {
            System.out.print(Files.readString(Path.of("/proc/self/cgroup")));
        }
    }
}
