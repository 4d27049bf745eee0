package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.StepGroups.Holder;
import io.berth.agent.StepGroups.Holders;
import io.berth.agent.group.ChildLimits;
import io.berth.agent.group.Group;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StepCommand;
import io.berth.agent.launch.StepUse;
import io.berth.agent.launch.StepUse.StepUses;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.TasksUsage.OfTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What steps ask of the agent, and how it answers. This process is the `srun` of all of them.
class RunStepsTest {

    private static final Allocation HERE =
            new Allocation(new NodeName("gpu1"), 0, 1, IndexSet.firstN(2), 64, List.of());

    private static final long ME = ProcessHandle.current().pid();

    private final RunSteps.Launching launching =
            new RunSteps.Launching() {
                @Override
                public String intoContainer(Path container, StepCommand srun) throws LaunchRefused {
                    throw new LaunchRefused("no runtime for " + container);
                }

                @Override
                public void outside(StepCommand srun) throws LaunchRefused {
                    throw new LaunchRefused("no session");
                }

                @Override
                public List<String> devices(Set<String> gpus) {
                    return gpus.stream().sorted().map("c 195:%s rw"::formatted).toList();
                }

                /// Each CPU is in a NUMA node of its own number; the run's are 0 and 1.
                @Override
                public IndexSet memoryNodes(IndexSet cpus) {
                    return cpus.isEmpty() ? IndexSet.firstN(2) : cpus;
                }
            };

    @TempDir Path folder;
    private final TreeGroup group = new TreeGroup();
    private RunFiles files;
    private RunSteps steps;
    private LiveTasks live;

    @BeforeEach
    void begin() throws IOException {
        files = RunFiles.at(folder);
        live = new LiveTasks(files);
        files.job().makeAsks();
        steps = new RunSteps(HERE, files, group, launching, () -> 0);
        group.members.add(ProcessHandle.current().pid());
    }

    private Path ask(String name, String more) throws IOException {
        LiveProcess.Stat me = LiveProcess.stat(ProcessHandle.current().pid()).orElseThrow();
        return Files.writeString(
                folder.resolve("asks").resolve(name),
                me.pid() + " " + me.startTime() + more + "\n");
    }

    private String answer(String name) throws Exception {
        steps.look();
        return Files.readString(folder.resolve("told").resolve(name));
    }

    @Test
    void a_step_has_a_group_with_its_memory() throws Exception {
        ask("begin.0", " 1 32 -");

        assertThat(answer("begin.0")).isEmpty();
        assertThat(group.child(0).orElseThrow().members()).contains(ProcessHandle.current().pid());
    }

    @ParameterizedTest
    @ValueSource(strings = {"4194304000000", "65"})
    void more_memory_than_the_job_has_is_refused(String memory) throws Exception {
        ask("begin.0", " 1 " + memory + " -");

        assertThat(answer("begin.0"))
                .isEqualTo(
                        "Unable to create step: its memory, %s MiB, is more than the job has here, 64 MiB\n",
                        memory);
    }

    @Test
    void what_cannot_be_read_is_refused() throws Exception {
        ask("begin.0", " 1 -5 -");

        assertThat(answer("begin.0"))
                .isEqualTo("Unable to create step: what it asks for cannot be read\n");
    }

    @Test
    void memory_that_the_node_cannot_limit_is_refused_and_no_other_step_is() throws Exception {
        group.limited = false;
        ask("begin.0", " 1 32 -");
        ask("begin.1", " 1 0 -");

        assertThat(answer("begin.0"))
                .isEqualTo(
                        "Unable to create step: its memory cannot be limited to 32 MiB: the node cannot limit memory\n");
        assertThat(answer("begin.1")).isEmpty();
        assertThat(group.inner).containsOnlyKeys(1);
    }

    @Test
    void a_step_beyond_those_that_have_groups_has_no_memory_of_its_own() throws Exception {
        for (int number = 0; number < 256; number++) {
            ask("begin." + number, " 1 0 -");
            steps.look();
        }
        ask("begin.256", " 1 32 -");
        ask("begin.257", " 1 0 -");

        assertThat(answer("begin.256"))
                .isEqualTo(
                        "Unable to create step: its memory cannot be limited to 32 MiB: 256 steps of the job run here, the most that can be limited\n");
        assertThat(answer("begin.257")).isEmpty();
        assertThat(group.inner).hasSize(256);
    }

    @Test
    void a_step_that_has_no_group_is_told_if_it_can_open_more_gpus_than_it_has() throws Exception {
        group.makeable = false;
        ask("begin.0", " 2 0 - G1 0");
        ask("begin.1", " 2 0 -");

        assertThat(answer("begin.0"))
                .isEqualTo(
                        "warning: the step can open all GPUs of the job: the node could make no group for it\n");
        assertThat(answer("begin.1")).isEmpty();
        askTasks("tasks.1", "0 " + ME + " - G1", "1 " + ME + " - G2");
        assertThat(answer("tasks.1")).startsWith("2 tasks can open the GPUs of all in the step");
    }

    @Test
    void an_srun_that_waits_no_more_is_put_in_no_group() throws Exception {
        Path asked = ask("begin.0", " 1 0 -");
        Files.setLastModifiedTime(asked, FileTime.fromMillis(System.currentTimeMillis() - 2000));

        assertThat(answer("begin.0")).isEmpty();
        assertThat(group.inner).isEmpty();
    }

    @Test
    void what_takes_too_long_is_left_to_the_next_look() throws Exception {
        var clock = new AtomicLong();
        steps = new RunSteps(HERE, files, group, launching, () -> clock.addAndGet(100_000_000));
        for (int number = 0; number < 4; number++) {
            ask("begin." + number, " 1 0 -");
        }

        assertThat(steps.look()).isFalse();
        assertThat(group.inner).hasSizeBetween(1, 3);
        while (!steps.look()) {
            // The test would not end if nothing were done.
        }
        assertThat(group.inner).hasSize(4);
    }

    @Test
    void who_asks_for_too_much_in_a_second_is_heard_in_the_next_one() throws Exception {
        var clock = new AtomicLong();
        steps = new RunSteps(HERE, files, group, launching, clock::get);
        for (int number = 0; number < RunSteps.MOST_IN_A_SECOND + 50; number++) {
            ask("nonsense." + number, "");
        }
        for (int look = 0; look < 10; look++) {
            assertThat(steps.look()).isTrue();
        }

        assertThat(files.job().asks(Integer.MAX_VALUE)).hasSize(50);
        assertThat(steps.deaf()).isTrue();
        clock.addAndGet(1_000_000_000);
        steps.look();
        assertThat(files.job().asks(Integer.MAX_VALUE)).isEmpty();
        assertThat(steps.deaf()).isFalse();
    }

    /// As who makes files there and takes them away at once.
    @Test
    void who_only_seems_to_ask_is_looked_for_so_often_in_a_second() throws Exception {
        for (int look = 0; look < RunSteps.MOST_IN_A_SECOND; look++) {
            steps.look();
        }

        assertThat(steps.deaf()).isTrue();
    }

    @Test
    void long_asks_count_for_many() throws Exception {
        for (int number = 0; number < 10; number++) {
            Files.writeString(folder.resolve("asks/tasks." + number), "x".repeat(200_000));
        }

        steps.look();

        assertThat(files.job().asks(Integer.MAX_VALUE)).hasSize(10 - 6);
        assertThat(steps.deaf()).isTrue();
    }

    @Test
    void the_use_of_a_thousand_steps_is_kept_and_of_others_that_memory_was_wanting()
            throws Exception {
        for (int number : List.of(999, 1000)) {
            ask("begin." + number, " 1 0 -");
            steps.look();
            ask("end." + number, "");
            steps.look();
        }

        assertThat(files.kept(StepUses.NAME, StepUses.class).orElseThrow().each())
                .singleElement()
                .returns(999, StepUse::number);
        assertThat(steps.outOfMemory()).isFalse();
        group.killed = true;
        ask("begin.1001", " 1 0 -");
        steps.look();
        ask("end.1001", "");
        assertThat(answer("end.1001")).startsWith("Detected an oom_kill event");
        assertThat(new RunSteps(HERE, files, group, launching).outOfMemory()).isTrue();
    }

    private void askTasks(String name, String... tasks) throws IOException {
        Files.write(folder.resolve("asks").resolve(name), List.of(tasks));
    }

    @ParameterizedTest
    @CsvSource({"' local', 0-1, 1", "'', '', ''"})
    void who_wants_memory_near_his_cpus_has_it_of_their_numa_nodes(
            String local, String ofStep, String ofTask) throws Exception {
        ask("begin.0", " 2 0 - - 4" + local);
        steps.look();
        askTasks("tasks.0", "4 " + ME + " 1 -", "5 " + ME + " - -");
        steps.look();

        TreeGroup step = group.at(0);
        assertThat(step.limits.memoryNodes()).hasToString(ofStep);
        assertThat(step.at(4).limits.memoryNodes()).hasToString(ofTask);
        assertThat(step.at(5).limits.memoryNodes()).isEqualTo(IndexSet.EMPTY);
    }

    @Test
    void who_wants_it_of_some_cpus_has_it_of_theirs() throws Exception {
        ask("begin.0", " 1 0 1 - 4 local");
        steps.look();

        assertThat(group.at(0).limits)
                .isEqualTo(new ChildLimits(IndexSet.parse("1"), 0, List.of(), IndexSet.parse("1")));
    }

    @Test
    void tasks_have_groups_with_what_is_their_own_and_are_told_one_by_one() throws Exception {
        ask("begin.0", " 2 0 - G1,G2 4");
        steps.look();
        TreeGroup step = group.at(0);
        askTasks("tasks.0", "4 " + ME + " 0-1 G1", "5 " + ME + " - -");

        assertThat(answer("tasks.0")).isEmpty();

        assertThat(step.limits.devices()).containsExactly("c 195:G1 rw", "c 195:G2 rw");
        assertThat(step.inner).containsOnlyKeys(4, 5);
        assertThat(step.at(4).limits)
                .isEqualTo(new ChildLimits(IndexSet.firstN(2), 0, List.of("c 195:G1 rw")));
        assertThat(step.at(5).limits).isEqualTo(new ChildLimits(IndexSet.EMPTY, 0, List.of()));
        step.at(4).used = new Consumption(70, 9, 3L, null);
        step.at(5).used = new Consumption(20, 30);
        assertThat(StepGroups.now(files, group, live).getFirst().each()).isEqualTo(usesOfTasks());
        ask("end.0", "");
        steps.look();
        assertThat(files.kept(StepUses.NAME, StepUses.class).orElseThrow().each())
                .singleElement()
                .returns(usesOfTasks(), StepUse::each);
    }

    private static TasksUsage usesOfTasks() {
        return new TasksUsage(
                2, 90, 39, 3L, null, new OfTask(5, 20), new OfTask(5, 30), new OfTask(4, 3), null);
    }

    @Test
    void a_single_task_has_used_what_its_step_has() throws Exception {
        ask("begin.0", " 1 0 - - 3");
        steps.look();
        group.at(0).used = new Consumption(70, 9);

        TasksUsage told = StepGroups.now(files, group, live).getFirst().each();

        assertThat(told)
                .isEqualTo(
                        new TasksUsage(
                                1,
                                70,
                                9,
                                null,
                                null,
                                new OfTask(3, 70),
                                new OfTask(3, 9),
                                null,
                                null));
    }

    /// In each step this process is one of as many as are looked at.
    @Test
    void what_is_not_read_in_a_beat_is_read_in_the_next_one_and_told_again_meanwhile()
            throws Exception {
        Path said = Files.createDirectories(folder.resolve("steps"));
        for (int step = 0; step < 3; step++) {
            ask("begin." + step, " 2 0 - - 0");
            steps.look();
            group.at(step).used = new Consumption(3_600_000, 5000);
            group.at(step).members.add(ME);
            LongStream.range(1, LiveTasks.MOST_IN_A_BEAT / 2).forEach(group.at(step).members::add);
            Files.writeString(said.resolve("step.%d.tasks.now".formatted(step)), "task 0 " + ME);
        }

        List<Boolean> first = told();
        List<Boolean> second = told();

        assertThat(first).containsExactly(true, true, false);
        assertThat(second).containsExactly(true, true, true);
        assertThat(live.readTo()).as("the third, and then the first").isZero();
    }

    private List<Boolean> told() throws IOException {
        return StepGroups.now(files, group, live).stream().map(it -> it.each() != null).toList();
    }

    /// This process is one of them, and of the other there is what it started.
    @Test
    void tasks_without_groups_are_told_by_their_processes_while_they_run() throws Exception {
        ask("begin.0", " 2 0 - - 4");
        steps.look();
        Process task = new ProcessBuilder("sh", "-c", "sleep 60 & wait").start();
        try {
            await().until(() -> task.children().findAny().isPresent());
            long child = task.children().findAny().orElseThrow().pid();
            group.at(0).members.addAll(List.of(ME, task.pid(), child));
            group.at(0).used = new Consumption(3_600_000, 5000);
            Path told = Files.createDirectories(folder.resolve("steps"));
            Files.writeString(
                    told.resolve("step.0.tasks.now"),
                    "task 4 %d\ntask 5 %d\ntask 6 1\nnonsense\n".formatted(ME, task.pid()));

            TasksUsage each =
                    Objects.requireNonNull(StepGroups.now(files, group, live).getFirst().each());

            assertThat(each.tasks()).isEqualTo(2);
            assertThat(each.leastCpu().rank()).isEqualTo(5);
            assertThat(each.mostMemory())
                    .returns(4, OfTask::rank)
                    .satisfies(it -> assertThat(it.amount()).isBetween(20L, 5000L));

            group.at(0).used = new Consumption(3_600_000, 7);
            each = Objects.requireNonNull(StepGroups.now(files, group, live).getFirst().each());
            assertThat(each.mostMemory().amount()).as("no more than the step's").isEqualTo(7);
        } finally {
            task.descendants().forEach(ProcessHandle::destroyForcibly);
            task.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 1 - G1              | 1 tasks can open the GPUs of all in the step: the node could make no groups for them",
                "0 1 - -               | ''",
                "0 PID - G1;x          | what the tasks ask for cannot be read",
                "0 PID 99999999999 -   | ''"
            })
    void tasks_without_a_group_go_on_and_are_told_what_does_not_bind_them(String tasks, String said)
            throws Exception {
        ask("begin.0", " 1 0 -");
        steps.look();
        askTasks("tasks.0", tasks.replace("PID", Long.toString(ME)).split(";"));

        assertThat(answer("tasks.0").strip()).isEqualTo(said);
    }

    @Test
    void groups_of_tasks_are_bounded_over_all_steps_of_a_run() throws Exception {
        for (int step = 0; step < 2; step++) {
            ask("begin." + step, " 300 0 -");
            steps.look();
            askTasks(
                    "tasks." + step,
                    IntStream.range(0, 300)
                            .mapToObj(it -> it + " " + ME + " - G1")
                            .toArray(String[]::new));
            steps.look();
        }

        assertThat(group.at(0).inner).hasSize(300);
        assertThat(group.at(1).inner).hasSize(212);
        assertThat(folder.resolve("told/tasks.1")).content().startsWith("88 tasks can open");
    }

    @Test
    void tasks_bound_to_the_same_are_together_where_they_are_not_counted() throws Exception {
        group.counts = false;
        ask("begin.0", " 4 0 -");
        steps.look();
        askTasks(
                "tasks.0",
                IntStream.range(0, 4)
                        .mapToObj(it -> "%d %d %d G%d".formatted(it, ME, it / 3, it % 2))
                        .toArray(String[]::new));

        assertThat(answer("tasks.0")).isEmpty();
        assertThat(group.at(0).inner).containsOnlyKeys(0, 1, 3);
        assertThat(group.at(0).at(0).limits.devices()).containsExactly("c 195:G0 rw");
        assertThat(group.at(0).at(3).limits.cpus()).isEqualTo(IndexSet.parse("1"));
    }

    @Test
    void tasks_are_held_once_and_in_time_and_in_a_step_that_there_is() throws Exception {
        askTasks("tasks.7", "0 " + ME + " - -");
        assertThat(answer("tasks.7")).isEmpty();
        ask("begin.0", " 1 0 -");
        steps.look();
        askTasks("tasks.0", "0 " + ME + " - -");
        Files.setLastModifiedTime(
                folder.resolve("asks/tasks.0"),
                FileTime.fromMillis(System.currentTimeMillis() - 2000));
        steps.look();
        assertThat(group.at(0).inner).isEmpty();
        askTasks("tasks.0", "0 " + ME + " - -");
        steps.look();
        askTasks("tasks.0", "1 " + ME + " - -");
        steps.look();

        assertThat(group.at(0).inner).containsOnlyKeys(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/images/torch | process PID is no srun",
                "images        | the name of its container cannot be read"
            })
    void a_step_that_cannot_come_into_a_container_is_told_why(String container, String why)
            throws Exception {
        String name = "container." + ME + "-" + LiveProcess.stat(ME).orElseThrow().startTime();
        ask(name, " 0x0 " + container);

        assertThat(answer(name))
                .isEqualTo("srun_fail '" + why.replace("PID", Long.toString(ME)) + "'\n");
        ask(name, " 24x80 /images/\0");
        assertThat(answer(name))
                .isEqualTo("srun_fail 'the name of its container is that of no file'\n");
        group.members.clear();
        ask(name, " 24x80 /images/torch");
        assertThat(answer(name)).isEqualTo("srun_fail 'its srun is not in the job'\n");
    }

    @Test
    void a_step_that_cannot_be_started_outside_of_its_container_is_told_why() throws Exception {
        String name = "outside." + ME + "-" + LiveProcess.stat(ME).orElseThrow().startTime();
        ask(name, "");
        assertThat(answer(name)).isEqualTo("process %d is no srun\n".formatted(ME));
        ask(name, " of mine");
        assertThat(answer(name)).isEqualTo("what the step asks for cannot be read\n");
        group.members.clear();
        ask(name, "");
        assertThat(answer(name)).isEqualTo("its srun is not in the job\n");
    }

    @Test
    void a_step_that_hangs_in_the_kernel_does_not_keep_others_from_ending() throws Exception {
        LiveProcess.Stat me = LiveProcess.stat(ME).orElseThrow();
        var gone = new Holder(me.pid(), me.startTime() + 1, 1, false, null, null, null, null);
        files.note(Holders.NAME, new Holders(Map.of(1, gone, 2, gone, 3, gone)));
        var clock = new AtomicLong();
        for (int number = 1; number <= 3; number++) {
            group.makeChild(number, new ChildLimits(IndexSet.EMPTY, 0, List.of()));
        }
        group.inner.forEach((number, step) -> {
            step.members.add(1L);
            if (number == 2) {
                step.kill = () -> clock.addAndGet(5_000_000);
            }
        });
        steps = new RunSteps(HERE, files, group, launching, clock::get);

        for (int sweeps = 0; sweeps < 2; sweeps++) {
            clock.addAndGet(2_000_000_000);
            steps.look();
        }

        assertThat(group.inner).containsOnlyKeys(2);
    }

    @Test
    void old_answers_are_taken_back() throws Exception {
        files.job().answer("end.1", "");
        files.job().answer("end.2", "");
        Path old = folder.resolve("told/end.1");
        Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 10_000));

        files.job().forgetAnswers(System.currentTimeMillis() - 5000);

        assertThat(old).doesNotExist();
        assertThat(folder.resolve("told/end.2")).exists();
    }

    /// A group in memory.
    private static final class TreeGroup implements Group {

        private final Set<Long> members = new HashSet<>();
        private final Map<Integer, TreeGroup> inner = new TreeMap<>();
        private Set<Isolation> enforced = EnumSet.noneOf(Isolation.class);
        private boolean limited = true;
        private boolean makeable = true;
        private boolean counts = true;
        private ChildLimits limits = new ChildLimits(IndexSet.EMPTY, 0, List.of());
        private Consumption used = Consumption.NONE;
        private boolean killed;
        private Runnable removal = () -> {};
        private Runnable kill = members::clear;

        TreeGroup at(int number) {
            return Objects.requireNonNull(inner.get(number));
        }

        @Override
        public List<Path> entrances() {
            return List.of();
        }

        @Override
        public void take(long pid) {
            inner.values().forEach(step -> step.members.remove(pid));
            members.add(pid);
        }

        @Override
        public Set<Integer> children() {
            return Set.copyOf(inner.keySet());
        }

        @Override
        public boolean countsChildren() {
            return counts;
        }

        @Override
        public Optional<Group> child(int number) {
            return Optional.ofNullable(inner.get(number));
        }

        @Override
        public Group makeChild(int number, ChildLimits wanted) throws IOException {
            if (!makeable) {
                throw new IOException("no groups");
            }
            var step = new TreeGroup();
            step.counts = counts;
            step.limits = wanted;
            step.enforced = EnumSet.noneOf(Isolation.class);
            if (limited && wanted.memoryMib() > 0) {
                step.enforced.add(Isolation.MEMORY);
            }
            if (limited && !wanted.devices().isEmpty()) {
                step.enforced.add(Isolation.DEVICES);
            }
            step.killed = killed;
            step.removal = () -> inner.remove(number);
            inner.put(number, step);
            return step;
        }

        @Override
        public Set<Isolation> enforced() {
            return enforced;
        }

        @Override
        public Set<Long> members() {
            return members;
        }

        @Override
        public void kill() {
            assertThat(members).as("those who are killed").doesNotContain(ME);
            kill.run();
        }

        @Override
        public Consumption usage() {
            return used;
        }

        @Override
        public boolean outOfMemory() {
            return killed;
        }

        @Override
        public void remove() {
            removal.run();
        }

        @Override
        public void suspend() {}

        @Override
        public void resume() {}
    }
}
