package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How runs end, and that nothing of them is left.
class RunEndTest {

    @TempDir Path folder;
    AgentRig rig;
    HandPlacement placement;
    String node;

    @BeforeEach
    void start() throws Exception {
        rig = new AgentRig(folder);
        placement = rig.placement;
        node = rig.node;
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private RunId run(String body) {
        RunId run = HandPlacement.newRun();
        placement.launch(node, run, Jobs.script(run.job(), rig.work, body), 64);
        return run;
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0,0", "exit 3,3,0", "kill -KILL $$,0,9", "exit 137,137,0"})
    void the_scripts_own_exit_status_is_reported(String body, int code, int signal) {
        placement.register(node);
        RunId run = run(body);

        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(code, signal));
        assertThat(placement.reports(run).getFirst()).isInstanceOf(Started.class);
        assertThat(ended.epoch()).isEqualTo(placement.epoch(node));
        assertThat(ended.applied()).isEqualTo(1);
    }

    @Test
    void the_steps_of_a_script_are_told_with_its_end() {
        placement.register(node);
        RunId run = run("srun true; srun -O -J two -n2 sh -c 'exit 3'; srun sleep 60 & exit 0");
        RunId none = run("true");

        Steps steps = Objects.requireNonNull(placement.await(Ended.class, run).steps());

        assertThat(steps.each())
                .filteredOn(step -> step.exit() != null)
                .extracting(Step::name, Step::tasks, Step::cpus, Step::exit)
                .startsWith(
                        tuple("true", 1, 1, ExitStatus.SUCCESS),
                        tuple("two", 2, 1, new ExitStatus(3, 0)));
        assertThat(placement.await(Ended.class, none).steps()).isNull();
    }

    @Test
    void nothing_is_left_of_a_run_whose_end_stands_in_the_log() throws IOException {
        placement.register(node);
        RunId run = run("echo done");

        placement.await(Ended.class, run);
        rig.awaitForgotten();

        assertThat(rig.output(run)).isEqualTo("done\n");
        assertThat(rig.config.home().resolve("nodes").resolve(node).resolve("runs"))
                .isEmptyDirectory();
    }

    @Test
    void a_node_without_the_script_holds_its_group_until_it_is_stopped() {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        SpecReference spec = placement.writeSpec(Jobs.script(run.job(), rig.work, "echo no"));
        placement.launch(
                node,
                run,
                spec,
                LaunchMode.BATCH,
                false,
                List.of(allocation("elsewhere7", 0), allocation(node, 1)),
                0);
        placement.await(Started.class, run);

        placement.stop(node, run, 5);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(rig.work).isEmptyDirectory();
    }

    @Test
    void a_prepared_run_that_is_stopped_never_starts() throws IOException {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        SpecReference spec = placement.writeSpec(Jobs.script(run.job(), rig.work, "echo no"));
        placement.launch(
                node,
                run,
                spec,
                LaunchMode.PER_NODE,
                true,
                List.of(allocation(node, 0), allocation("elsewhere7", 1)),
                0);
        placement.await(Ready.class, run);

        placement.stop(node, run, 30);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(rig.output(run)).isEmpty();
    }

    @Test
    void a_time_limit_is_kept_by_the_agent() {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        SpecReference spec = placement.writeSpec(Jobs.script(run.job(), rig.work, "sleep 60"));

        placement.launch(node, run, spec, LaunchMode.BATCH, false, List.of(allocation(node, 0)), 1);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.TIME_LIMIT);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(0, 15));
    }

    @Test
    void a_tree_that_ignores_TERM_and_leaves_its_session_is_killed_whole() throws IOException {
        placement.register(node);
        Path pids = rig.work.resolve("pids");
        RunId run =
                run(
                        """
                        trap '' TERM
                        setsid sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 60; done' &
                        (trap '' TERM; setsid setsid sh -c 'echo $$ >> pids; exec sleep 60' &)
                        echo $$ >> pids
                        while :; do sleep 60; done\
                        """);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 3);

        placement.stop(node, run, 1);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(0, 9));
        assertThat(Files.readAllLines(pids))
                .allSatisfy(pid ->
                        assertThat(LiveProcess.stat(Long.parseLong(pid)))
                                .matches(stat -> stat.isEmpty() || stat.get().state() == 'Z'));
    }

    @Test
    void what_a_script_leaves_behind_ends_with_it() throws IOException {
        placement.register(node);
        RunId run = run("setsid sleep 60 & echo $! > left");

        placement.await(Ended.class, run);

        long left = Long.parseLong(Files.readString(rig.work.resolve("left")).strip());
        assertThat(LiveProcess.stat(left))
                .matches(stat -> stat.isEmpty() || stat.get().state() == 'Z');
    }

    private Allocation allocation(String name, int index) {
        return new Allocation(new NodeName(name), index, 1, IndexSet.firstN(1), 64, List.of());
    }
}
