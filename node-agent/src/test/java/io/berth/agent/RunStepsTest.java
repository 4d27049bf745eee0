package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.RunSteps.Holder;
import io.berth.agent.RunSteps.Holders;
import io.berth.agent.group.Group;
import io.berth.agent.group.StepLimits;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
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

    @TempDir Path folder;
    private final TreeGroup group = new TreeGroup();
    private RunFiles files;
    private RunSteps steps;

    @BeforeEach
    void begin() throws IOException {
        files = RunFiles.at(folder);
        files.makeAsks();
        steps = new RunSteps(HERE, files, group, this::intoContainer, () -> 0);
        group.members.add(ProcessHandle.current().pid());
    }

    private String intoContainer(Path container, StepCommand srun) throws LaunchRefused {
        throw new LaunchRefused("no runtime for " + container);
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
        assertThat(group.step(0).orElseThrow().members()).contains(ProcessHandle.current().pid());
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
        group.limits = false;
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
    void an_srun_that_waits_no_more_is_put_in_no_group() throws Exception {
        Path asked = ask("begin.0", " 1 0 -");
        Files.setLastModifiedTime(asked, FileTime.fromMillis(System.currentTimeMillis() - 2000));

        assertThat(answer("begin.0")).isEmpty();
        assertThat(group.inner).isEmpty();
    }

    @Test
    void what_takes_too_long_is_left_to_the_next_look() throws Exception {
        var clock = new AtomicLong();
        steps =
                new RunSteps(
                        HERE,
                        files,
                        group,
                        this::intoContainer,
                        () -> clock.addAndGet(100_000_000));
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
        assertThat(new RunSteps(HERE, files, group, this::intoContainer).outOfMemory()).isTrue();
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
    void a_step_that_hangs_in_the_kernel_does_not_keep_others_from_ending() throws Exception {
        LiveProcess.Stat me = LiveProcess.stat(ME).orElseThrow();
        var gone = new Holder(me.pid(), me.startTime() + 1, 1, false, null, null);
        files.note(Holders.NAME, new Holders(Map.of(1, gone, 2, gone, 3, gone)));
        var clock = new AtomicLong();
        for (int number = 1; number <= 3; number++) {
            group.makeStep(number, new StepLimits(IndexSet.EMPTY, 0));
        }
        group.inner.forEach((number, step) -> {
            step.members.add(1L);
            if (number == 2) {
                step.kill = () -> clock.addAndGet(5_000_000);
            }
        });
        steps = new RunSteps(HERE, files, group, this::intoContainer, clock::get);

        for (int sweeps = 0; sweeps < 2; sweeps++) {
            clock.addAndGet(2_000_000_000);
            steps.look();
        }

        assertThat(group.inner).containsOnlyKeys(2);
    }

    @Test
    void old_answers_are_taken_back() throws Exception {
        files.answer("end.1", "");
        files.answer("end.2", "");
        Path old = folder.resolve("told/end.1");
        Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 10_000));

        files.forgetAnswers(System.currentTimeMillis() - 5000);

        assertThat(old).doesNotExist();
        assertThat(folder.resolve("told/end.2")).exists();
    }

    /// A group in memory.
    private static final class TreeGroup implements Group {

        private final Set<Long> members = new HashSet<>();
        private final Map<Integer, TreeGroup> inner = new TreeMap<>();
        private Set<Isolation> enforced = Set.of();
        private boolean limits = true;
        private boolean killed;
        private Runnable removal = () -> {};
        private Runnable kill = members::clear;

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
        public Set<Integer> steps() {
            return Set.copyOf(inner.keySet());
        }

        @Override
        public Optional<Group> step(int number) {
            return Optional.ofNullable(inner.get(number));
        }

        @Override
        public Group makeStep(int number, StepLimits wanted) {
            var step = new TreeGroup();
            step.enforced = limits && wanted.memoryMib() > 0 ? Set.of(Isolation.MEMORY) : Set.of();
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
            return Consumption.NONE;
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
