package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.Group;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Signals to a step that has no group: a shell is its `srun`, and says so in a file that is the
/// job's.
class StepSignalsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int KILL = 9;
    private static final int USR1 = 10;

    @TempDir Path folder;
    private Process srun;
    private ProcessHandle task;

    @BeforeEach
    void begin() throws IOException {
        srun =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "trap 'echo handed' USR1; sleep 300 & echo ready; wait; wait; echo over")
                        .start();
        var unused = srun.inputReader().readLine();
        task = srun.children().findFirst().orElseThrow();
        LiveProcess.Stat stat = LiveProcess.stat(srun.pid()).orElseThrow();
        Files.createDirectory(folder.resolve("steps"));
        Files.writeString(
                folder.resolve("steps/step.3"), stat.pid() + " " + stat.startTime() + "\n0-3\n\n");
    }

    @AfterEach
    void end() {
        task.destroyForcibly();
        srun.destroyForcibly();
    }

    private void send(int step, int signal, Long... members) throws IOException {
        StepSignals.send(RunFiles.at(folder), new Members(Set.of(members)), step, signal);
    }

    @Test
    void kill_ends_the_tasks_and_leaves_the_srun_to_tell() throws Exception {
        send(3, KILL, srun.pid(), task.pid());

        assertThat(srun.inputReader().readLine()).isEqualTo("over");
        await().atMost(PATIENCE).until(() -> !srun.isAlive());
        assertThat(srun.exitValue()).isZero();
    }

    @Test
    void what_an_srun_hands_on_goes_to_it_alone() throws Exception {
        send(3, USR1, srun.pid(), task.pid());

        assertThat(srun.inputReader().readLine()).isEqualTo("handed");
        assertThat(task.isAlive()).isTrue();
    }

    @Test
    void nobody_is_signalled_for_another_step_or_outside_of_the_run() throws Exception {
        send(4, KILL, srun.pid(), task.pid());
        send(3, KILL, task.pid());
        Files.writeString(folder.resolve("steps/step.3"), srun.pid() + " 1\n");
        send(3, KILL, srun.pid(), task.pid());
        Files.writeString(folder.resolve("steps/step.3"), "-1 x\n");
        send(3, KILL, srun.pid(), task.pid());

        // Who was killed would be gone before what is signalled after it has answered.
        new ProcessBuilder("kill", "-s", "USR1", Long.toString(srun.pid())).start().waitFor();
        assertThat(srun.inputReader().readLine()).isEqualTo("handed");
        assertThat(task.isAlive()).isTrue();
    }

    /// A group of these processes.
    private record Members(Set<Long> all) implements Group {
        @Override
        public List<Path> entrances() {
            return List.of();
        }

        @Override
        public Set<Isolation> enforced() {
            return Set.of();
        }

        @Override
        public Set<Long> members() {
            return all;
        }

        @Override
        public void kill() {}

        @Override
        public Consumption usage() {
            return Consumption.NONE;
        }

        @Override
        public boolean outOfMemory() {
            return false;
        }

        @Override
        public void remove() {}

        @Override
        public void suspend() {}

        @Override
        public void resume() {}
    }
}
