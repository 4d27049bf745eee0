package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.Group;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.Commands;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.Shims;
import io.berth.agent.launch.StepCommand;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A task that is told to end, and whose shim does not tell how it did: real processes, by either
/// kind of shim.
class RunningTaskTest {

    private static final NodeName NODE = new NodeName("unshimmed1");
    private static final RunId RUN = new RunId(new JobId(9), 1);
    private static final Launch LAUNCH =
            new Launch(
                    NODE,
                    1,
                    1,
                    RUN,
                    new SpecReference(0, 0, ""),
                    LaunchMode.BATCH,
                    false,
                    List.of(new Allocation(NODE, 0, 1, IndexSet.firstN(1), 1, List.of())),
                    0);

    /// What its steps would ask of the launcher: it has none.
    private static final RunSteps.Launching NO_STEPS =
            new RunSteps.Launching() {
                @Override
                public String intoContainer(Path container, StepCommand srun) {
                    throw new AssertionError("no step asks for a container");
                }

                @Override
                public void outside(StepCommand srun) {
                    throw new AssertionError("no step is outside");
                }

                @Override
                public List<String> devices(Set<String> gpus) {
                    throw new AssertionError("no step has GPUs");
                }

                @Override
                public IndexSet memoryNodes(IndexSet cpus) {
                    throw new AssertionError("no step is bound");
                }
            };

    private static final Standing.Reports NEVER_STILL =
            new Standing.Reports() {
                @Override
                public void suspended(int nth) {
                    throw new AssertionError("it does not stand still");
                }

                @Override
                public void notSuspended(int nth, String why) {
                    throw new AssertionError("it was not to stand still");
                }
            };

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir Path home;
    private final Group group = HostGroups.processTrees().find(NODE, RUN);
    private final RunOrders orders = new RunOrders();
    private RunFiles files;
    private @Nullable Shims shims;

    @BeforeEach
    void makeFolder() throws IOException {
        files = RunFiles.of(Files.createDirectories(home.resolve("nodes/" + NODE + "/runs")), RUN);
    }

    @AfterEach
    void leaveNothing() throws Exception {
        if (shims != null) {
            Emptying.untilEmpty(group, RUN);
            killShim();
            shims.close();
        }
    }

    /// The end of a task, which runs that code and has trapped what it wants to.
    private FutureTask<RunEnd> begin(Shims.Kind kind, String code) throws Exception {
        Shims best = Shims.install(home, new Commands());
        assumeThat(kind == Shims.Kind.SHELL || best.kind() == kind).as("a compiled shim").isTrue();
        best.close();
        files.write("start", code + "\n");
        files.write("entrances", "");
        files.write("devices", "");
        files.job().makeAsks();
        shims = Shims.install(home, new Commands(), kind);
        shims.start(files, NODE, RUN);
        awaitFile("ready");
        files.release();
        awaitFile("trapped");
        var task =
                new RunningTask(
                        LAUNCH,
                        files,
                        group,
                        new RunSteps(LAUNCH.here(), files, group, NO_STEPS),
                        orders,
                        new Standing(files, group, orders, NEVER_STILL),
                        new Checkpoints(files, _ -> {}),
                        Duration.ofSeconds(30),
                        LiveProcess.uptimeMillis());
        var end = new FutureTask<>(task::untilEnd);
        Thread.startVirtualThread(end);
        return end;
    }

    private void awaitFile(String name) {
        await().atMost(PATIENCE).until(() -> files.has(name));
    }

    private void letEnd() throws IOException {
        files.write("end", "");
    }

    private void killShim() throws IOException {
        LiveProcess shim = files.shim().orElseThrow();
        Signals.send(shim.pid(), Signals.KILL);
        await().atMost(PATIENCE).until(() -> !shim.alive());
    }

    private static RunEnd awaited(FutureTask<RunEnd> end) throws Exception {
        return end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void of_one_that_ends_in_its_grace_without_its_shim_no_status_is_told(Shims.Kind kind)
            throws Exception {
        FutureTask<RunEnd> end =
                begin(
                        kind,
                        """
                        trap 'touch told; until [ -e end ]; do sleep 0.02; done; touch tidied; exit 6' TERM
                        touch trapped
                        while :; do sleep 0.02; done\
                        """);
        orders.stop(Cause.TIME_LIMIT, Duration.ofHours(1));
        awaitFile("told");

        killShim();
        letEnd();
        RunEnd ended = awaited(end);

        assertThat(files.has("tidied")).isTrue();
        assertThat(ended.cause()).isEqualTo(Cause.TIME_LIMIT);
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(ended.message()).isEqualTo("the shim died and left no exit status");
    }

    @ParameterizedTest
    @EnumSource
    void of_one_that_is_killed_after_its_grace_without_its_shim_no_status_is_told(Shims.Kind kind)
            throws Exception {
        FutureTask<RunEnd> end =
                begin(kind, "trap 'touch told' TERM; touch trapped; while :; do sleep 0.02; done");
        orders.stop(Cause.STOPPED, Duration.ofHours(1));
        awaitFile("told");

        killShim();
        orders.stop(Cause.STOPPED, Duration.ZERO);
        RunEnd ended = awaited(end);

        assertThat(group.members()).isEmpty();
        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(ended.message()).isEqualTo("the shim died and left no exit status");
    }

    @ParameterizedTest
    @EnumSource
    void one_that_ends_under_notice_without_its_shim_does_not_wait_for_its_TERM(Shims.Kind kind)
            throws Exception {
        FutureTask<RunEnd> end =
                begin(kind, "touch trapped; until [ -e end ]; do sleep 0.02; done; touch tidied");
        orders.stopWithNotice(Cause.STOPPED, Duration.ofHours(1), "PREEMPTED");
        awaitFile("job/notice");

        killShim();
        letEnd();
        RunEnd ended = awaited(end);

        assertThat(files.has("tidied")).isTrue();
        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.message()).isEqualTo("the shim died and left no exit status");
    }

    @ParameterizedTest
    @EnumSource
    void a_shim_that_stands_still_under_notice_is_told_to_go_on_when_its_task_has_ended(
            Shims.Kind kind) throws Exception {
        FutureTask<RunEnd> end =
                begin(kind, "touch trapped; until [ -e end ]; do sleep 0.02; done; exit 6");
        orders.stopWithNotice(Cause.STOPPED, Duration.ofHours(1), "PREEMPTED");
        awaitFile("job/notice");

        int stop = 19;
        Signals.send(files.shim().orElseThrow().pid(), stop);
        letEnd();
        RunEnd ended = awaited(end);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(6, 0));
        assertThat(ended.message()).isNull();
    }

    /// A folder stands where the shim would write it.
    @Test
    void a_status_that_the_shim_cannot_write_is_not_made_up() throws Exception {
        FutureTask<RunEnd> end =
                begin(
                        Shims.Kind.SHELL,
                        "trap 'exit 6' TERM; mkdir exit.new; touch trapped; while :; do sleep 0.02; done");

        orders.stop(Cause.STOPPED, Duration.ofHours(1));
        RunEnd ended = awaited(end);

        assertThat(files.shim()).matches(it -> it.orElseThrow().alive());
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(ended.message()).isEqualTo("the shim has written no exit status");
    }
}
