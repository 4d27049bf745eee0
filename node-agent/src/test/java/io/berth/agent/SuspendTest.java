package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.RunReport.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs stand still and go on, with real processes.
class SuspendTest {

    private static final String TICKING = "while :; do echo >> ticks; sleep 0.01; done";

    @TempDir static Path folder;
    private static AgentRig rig;
    private static HandPlacement placement;
    private static String node;

    @BeforeAll
    static void anAgentInItsEpoch() throws Exception {
        rig = new AgentRig(folder);
        placement = rig.placement;
        node = rig.node;
        placement.register(node);
    }

    @AfterAll
    static void stop() throws IOException {
        rig.close();
    }

    @BeforeEach
    void nothingIsLeft() throws IOException {
        Files.deleteIfExists(rig.work.resolve("ticks"));
        Files.deleteIfExists(rig.work.resolve("trapped"));
    }

    @AfterEach
    void stopAll() {
        rig.agent().runs().forEach(held -> placement.stop(node, held.run(), 0));
        rig.awaitForgotten();
    }

    private RunId run(String body, long timeLimitSeconds) {
        RunId run = HandPlacement.newRun();
        SpecReference spec = placement.writeSpec(Jobs.script(run.job(), rig.work, body));
        placement.launch(
                node,
                run,
                spec,
                LaunchMode.BATCH,
                false,
                List.of(allocation(node, 0)),
                timeLimitSeconds);
        placement.await(Started.class, run);
        return run;
    }

    private static Allocation allocation(String name, int index) {
        return new Allocation(new NodeName(name), index, 1, IndexSet.firstN(1), 64, List.of());
    }

    private Suspended suspended(RunId run, int nth) {
        return placement.await(Suspended.class, run, it -> it.nth() == nth);
    }

    private Path awaitTicks() {
        Path ticks = rig.work.resolve("ticks");
        await().until(() -> Files.exists(ticks) && Files.size(ticks) > 3);
        return ticks;
    }

    private static Callable<Boolean> grows(Path file) throws IOException {
        long before = Files.size(file);
        return () -> Files.size(file) > before + 3;
    }

    private static Callable<Boolean> stands(Path file) throws IOException {
        var last = new AtomicLong(Files.size(file));
        return () -> {
            long now = Files.size(file);
            return last.getAndSet(now) == now;
        };
    }

    @Test
    void a_run_stands_still_from_its_report_on_until_it_is_resumed() throws Exception {
        RunId run = run(TICKING, 0);
        Path ticks = awaitTicks();

        placement.suspend(node, run, 1, 2);
        suspended(run, 1);
        await().during(Duration.ofMillis(100)).until(stands(ticks));
        List<HeldRun> held = rig.agent().runs();
        placement.resume(node, run);
        await().until(grows(ticks));
        placement.stop(node, run, 5);

        assertThat(held).containsExactly(new HeldRun(run, HeldRun.Phase.SUSPENDED));
        assertThat(placement.await(Ended.class, run).exit()).isEqualTo(new ExitStatus(0, 15));
    }

    @Test
    void its_time_limit_does_not_run_while_it_stands_still() throws Exception {
        RunId run = run("sleep 2; echo done", 3);

        placement.suspend(node, run, 1, 0);
        suspended(run, 1);
        await().during(Duration.ofMillis(2500)).until(() -> placement.reports(run).size() == 2);
        placement.resume(node, run);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(rig.output(run)).isEqualTo("done\n");
    }

    @Test
    void who_handles_TSTP_has_time_to_do_so_and_is_told_when_it_may_go_on() throws Exception {
        RunId run =
                run(
                        """
                        trap 'echo stopping' TSTP
                        trap 'echo going on; exit 0' CONT
                        touch trapped
                        while :; do sleep 0.01; done\
                        """,
                        0);
        await().until(() -> Files.exists(rig.work.resolve("trapped")));

        placement.suspend(node, run, 1, 1);
        suspended(run, 1);
        String before = rig.output(run);
        placement.resume(node, run);
        placement.await(Ended.class, run);

        assertThat(before).isEqualTo("stopping\n");
        assertThat(rig.output(run)).isEqualTo("stopping\ngoing on\n");
    }

    @Test
    void a_suspended_run_that_is_stopped_with_grace_clears_up() throws Exception {
        RunId run = run("trap 'echo bye; exit 3' TERM; " + TICKING, 0);
        awaitTicks();
        placement.suspend(node, run, 1, 0);
        suspended(run, 1);

        placement.stop(node, run, 10);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(rig.output(run)).endsWith("bye\n");
    }

    @Test
    void one_that_is_stopped_without_grace_is_killed_where_it_stands() throws Exception {
        RunId run = run("trap 'echo bye; exit 3' TERM; " + TICKING, 0);
        awaitTicks();
        placement.suspend(node, run, 1, 0);
        suspended(run, 1);

        placement.stop(node, run, 0);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(0, 9));
        assertThat(rig.output(run)).isEmpty();
    }

    @Test
    void one_whose_shim_is_killed_is_lost_and_nothing_of_it_is_left() throws Exception {
        RunId run = run("echo $$ >pid; " + TICKING, 0);
        awaitTicks();
        placement.suspend(node, run, 1, 0);
        suspended(run, 1);
        Path spool = rig.config.home().resolve("nodes/" + node + "/runs/" + run);
        long shim = RunFiles.at(spool).shim().orElseThrow().pid();

        ProcessHandle.of(shim).orElseThrow().destroyForcibly();
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        long task = Long.parseLong(Files.readString(rig.work.resolve("pid")).strip());
        assertThat(LiveProcess.stat(task)).matches(it -> it.isEmpty() || it.get().state() == 'Z');
    }

    @ParameterizedTest
    @ValueSource(strings = {"task", "srun"})
    void a_step_that_is_killed_as_it_stands_still_is_over_when_its_script_goes_on(String which)
            throws Exception {
        Path killed = rig.work.resolve(which);
        RunId run =
                run(
                        "srun -Q sh -c 'echo $$ >task.new; mv task.new task; exec sleep 60' & echo $! >srun; wait $!; echo step $?",
                        0);
        await().until(() ->
                Files.exists(rig.work.resolve("task")) && Files.exists(rig.work.resolve("srun")));
        long pid = Long.parseLong(Files.readString(killed).strip());
        Files.delete(rig.work.resolve("task"));
        placement.suspend(node, run, 1, 0);
        suspended(run, 1);

        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        placement.resume(node, run);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(rig.output(run).lines()).last().isEqualTo("step 137");
    }

    @Test
    void a_part_that_waits_for_go_stands_still_already_and_begins_when_it_is_resumed() {
        RunId run = HandPlacement.newRun();
        SpecReference spec = placement.writeSpec(Jobs.script(run.job(), rig.work, "exit 4"));
        placement.launch(
                node,
                run,
                spec,
                LaunchMode.PER_NODE,
                true,
                List.of(allocation(node, 0), allocation("elsewhere8", 1)),
                0);
        placement.await(Ready.class, run);

        placement.suspend(node, run, 1, 2);
        suspended(run, 1);
        placement.go(node, run);
        boolean begunStill = !placement.reports(run).stream().noneMatch(Started.class::isInstance);
        placement.resume(node, run);
        Ended ended = placement.await(Ended.class, run);

        assertThat(begunStill).isFalse();
        assertThat(ended.exit()).isEqualTo(new ExitStatus(4, 0));
    }

    @Test
    void it_is_told_again_for_an_order_that_comes_again() {
        RunId run = run("sleep 60", 0);
        placement.suspend(node, run, 1, 0);
        suspended(run, 1);

        placement.suspend(node, run, 1, 0);

        await().until(() ->
                placement.reports(run).stream().filter(Suspended.class::isInstance).count() == 2);
    }

    @Test
    void the_next_agent_adopts_it_as_it_stands() throws Exception {
        Path work = Files.createDirectories(folder.resolve("adopted"));
        String name = AgentRig.newNode();
        TestConfig config = TestConfig.host(folder.resolve("second"), name);
        var leaving = AgentRig.start(config.leaving(), TestBroker.shared());
        placement.register(name);
        RunId run = HandPlacement.newRun();
        placement.launch(name, run, Jobs.script(run.job(), work, TICKING), 64);
        placement.await(Started.class, run);
        Path ticks = work.resolve("ticks");
        await().until(() -> Files.exists(ticks));
        placement.suspend(name, run, 1, 0);
        suspended(run, 1);

        leaving.close();
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(name);
            await().during(Duration.ofMillis(100)).until(stands(ticks));
            placement.resume(name, run);
            await().until(grows(ticks));

            assertThat(seen.runs()).containsExactly(new HeldRun(run, HeldRun.Phase.SUSPENDED));
            assertThat(next.agents()).hasSize(1);
        }
    }

    @Test
    void what_was_asked_before_a_registration_and_not_done_is_void() throws Exception {
        RunId run = run("trap '' TSTP; trap : TSTP; touch trapped; " + TICKING, 0);
        await().until(() -> Files.exists(rig.work.resolve("trapped")));
        Path ticks = awaitTicks();
        placement.suspend(node, run, 1, 60);

        placement.skipNumber(node);
        placement.resume(node, run);
        NodeSeen seen = placement.registerAll(node);
        placement.suspend(node, run, 2, 0);
        suspended(run, 2);

        assertThat(seen.runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));
        assertThat(placement.reports(run)).filteredOn(Suspended.class::isInstance).hasSize(1);
        assertThat(ticks).exists();
    }
}
