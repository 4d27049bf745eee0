package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.group.CgroupV1.Controller;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What groups of version 1 are given, on files in the kernel's place.
class V1LimitsTest {

    @TempDir Path mount;

    private Path group(String name, String cpus, String devices) throws IOException {
        Path group = Files.createDirectories(mount.resolve(name));
        Files.writeString(group.resolve("cpuset.cpus"), cpus);
        Files.writeString(group.resolve("cpuset.mems"), cpus);
        Files.writeString(group.resolve("devices.list"), devices);
        Files.writeString(group.resolve("devices.allow"), "");
        return group;
    }

    /// Runs of virtual nodes are bound to no CPUs. But a group of `cpuset` that has none takes no
    /// process.
    @Test
    void a_group_is_of_the_controllers_that_are_mounted_with_its_own_and_has_its_parents_cpus()
            throws IOException {
        Map<Controller, Path> together =
                Map.of(
                        Controller.CPUACCT, mount,
                        Controller.CPUSET, mount,
                        Controller.MEMORY, mount.resolve("other"));
        assertThat(Controller.mountedWith(Set.of(Controller.CPUACCT), together))
                .containsExactlyInAnyOrder(Controller.CPUACCT, Controller.CPUSET);
        group("", "0-7", "");
        Path task = group("task", "", "");

        new V1Limits(Map.of(Controller.CPUSET, task), together, MemoryRule.AS_GIVEN)
                .set(new ChildLimits(IndexSet.EMPTY, 0, List.of()));

        assertThat(task.resolve("cpuset.cpus")).hasContent("0-7");
        assertThat(task.resolve("cpuset.mems")).hasContent("0-7");
    }

    @ParameterizedTest
    @CsvSource({"'1-2,9', 1-2", "9, 0-7", "'', 0-7"})
    void a_child_has_memory_of_those_nodes_that_its_parent_has(String wanted, String has)
            throws IOException {
        group("", "0-7", "");
        Path task = group("task", "", "");

        new V1Limits(
                        Map.of(Controller.CPUSET, task),
                        Map.of(Controller.CPUSET, mount),
                        MemoryRule.AS_GIVEN)
                .set(new ChildLimits(IndexSet.EMPTY, 0, List.of(), IndexSet.parse(wanted)));

        assertThat(task.resolve("cpuset.mems")).hasContent(has);
    }

    @Test
    void a_child_is_allowed_no_device_that_its_parent_is_not() throws IOException {
        Path step = group("step", "", "c 1:3 rw\nc 195:0 rw\n");
        Path task = group("step/task", "", "");

        new V1Limits(
                        Map.of(Controller.DEVICES, task),
                        Map.of(Controller.DEVICES, mount),
                        MemoryRule.AS_GIVEN)
                .set(new ChildLimits(IndexSet.EMPTY, 0, List.of("c 195:0 rw", "c 195:1 rw")));

        assertThat(step.resolve("devices.allow")).isEmptyFile();
        assertThat(task.resolve("devices.deny")).hasContent("a");
        assertThat(task.resolve("devices.allow")).hasContent("c 195:0 rw");
    }
}
