package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each kind of group that this host has, with real processes in it.
class GroupsTest {

    private static final NodeName NODE = new NodeName("groups1");
    private static final String PARENT = "berth-groups-" + ProcessHandle.current().pid();
    private static final Path UNIFIED = Path.of("/sys/fs/cgroup/unified");
    private static final Limits LIMITS =
            new Limits(IndexSet.firstN(1), 64, List.of("c 1:3 rw", "c 1:9 rw"));

    @TempDir Path folder;

    static Stream<Groups> kinds() throws IOException {
        var kinds = new ArrayList<Groups>();
        kinds.add(HostGroups.processTrees());
        Groups best = HostGroups.find(PARENT);
        if (!(best instanceof ProcessTrees)) {
            kinds.add(best);
        }
        Path v2 = Files.exists(UNIFIED) ? UNIFIED : Path.of("/sys/fs/cgroup");
        if (Files.isWritable(v2) && Files.exists(v2.resolve("cgroup.controllers"))) {
            kinds.add(new CgroupV2(v2, PARENT));
        }
        return kinds.stream();
    }

    private Process enter(Group group, RunId run, String script) throws IOException {
        var text = new StringBuilder();
        for (Path entrance : group.entrances()) {
            text.append("echo 0 > ").append(entrance).append(" || exit 125\n");
        }
        var builder =
                new ProcessBuilder("setsid", "sh", "-c", text + script)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile());
        for (String mark : RunMark.of(NODE, run)) {
            builder.environment().put(mark.split("=")[0], mark.split("=")[1]);
        }
        return builder.start();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void all_processes_are_members_and_all_are_killed(Groups groups) throws Exception {
        RunId run = new RunId(new JobId(77), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Process process =
                enter(group, run, "(setsid sleep 60 &); setsid setsid sleep 60 & sleep 60");
        await().until(() -> group.members().size() == 4);

        group.kill();
        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);

        assertThat(process.waitFor()).isEqualTo(137);
        assertThat(groups.find(NODE, run).members()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_group_that_is_gone_is_empty_and_can_be_removed_again(Groups groups) throws Exception {
        Group group = groups.find(NODE, new RunId(new JobId(78), 1));

        group.remove();

        assertThat(group.members()).isEmpty();
        assertThat(group.outOfMemory()).isFalse();
        assertThat(group.usage().cpuMillis()).isZero();
    }

    @Test
    void cgroups_of_version_1_enforce_what_they_say() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isInstanceOf(CgroupV1.class);
        RunId run = new RunId(new JobId(79), 1);
        Group group = groups.create(NODE, run, LIMITS);

        enter(group, run, "nproc; cat /dev/null && echo null; cat /dev/zero; (: < /dev/zero)")
                .waitFor();

        assertThat(group.enforced())
                .containsExactlyInAnyOrder(Isolation.DEVICES, Isolation.CPUSET, Isolation.MEMORY);
        assertThat(Files.readString(folder.resolve("output")))
                .startsWith("1\nnull\n")
                .contains("/dev/zero: Operation not permitted");
        assertThat(group.usage().maxMemoryMib()).isBetween(0L, 64L);
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @Test
    void version_1_is_taken_where_it_is_mounted_and_nothing_where_nothing_is() throws IOException {
        String dev = "tmpfs " + folder + " tmpfs rw 0 0";
        String v1 = "cgroup " + folder + " cgroup rw,relatime,memory 0 0";
        String v2 = "cgroup2 " + folder + " cgroup2 rw 0 0";

        assertThat(HostGroups.find(List.of(dev, v1, v2), "b")).isInstanceOf(CgroupV1.class);
        assertThat(HostGroups.find(List.of(dev, v2), "b")).isInstanceOf(CgroupV2.class);
        assertThat(HostGroups.find(List.of(dev), "b")).isInstanceOf(ProcessTrees.class);
    }

    @Test
    void a_run_may_open_its_own_gpus_and_no_others() {
        DeviceRules rules =
                DeviceRules.parse(
                        List.of(
                                "Character devices:",
                                "195 nvidia",
                                "231 infiniband_verbs",
                                "507 nvidia-uvm",
                                "",
                                "Block devices:",
                                "8 infiniband_disk"));
        var held = new Gpu(0, "GPU-1", "a100", "A100", 3, 1, 0);
        var declared = new Gpu(1, "GPU-2", "a100", "A100", -1, 1, 0);

        assertThat(rules.allowing(List.of(held, declared)))
                .contains("c 1:3 rw", "c 231:* rw", "c 195:3 rw", "c 195:255 rw", "c 507:* rw")
                .doesNotContain("c 195:0 rw", "c 8:* rw", "c 195:-1 rw");
        assertThat(rules.allowing(List.of(declared)))
                .noneMatch(rule -> rule.startsWith("c 195:") || rule.startsWith("c 507:"));
    }
}
