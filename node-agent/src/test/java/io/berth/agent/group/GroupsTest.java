package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import io.berth.agent.UserModeLinux;
import io.berth.agent.host.LiveProcess;
import io.berth.contracts.Consumption;
import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Each kind of group that this host has, with real processes in it.
class GroupsTest {

    private static final NodeName NODE = new NodeName("groups1");
    private static final String PARENT = "berth-groups-" + ProcessHandle.current().pid();
    private static final Path BESIDE_VERSION_1 = Path.of("/sys/fs/cgroup/unified");
    private static final Path UNIFIED =
            Files.exists(BESIDE_VERSION_1) ? BESIDE_VERSION_1 : Path.of("/sys/fs/cgroup");
    private static final Limits LIMITS =
            new Limits(IndexSet.firstN(1), 64, 20, List.of("c 1:3 rw", "c 1:9 rw"));

    @TempDir Path folder;

    static Stream<Groups> kinds() throws IOException {
        var kinds = new ArrayList<Groups>();
        if (!UserModeLinux.isHere()) {
            kinds.add(HostGroups.processTrees()); // As they are on any kernel.
        }
        Groups best = HostGroups.find(PARENT);
        if (!(best instanceof ProcessTrees)) {
            kinds.add(best);
        }
        if (hasVersion2() && !(best instanceof CgroupV2)) {
            kinds.add(new CgroupV2(UNIFIED, PARENT, MemoryRule.AS_GIVEN));
        }
        return kinds.stream();
    }

    private static boolean hasVersion2() {
        return Files.isWritable(UNIFIED) && Files.exists(UNIFIED.resolve("cgroup.controllers"));
    }

    private Process enter(Group group, RunId run, String script) throws IOException {
        return enter(group.entrances(), run, script);
    }

    private Process enter(List<Path> entrances, RunId run, String script) throws IOException {
        var text = new StringBuilder();
        for (Path entrance : entrances) {
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

        await().until(() -> {
            // Again where the kernel holds no group: one that is just born may be missed.
            group.kill();
            return group.members().isEmpty();
        });
        group.remove();
        groups.removeEmptyParents(NODE);

        assertThat(process.waitFor()).isEqualTo(137);
        assertThat(groups.find(NODE, run).members()).isEmpty();
    }

    @Test
    void groups_that_a_job_made_within_its_own_are_emptied_and_removed_with_it() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        RunId run = new RunId(new JobId(81), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Path inner = group.entrances().getFirst().resolveSibling("mine").resolve("deeper");
        Files.createDirectories(inner);
        Process process = enter(group, run, "echo 0 > " + inner + "/cgroup.procs; exec sleep 60");
        await().until(() -> !ControlFiles.processes(inner).isEmpty());

        group.kill();
        process.waitFor();
        group.remove();
        groups.removeEmptyParents(NODE);

        assertThat(inner).doesNotExist();
        assertThat(group.entrances().getFirst()).doesNotExist();
    }

    /// It made them within those of the run, by the name `task`.
    @ParameterizedTest
    @MethodSource("kinds")
    void the_groups_of_an_agent_of_before_are_found_and_removed(Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(87), 1);
        Group outer = groups.create(NODE, run, new Limits(IndexSet.EMPTY, 64, 0, List.of()));
        for (Path entrance : outer.entrances()) {
            Path group = Objects.requireNonNull(entrance.getParent());
            if (group.endsWith("script")) {
                Files.delete(group);
                Files.createDirectories(group.resolveSibling("task").resolve("script"));
            } else {
                Files.createDirectory(group.resolve("task"));
            }
        }

        Group found = groups.find(NODE, run);

        // It looks in each hierarchy; without CPUs the run has no group in that of cpusets.
        List<Path> entrances = found.entrances().stream().filter(Files::exists).toList();
        assertThat(entrances)
                .hasSameSizeAs(outer.entrances())
                .allMatch(it -> it.toString().contains("/87.1/task/"));
        Process process = enter(entrances, run, "exec sleep 60");
        await().until(() -> found.members().equals(Set.of(process.pid())));
        found.kill();
        process.waitFor();
        found.remove();
        groups.removeEmptyParents(NODE);
        assertThat(outer.folders()).noneMatch(Files::exists);
    }

    @Test
    void a_group_that_a_job_named_as_agents_of_before_did_theirs_hides_nobody() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(88), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Process process = enter(group, run, "exec sleep 60");
        await().until(() -> group.members().equals(Set.of(process.pid())));
        for (Path folder : group.folders()) {
            Files.createDirectory(folder.resolve("task"));
        }

        assertThat(groups.find(NODE, run).members()).containsExactly(process.pid());

        group.kill();
        process.waitFor();
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_step_has_a_group_within_its_runs_that_ends_alone(Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(82), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Process process = enter(group, run, "sleep 60 & exec sleep 60");
        await().until(() -> group.members().size() == 2);
        long moved = process.children().findFirst().orElseThrow().pid();

        Group step = group.makeChild(3, new ChildLimits(IndexSet.firstN(1), 32, List.of()));
        step.take(moved);

        assertThat(groups.find(NODE, run).children()).containsExactly(3);
        Group found = groups.find(NODE, run).child(3).orElseThrow();
        assertThat(found.members()).containsExactly(moved);
        assertThat(group.members()).containsExactlyInAnyOrder(process.pid(), moved);
        assertThat(group.has(moved)).isTrue();
        assertThat(group.has(process.pid())).isTrue();
        assertThat(found.has(moved)).isTrue();
        assertThat(found.has(process.pid())).isFalse();
        assertThat(group.has(ProcessHandle.current().pid())).isFalse();
        found.kill();
        await().until(() -> found.members().isEmpty());
        assertThat(process.isAlive()).isTrue();
        assertThat(found.usage().cpuMillis()).isNotNegative();
        found.remove();
        assertThat(group.children()).isEmpty();
        assertThat(group.members()).containsExactly(process.pid());
        assertThat(group.has(moved)).isFalse();
        group.makeChild(4, new ChildLimits(IndexSet.EMPTY, 0, List.of()));
        group.kill();
        process.waitFor();
        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// As a job could bring about whose process ends just then.
    @ParameterizedTest
    @MethodSource("kinds")
    void a_process_that_has_the_number_of_one_that_ended_is_not_taken_or_is_put_back(Groups groups)
            throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(93), 1);
        Group group = groups.create(NODE, run, new Limits(IndexSet.EMPTY, 64, 20, List.of()));
        Group step = group.makeChild(0, new ChildLimits(IndexSet.EMPTY, 32, List.of()));
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            Path where = Path.of("/proc", Long.toString(other.pid()), "cgroup");
            String before = Files.readString(where);
            long began = LiveProcess.stat(other.pid()).orElseThrow().startTime();
            var ended = new LiveProcess(other.pid(), began - 1);

            boolean taken = Taking.take(step, ended);
            String untouched = Files.readString(where);
            step.take(other.pid());
            String moved = Files.readString(where);
            boolean right = Taking.isRight(step, ended);

            assertThat(taken).isFalse();
            assertThat(untouched).isEqualTo(before);
            assertThat(moved).isNotEqualTo(before);
            assertThat(right).isFalse();
            assertThat(where).hasContent(before);
            assertThat(step.members()).isEmpty();
            assertThat(Taking.take(step, new LiveProcess(other.pid(), began))).isTrue();
            assertThat(step.members()).containsExactly(other.pid());
        } finally {
            other.destroyForcibly().waitFor();
            step.remove();
            group.remove();
            groups.removeEmptyParents(NODE);
        }
    }

    @Test
    void a_step_that_takes_more_than_its_memory_is_seen_to_be_killed_and_its_run_is_not()
            throws Exception {
        Groups groups = HostGroups.find(PARENT);
        RunId run = new RunId(new JobId(83), 1);
        Group group = groups.create(NODE, run, LIMITS);
        assumeThat(group.enforced()).contains(Isolation.MEMORY);
        Process process =
                enter(group, run, ": >in; read x; exec perl -e '$x = \"x\" x 100_000_000'");
        await().until(() -> Files.exists(folder.resolve("in")));
        Group step = group.makeChild(0, new ChildLimits(IndexSet.EMPTY, 24, List.of()));
        assertThat(step.enforced()).contains(Isolation.MEMORY);

        step.take(process.pid());
        process.outputWriter().append("go\n").close();
        process.waitFor();

        assertThat(step.outOfMemory()).isTrue();
        assertThat(step.usage().maxMemoryMib()).isBetween(20L, 24L);
        await().until(() -> step.members().isEmpty());
        step.remove();
        assertThat(group.outOfMemory()).isFalse();
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_task_opens_what_is_its_own_and_is_counted_where_that_costs_no_group(Groups groups)
            throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(92), 1);
        Group group = groups.create(NODE, run, LIMITS);
        assertThat(LIMITS.devices()).contains("c 1:9 rw");
        Process process =
                enter(
                        group,
                        run,
                        ": >in; read x; i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done;"
                                + " head -c1 /dev/urandom >/dev/null; : >done; read x");
        await().until(() -> Files.exists(folder.resolve("in")));
        Group step = group.makeChild(0, new ChildLimits(IndexSet.EMPTY, 0, List.of()));
        Group task = step.makeChild(5, new ChildLimits(IndexSet.firstN(1), 0, List.of("c 1:3 rw")));
        var near = new ChildLimits(IndexSet.EMPTY, 0, List.of(), IndexSet.firstN(1));
        Group other = step.makeChild(6, near);

        step.take(process.pid());
        task.take(process.pid());
        process.outputWriter().append("go\n").flush();
        await().until(() -> Files.exists(folder.resolve("done")) || !process.isAlive());

        assertThat(step.children()).containsExactly(5, 6);
        for (Path set : other.folders().stream().map(it -> it.resolve("cpuset.mems")).toList()) {
            assertThat(!Files.exists(set) || Files.readString(set).strip().equals("0")).isTrue();
        }
        assertThat(step.has(process.pid())).isTrue();
        assertThat(task.members()).containsExactly(process.pid());
        assertThat(step.child(6).orElseThrow().members()).isEmpty();
        assertThat(step.child(7).orElseThrow().members()).isEmpty();
        if (group.enforced().contains(Isolation.DEVICES)) {
            assertThat(task.enforced()).contains(Isolation.DEVICES);
            assertThat(folder.resolve("output")).content().contains("/dev/urandom");
        }
        assertThat((step.countsChildren() ? task : step).usage().cpuMillis()).isPositive();
        assertThat(step.child(6).orElseThrow().usage().cpuMillis()).isZero();
        step.kill();
        process.waitFor();
        await().until(() -> group.members().isEmpty());
        step.remove();
        assertThat(group.children()).isEmpty();
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// It stays when the tests are over.
    @Test
    @EnabledIfEnvironmentVariable(named = "CI", matches = "true")
    void moves_into_groups_are_favored_and_nothing_else_of_the_machines_mounts_changes()
            throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        List<String> before = Files.readAllLines(FavorDynmods.MOUNTS);

        Optional<String> refused = groups.favorMoves();

        List<String> after = Files.readAllLines(FavorDynmods.MOUNTS);
        assertThat(without("favordynmods", after)).isEqualTo(without("favordynmods", before));
        if (groups instanceof CgroupV2) {
            assertThat(after).isEqualTo(before);
        } else if (refused.isEmpty() && Files.exists(BESIDE_VERSION_1)) {
            assertThat(after).anyMatch(it -> it.matches(".* - cgroup2 .*,favordynmods.*"));
        }
    }

    private static List<String> without(String option, List<String> lines) {
        return lines.stream().map(it -> it.replace("," + option, "")).toList();
    }

    /// Some hosts have cpu and cpuacct so, or all controllers.
    @Test
    void controllers_of_version_1_that_are_mounted_together_share_a_group() throws IOException {
        Groups groups =
                HostGroups.find(
                        List.of("cgroup " + folder + " cgroup rw,cpuacct,blkio 0 0"),
                        PARENT,
                        MemoryRule.AS_GIVEN);

        Group group = groups.create(NODE, new RunId(new JobId(86), 1), LIMITS);
        Group step = group.makeChild(1, new ChildLimits(IndexSet.EMPTY, 0, List.of()));

        assertThat(group.folders().getFirst()).isDirectory();
        assertThat(step.folders().getFirst()).isDirectory();
    }

    @Test
    void a_kernel_that_does_not_count_swap_is_known_by_its_files() throws IOException {
        List<String> mounts = List.of("cgroup " + folder + " cgroup rw,memory 0 0");
        Groups groups = HostGroups.find(mounts, PARENT, MemoryRule.AS_GIVEN);
        assertThat(groups.countSwap()).isFalse();

        Files.createFile(folder.resolve("memory.memsw.limit_in_bytes"));

        assertThat(groups.countSwap()).isTrue();
    }

    @Test
    void a_kernel_that_counts_no_disks_is_not_taken_to_have_counted_none() throws IOException {
        List<String> mounts = List.of("cgroup " + folder + " cgroup rw,blkio 0 0");
        Groups groups = HostGroups.find(mounts, PARENT, MemoryRule.AS_GIVEN);
        Group group = groups.create(NODE, new RunId(new JobId(99), 1), LIMITS);
        String name = "blkio.throttle.io_service_bytes_recursive";
        Files.writeString(group.folders().getFirst().resolve(name), "Total 0\n");
        Files.writeString(folder.resolve(name), "Total 0\n");
        Consumption none = group.usage();

        Files.writeString(folder.resolve(name), "254:0 Read 4096\n254:0 Total 4096\nTotal 4096\n");
        Consumption counted = group.usage();

        assertThat(none.readMib()).isNull();
        assertThat(none.writtenMib()).isNull();
        assertThat(counted.readMib()).isZero();
        assertThat(counted.writtenMib()).isZero();
    }

    @Test
    void version_2_is_alone_where_version_1_has_no_controller_that_groups_need() {
        String both = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0";
        String systemds = "cgroup /sys/fs/cgroup/systemd cgroup rw,xattr,name=systemd 0 0";

        assertThat(HostGroups.unified(List.of("proc /proc proc rw 0 0", both)))
                .hasValue(Path.of("/sys/fs/cgroup/unified"));
        assertThat(HostGroups.unified(List.of(systemds, both))).isPresent();
        assertThat(HostGroups.unified(List.of(both, "cgroup /c cgroup rw,memory 0 0"))).isEmpty();
        assertThat(HostGroups.unified(List.of(systemds))).isEmpty();
    }

    @Test
    void where_one_version_can_make_no_group_nothing_is_left_in_the_other() throws IOException {
        Groups version1 =
                HostGroups.find(
                        List.of("cgroup " + folder + " cgroup rw,cpuacct,blkio 0 0"),
                        PARENT,
                        MemoryRule.AS_GIVEN);
        Group group =
                new BothVersions(version1, HostGroups.processTrees(), true)
                        .create(NODE, new RunId(new JobId(86), 1), LIMITS);

        assertThatThrownBy(() -> group.makeChild(1, new ChildLimits(IndexSet.EMPTY, 0, List.of())))
                .isInstanceOf(IOException.class)
                .hasMessage("the kernel holds no groups");
        assertThat(group.folders().getFirst()).isEmptyDirectory();
    }

    @Test
    void a_process_that_becomes_another_program_is_a_member_all_along() throws Exception {
        RunId run = new RunId(new JobId(87), 1);
        Group group = HostGroups.processTrees().find(NODE, run);
        Path again = Files.writeString(folder.resolve("again"), "exec sh again");
        Process process = enter(group, run, "exec sh " + again);
        await().until(() -> group.members().contains(process.pid()));

        for (int look = 0; look < 100; look++) {
            assertThat(group.members()).contains(process.pid());
        }

        process.destroyForcibly().waitFor();
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
    void a_host_enforces_what_it_says() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        RunId run = new RunId(new JobId(79), 1);
        Group group = groups.create(NODE, run, LIMITS);

        enter(group, run, "nproc; cat /dev/null && echo null; cat /dev/zero | head -c 9").waitFor();

        assertThat(group.enforced()).contains(Isolation.DEVICES, Isolation.MEMORY);
        String cpus =
                group.enforced().contains(Isolation.CPUSET)
                        ? "1"
                        : Integer.toString(Runtime.getRuntime().availableProcessors());
        assertThat(folder.resolve("output"))
                .hasContent(cpus + "\nnull\ncat: /dev/zero: Operation not permitted\n");
        assertThat(group.usage().maxMemoryMib()).isBetween(0L, 64L);
        assertThat(group.outOfMemory()).isFalse();
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @Test
    void more_memory_than_was_given_is_taken_where_the_machine_has_it_so() throws Exception {
        var rule = new MemoryRule(150, 50, Long.MAX_VALUE, Long.MAX_VALUE, OptionalInt.of(10));
        Groups groups = HostGroups.find(PARENT, rule);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        RunId run = new RunId(new JobId(95), 1);
        Group group = groups.create(NODE, run, LIMITS);
        assertThat(group.enforced()).contains(Isolation.MEMORY);

        boolean inVersion2 =
                group.folders().stream().anyMatch(it -> Files.exists(it.resolve("memory.max")));
        // Version 2 would slow it down to a crawl.
        int mebibytes = inVersion2 ? 50 : 70;
        String taking =
                "dd if=/dev/urandom of=/dev/null bs=%dM count=1 iflag=fullblock"
                        .formatted(mebibytes);
        int status = enter(group, run, taking).waitFor();

        assertThat(status).isZero();
        assertThat(group.outOfMemory()).isFalse();
        assertThat(group.usage().maxMemoryMib()).isBetween((long) mebibytes, 96L);
        var set = new TreeMap<String, Long>();
        for (Path folder : group.folders()) {
            for (String name :
                    List.of(
                            "memory.limit_in_bytes",
                            "memory.max",
                            "memory.memsw.limit_in_bytes",
                            "memory.swap.max",
                            "memory.soft_limit_in_bytes",
                            "memory.high",
                            "memory.swappiness")) {
                if (Files.exists(folder.resolve(name))) {
                    set.put(name, Long.valueOf(ControlFiles.read(folder.resolve(name))));
                }
            }
        }
        long mib = 1L << 20;
        Map<String, Long> wanted =
                inVersion2
                        ? Map.of(
                                "memory.max", 96 * mib,
                                "memory.swap.max", 32 * mib,
                                "memory.high", 64 * mib)
                        : Map.of(
                                "memory.limit_in_bytes", 96 * mib,
                                "memory.memsw.limit_in_bytes", 128 * mib,
                                "memory.soft_limit_in_bytes", 64 * mib,
                                "memory.swappiness", 10L);
        assertThat(set).isNotEmpty();
        assertThat(wanted).containsAllEntriesOf(set);
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// By version 2, and by version 1 where a guest has both.
    @Test
    void what_a_disk_reads_and_writes_for_a_run_is_counted() throws Exception {
        assumeThat(UserModeLinux.isHere()).as("a disk that may be written to").isTrue();
        Groups groups = HostGroups.find(PARENT);
        RunId run = new RunId(new JobId(98), 1);
        List<String> devices = List.of("c 1:3 rw", "c 1:5 rw", "b 98:16 rw");
        Group group = groups.create(NODE, run, new Limits(IndexSet.firstN(1), 64, 20, devices));
        String script =
                "set -e; dd if=%1$s of=/dev/null bs=1M count=3 iflag=direct; dd if=/dev/zero of=%1$s bs=1M count=5 oflag=direct conv=notrunc"
                        .formatted(UserModeLinux.DISK);

        for (Path each : group.folders()) {
            for (String way : List.of("read", "write")) {
                Path limit = each.resolve("blkio.throttle.%s_bps_device".formatted(way));
                if (Files.exists(limit)) {
                    // Without one this kernel's version 1 counts nothing.
                    ControlFiles.write(limit, "98:16 " + (1L << 40));
                }
            }
        }

        int status = enter(group, run, script).waitFor();
        Consumption used = group.usage();

        assertThat(status).isZero();
        assertThat(used.readMib()).isEqualTo(3);
        assertThat(used.writtenMib()).isEqualTo(5);
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// Where the machine has swap: it is no memory beside that which was given.
    @ParameterizedTest
    @CsvSource({"0, 80, 137", "50, 80, 0", "50, 110, 137"})
    void swap_is_taken_as_far_as_it_was_given(int swapPercent, int mebibytes, int status)
            throws Exception {
        assumeThat(Files.readAllLines(Path.of("/proc/swaps"))).as("swap").hasSizeGreaterThan(1);
        var rule =
                new MemoryRule(
                        100, swapPercent, Long.MAX_VALUE, Long.MAX_VALUE, OptionalInt.empty());
        Groups groups = HostGroups.find(PARENT, rule);
        assumeThat(groups.countSwap()).isTrue();
        RunId run = new RunId(new JobId(97), 1);
        Group group = groups.create(NODE, run, LIMITS);
        assertThat(group.enforced()).contains(Isolation.MEMORY);
        String taking =
                "exec dd if=/dev/urandom of=/dev/null bs=%dM count=1 iflag=fullblock"
                        .formatted(mebibytes);

        int ended = enter(group, run, taking).waitFor();

        assertThat(ended).isEqualTo(status);
        assertThat(group.outOfMemory()).isEqualTo(status == 137);
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// The kernel hands controllers on only where nobody is in the group itself.
    @Test
    void what_cannot_be_enforced_below_a_group_that_somebody_is_in_is_not_claimed()
            throws Exception {
        assumeThat(HostGroups.find(PARENT)).isInstanceOf(CgroupV2.class);
        Path above = Files.createDirectory(UNIFIED.resolve(PARENT + "-taken"));
        Process other = new ProcessBuilder("sleep", "60").start();
        ControlFiles.write(ControlFiles.entrance(above), Long.toString(other.pid()));
        try {
            Groups groups = HostGroups.find(above.getFileName().toString());
            RunId run = new RunId(new JobId(98), 1);
            Group group = groups.create(NODE, run, LIMITS);
            Process process = enter(group, run, "cat /dev/zero | head -c 9; exec sleep 60");
            // Before it has begun with anything it is alone there, too.
            await().until(() ->
                    Files.size(folder.resolve("output")) > 0
                            && group.members().equals(Set.of(process.pid())));

            group.kill();

            assertThat(process.waitFor()).isEqualTo(137);
            assertThat(group.enforced()).containsExactly(Isolation.DEVICES);
            assertThat(folder.resolve("output"))
                    .hasContent("cat: /dev/zero: Operation not permitted\n");
            group.remove();
            groups.removeEmptyParents(NODE);
        } finally {
            other.destroyForcibly().waitFor();
            await().until(() -> ControlFiles.removeIfEmpty(above));
        }
    }

    @Test
    void a_group_that_takes_more_memory_than_it_has_is_seen_to_be_killed_for_it() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        RunId run = new RunId(new JobId(85), 1);
        Group group = groups.create(NODE, run, LIMITS);

        int status = enter(group, run, "exec perl -e '$x = \"x\" x 100_000_000'").waitFor();

        assertThat(status).isEqualTo(137);
        assertThat(group.outOfMemory()).isTrue();
        assertThat(group.usage().maxMemoryMib()).isBetween(32L, 64L);
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_suspended_group_stands_still_until_it_is_resumed(Groups groups) throws Exception {
        RunId run = new RunId(new JobId(80), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Path ticks = folder.resolve("ticks");
        enter(group, run, "while :; do echo >>" + ticks + "; sleep 0.01; done");
        await().until(() -> Files.exists(ticks) && Files.size(ticks) > 3);

        group.suspend();
        await().during(Duration.ofMillis(100)).until(stands(ticks));
        long before = Files.size(ticks);
        group.resume();

        await().until(() -> Files.size(ticks) > before + 3);
        group.kill();
        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_run_stands_still_with_its_steps_and_with_groups_of_its_own_and_is_killed_as_it_stands(
            Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunId run = new RunId(new JobId(96), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Group step = group.makeChild(0, new ChildLimits(IndexSet.EMPTY, 0, List.of()));
        var own = new ArrayList<Path>();
        for (Path entrance : group.entrances()) {
            Path mine = Files.createDirectory(entrance.resolveSibling("mine"));
            for (String set : List.of("cpuset.cpus", "cpuset.mems")) {
                if (Files.exists(mine.resolve(set))) {
                    ControlFiles.write(
                            mine.resolve(set), ControlFiles.read(entrance.resolveSibling(set)));
                }
            }
            own.add(ControlFiles.entrance(mine));
        }
        List<Path> ticks = Stream.of("script", "step", "mine").map(folder::resolve).toList();
        String ticking = "while :; do echo >>%s; sleep 0.01; done";
        enter(group.entrances(), run, ticking.formatted(ticks.get(0)));
        enter(step.entrances(), run, ticking.formatted(ticks.get(1)));
        enter(own, run, ticking.formatted(ticks.get(2)));
        await().until(() -> ticks.stream().allMatch(Files::exists));

        group.suspend();
        for (Path each : ticks) {
            await().during(Duration.ofMillis(100)).until(stands(each));
        }
        group.kill();

        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void a_group_can_be_suspended_while_its_shell_starts_one_program_after_the_other(Groups groups)
            throws Exception {
        RunId run = new RunId(new JobId(87), 1);
        Group group = groups.create(NODE, run, LIMITS);
        Path begun = folder.resolve("begun");
        enter(group, run, "touch " + begun + "; while :; do sleep 0; done");
        await().until(() -> Files.exists(begun));

        for (int times = 0; times < 30; times++) {
            group.suspend();
            group.resume();
        }

        group.kill();
        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    private static Callable<Boolean> stands(Path file) throws IOException {
        var last = new AtomicLong(Files.size(file));
        return () -> {
            long now = Files.size(file);
            return last.getAndSet(now) == now;
        };
    }

    @Test
    void a_program_in_the_kernel_keeps_a_group_of_version_2_from_foreign_devices()
            throws Exception {
        assumeThat(hasVersion2()).as("cgroups of version 2").isTrue();
        RunId run = new RunId(new JobId(81), 1);
        Groups groups = new CgroupV2(UNIFIED, PARENT, MemoryRule.AS_GIVEN);
        Path own = device(3);
        Path foreign = device(4);
        Path made = folder.resolve("made");
        var rules = new ArrayList<String>();
        // As many as a machine of 16 GPUs, each split into seven instances.
        IntStream.range(0, 250).forEach(minor -> rules.add("c 240:" + minor + " rw"));
        rules.addAll(List.of("c 1:3 rw", "c 195:3 rw"));
        var limits = new Limits(IndexSet.EMPTY, 64, 0, rules);
        Group group = groups.create(NODE, run, limits);

        enter(
                        group,
                        run,
                        "cat /dev/null && echo null; cat %s; cat %s; mknod %s c 1 3; cat /dev/zero | head -c 9"
                                .formatted(own, foreign, made))
                .waitFor();

        assertThat(group.enforced()).contains(Isolation.DEVICES);
        assertThat(Files.readAllLines(folder.resolve("output")))
                .containsExactly(
                        "null",
                        "cat: " + own + ": No such device or address",
                        "cat: " + foreign + ": Operation not permitted",
                        "mknod: " + made + ": Operation not permitted",
                        "cat: /dev/zero: Operation not permitted");
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @Test
    void programs_go_with_their_groups() throws Exception {
        assumeThat(hasVersion2()).as("cgroups of version 2").isTrue();
        Groups groups = new CgroupV2(UNIFIED, PARENT, MemoryRule.AS_GIVEN);
        var limits = new Limits(IndexSet.EMPTY, 64, 0, List.of("c 1:3 rw"));
        var programs = new TreeSet<Integer>();

        for (int job = 1; job <= 20; job++) {
            Group group = groups.create(NODE, new RunId(new JobId(100 + job), 1), limits);
            programs.addAll(programs(group.folders().getFirst()));
            group.remove();
        }
        groups.removeEmptyParents(NODE);

        assertThat(programs).hasSize(20);
        await().untilAsserted(
                        () -> assertThat(programs).filteredOn(GroupsTest::isLoaded).isEmpty());
    }

    /// The numbers of the kernel's programs on a group itself: bpf(2), BPF_PROG_QUERY.
    private static List<Integer> programs(Path group) {
        int directory = Kernel.here().open(group.toString(), 0);
        try (var attribute = new Memory(32);
                var numbers = new Memory(64)) {
            attribute.clear();
            attribute.setInt(0, directory);
            attribute.setInt(4, 6);
            attribute.setPointer(16, numbers);
            attribute.setInt(24, 16);
            DeviceFilter.bpf(16, attribute, 32);
            return IntStream.range(0, attribute.getInt(24))
                    .mapToObj(place -> numbers.getInt(4L * place))
                    .toList();
        } finally {
            Kernel.here().close(directory);
        }
    }

    /// Whether the kernel still has the program of that number: BPF_PROG_GET_FD_BY_ID.
    private static boolean isLoaded(int program) {
        try (var attribute = new Memory(16)) {
            attribute.clear();
            attribute.setInt(0, program);
            Kernel.here().close(DeviceFilter.bpf(13, attribute, 16));
            return true;
        } catch (LastErrorException e) {
            return false;
        }
    }

    @Test
    void the_program_holds_when_who_attached_it_is_gone() throws Exception {
        assumeThat(hasVersion2()).as("cgroups of version 2").isTrue();
        RunId run = new RunId(new JobId(82), 1);
        Process other =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Attaching.class.getName(),
                                PARENT,
                                run.job().toString())
                        .inheritIO()
                        .start();
        assertThat(other.waitFor()).isZero();
        Groups groups = new CgroupV2(UNIFIED, PARENT, MemoryRule.AS_GIVEN);
        Group group = groups.find(NODE, run);

        enter(group, run, "cat /dev/null && cat /dev/zero | head -c 9").waitFor();

        assertThat(Files.readString(folder.resolve("output")))
                .isEqualTo("cat: /dev/zero: Operation not permitted\n");
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    /// Another process, which makes a group and ends.
    static final class Attaching {
        public static void main(String[] arguments) throws IOException {
            var run = new RunId(new JobId(Long.parseLong(arguments[1])), 1);
            var limits = new Limits(IndexSet.EMPTY, 64, 0, List.of("c 1:3 rw"));
            var unused =
                    new CgroupV2(UNIFIED, arguments[0], MemoryRule.AS_GIVEN)
                            .create(NODE, run, limits);
        }
    }

    private Path device(int minor) throws Exception {
        Path device = folder.resolve("gpu" + minor);
        int status =
                new ProcessBuilder("mknod", device.toString(), "c", "195", Integer.toString(minor))
                        .start()
                        .waitFor();
        assumeThat(status).as("the right to make device files").isZero();
        return device;
    }

    @Test
    void a_fork_bomb_stays_within_its_number_of_processes_and_is_killed() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups).isNotInstanceOf(ProcessTrees.class);
        RunId run = new RunId(new JobId(83), 1);
        Group group = groups.create(NODE, run, LIMITS);
        enter(group, run, "exec perl -e 'fork while 1'");
        await().until(() -> group.members().size() == 20);

        group.kill();

        await().until(() -> group.members().isEmpty());
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @Test
    void without_devices_in_version_1_the_program_of_version_2_stands_in() throws Exception {
        assumeThat(Files.isWritable(BESIDE_VERSION_1)).as("both versions").isTrue();
        RunId run = new RunId(new JobId(84), 1);
        Groups groups =
                HostGroups.find(
                        Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                                .filter(line -> !line.contains("/devices "))
                                .toList(),
                        PARENT,
                        MemoryRule.AS_GIVEN);
        Group group = groups.create(NODE, run, LIMITS);

        enter(group, run, "cat /dev/zero | head -c 9").waitFor();

        assertThat(groups.description()).isEqualTo("cgroup v1 and cgroup v2");
        assertThat(group.enforced()).contains(Isolation.DEVICES);
        assertThat(Files.readString(folder.resolve("output")))
                .isEqualTo("cat: /dev/zero: Operation not permitted\n");
        group.remove();
        groups.removeEmptyParents(NODE);
    }

    @Test
    void version_1_is_taken_where_it_is_mounted_and_nothing_where_nothing_is() throws IOException {
        String dev = "tmpfs " + folder + " tmpfs rw 0 0";
        String v1 = "cgroup " + folder + " cgroup rw,relatime,memory 0 0";
        String v2 = "cgroup2 " + folder + " cgroup2 rw 0 0";

        String devices = v1.replace("memory", "devices");

        assertThat(HostGroups.find(List.of(dev, v1, devices, v2), "b", MemoryRule.AS_GIVEN))
                .isInstanceOf(CgroupV1.class);
        assertThat(HostGroups.find(List.of(dev, v1, v2), "b", MemoryRule.AS_GIVEN))
                .isInstanceOf(BothVersions.class);
        Files.writeString(folder.resolve("cgroup.controllers"), "hugetlb memory pids\n");
        assertThat(HostGroups.find(List.of(dev, devices, v2), "b", MemoryRule.AS_GIVEN))
                .isInstanceOf(BothVersions.class);
        assertThat(HostGroups.find(List.of(dev, v2), "b", MemoryRule.AS_GIVEN))
                .isInstanceOf(CgroupV2.class);
        assertThat(HostGroups.find(List.of(dev), "b", MemoryRule.AS_GIVEN))
                .isInstanceOf(ProcessTrees.class);
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
