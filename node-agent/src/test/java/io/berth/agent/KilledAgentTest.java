package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.group.ApartGroup;
import io.berth.agent.group.Group;
import io.berth.agent.group.HostGroups;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.HeldRun.Phase;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.RunReport.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent that is killed in each phase of a run, and the one after it.
class KilledAgentTest {

    private static final String UNTIL = "while [ ! -e %s ]; do sleep 0.02; done; ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir Path folder;
    final HandPlacement placement = TestBroker.placement();
    final String node = "killed-" + AgentRig.newNode();
    final RunId run = HandPlacement.newRun();
    Path work;
    TestConfig config;
    Process child;

    @AfterAll
    static void removeGroups() throws IOException {
        ApartGroup.make(TestConfig.PARENT).remove(Duration.ofSeconds(5));
    }

    @BeforeEach
    void start() throws IOException {
        work = Files.createDirectories(folder.resolve("work"));
        config = TestConfig.host(Files.createDirectories(folder.resolve("home")), node);
        child = AgentChild.start(config, folder.resolve("child.log"), List.of());
        placement.register(node);
    }

    private void killAgent() throws Exception {
        child.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    @AfterEach
    void leaveNothing() throws Exception {
        killAgent();
        HostGroups.find(TestConfig.PARENT).removeEmptyParents(new NodeName(node));
    }

    private void launch(String body, boolean awaitGo) {
        var here = new Allocation(new NodeName(node), 0, 1, IndexSet.firstN(1), 64, List.of());
        placement.launch(
                node,
                run,
                placement.writeSpec(Jobs.script(run.job(), work, body)),
                LaunchMode.BATCH,
                awaitGo,
                List.of(here),
                0);
    }

    private void running(String body) {
        launch(body, false);
        placement.await(Started.class, run);
    }

    private void awaitFile(Path file) {
        await().atMost(PATIENCE).until(() -> Files.exists(file));
    }

    private Path spooled(String name) {
        return config.home().resolve("nodes/" + node + "/runs/" + run + "/" + name);
    }

    /// What the next agent says that it holds, and how the run ends with it: once.
    private Ended next(List<HeldRun> held, Acting then) throws Exception {
        killAgent();
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(node);
            then.act();
            Ended ended = placement.await(Ended.class, run);
            await().atMost(PATIENCE).until(() -> next.agents().getFirst().runs().isEmpty());

            assertThat(seen.runs()).isEqualTo(held);
            assertThat(placement.reports(run)).filteredOn(Ended.class::isInstance).hasSize(1);
            assertThat(spooled("")).doesNotExist();
            return ended;
        }
    }

    private interface Acting {
        void act() throws Exception;
    }

    private List<HeldRun> held(Phase phase) {
        return List.of(new HeldRun(run, phase));
    }

    @Test
    void a_prepared_run_waits_for_the_word() throws Exception {
        launch("exit 4", true);
        placement.await(Ready.class, run);

        Ended ended = next(held(Phase.PREPARED), () -> placement.go(node, run));

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(4, 0));
    }

    @Test
    void a_suspended_run_stands_still_until_it_is_resumed() throws Exception {
        running("while :; do echo >>ticks; sleep 0.02; [ -e end ] && exit 5; done");
        awaitFile(work.resolve("ticks"));
        placement.suspend(node, run, 1, 0);
        placement.await(Suspended.class, run);
        Files.createFile(work.resolve("end"));
        long ticks = Files.size(work.resolve("ticks"));

        Ended ended =
                next(
                        held(Phase.SUSPENDED),
                        () -> {
                            assertThat(Files.size(work.resolve("ticks"))).isEqualTo(ticks);
                            placement.resume(node, run);
                        });

        assertThat(ended.exit()).isEqualTo(new ExitStatus(5, 0));
    }

    @Test
    void a_run_that_was_told_to_end_keeps_its_grace() throws Exception {
        running(
                "trap ': >told; "
                        + UNTIL.formatted("end")
                        + "exit 6' TERM; : >begun; while :; do sleep 0.02; done");
        awaitFile(work.resolve("begun"));
        placement.stop(node, run, 60);
        awaitFile(work.resolve("told"));

        Ended ended = next(held(Phase.RUNNING), () -> Files.createFile(work.resolve("end")));

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(6, 0));
    }

    @Test
    void an_epilog_that_was_broken_off_runs_again_before_the_end_is_told() throws Exception {
        hook("epilog", "echo $$ >>epilogs; " + UNTIL.formatted("end"));
        // The settings are read at the start.
        killAgent();
        child = AgentChild.start(config, folder.resolve("child.log"), List.of());
        placement.register(node);
        running("exit 7");
        long epilog = pid("epilogs");
        assertThat(RunFiles.at(spooled("")).shim()).matches(it -> !it.orElseThrow().alive());

        Ended ended =
                next(
                        held(Phase.RUNNING),
                        () -> {
                            await().atMost(PATIENCE)
                                    .until(() -> lines(work.resolve("epilogs")) == 2);
                            assertGone(epilog);
                            assertThat(placement.reports(run)).noneMatch(Ended.class::isInstance);
                            Files.createFile(work.resolve("end"));
                        });

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(7, 0));
    }

    /// An agent that registers reports nothing.
    @Test
    void an_end_that_did_not_stand_in_the_log_is_told() throws Exception {
        running(UNTIL.formatted("end") + "exit 8");
        placement.skipNumber(node);
        placement.resume(node, run);
        placement.awaitSeen(node);
        Files.createFile(work.resolve("end"));
        awaitFile(spooled("end"));
        assertThat(placement.reports(run)).noneMatch(Ended.class::isInstance);

        Ended ended = next(held(Phase.RUNNING), () -> {});

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(8, 0));
    }

    /// It is there, and does not say that it goes.
    @Test
    void what_an_agent_ended_as_it_shut_down_the_next_one_tells_as_lost() throws Exception {
        running("sleep 60");
        killAgent();
        RunFiles.at(spooled(""))
                .keep(RunEnd.NAME, RunEnd.unstarted(Cause.AGENT_SHUTDOWN, "as it shut down"));

        Ended ended = next(held(Phase.RUNNING), () -> {});

        assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        assertThat(ended.message()).isEqualTo("as it shut down");
    }

    private void killAgentAndShim() throws Exception {
        killAgent();
        killShim();
    }

    private void killShim() throws IOException {
        LiveProcess shim = RunFiles.at(spooled("")).shim().orElseThrow();
        assertThat(ProcessHandle.of(shim.pid()).orElseThrow().destroyForcibly()).isTrue();
        await().atMost(PATIENCE).until(() -> !shim.alive());
    }

    private long pid(String file) throws IOException {
        await().atMost(PATIENCE).until(() -> lines(work.resolve(file)) > 0);
        return Long.parseLong(Files.readString(work.resolve(file)).strip());
    }

    private static int lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    private static void assertGone(long pid) {
        assertThat(LiveProcess.stat(pid)).matches(it -> it.isEmpty() || it.get().state() == 'Z');
    }

    @Test
    void a_run_whose_shim_is_killed_while_no_agent_is_there_is_lost() throws Exception {
        running("echo $$ >pid; exec sleep 60");
        long task = pid("pid");
        killAgentAndShim();

        Ended ended = next(held(Phase.RUNNING), () -> {});

        assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        assertThat(ended.message()).isEqualTo("the shim died and left no exit status");
        assertGone(task);
    }

    @Test
    void one_that_stands_still_then_is_lost_too() throws Exception {
        running("echo $$ >pid; exec sleep 60");
        long task = pid("pid");
        placement.suspend(node, run, 1, 0);
        placement.await(Suspended.class, run);
        killAgentAndShim();

        Ended ended = next(held(Phase.SUSPENDED), () -> {});

        assertThat(ended.cause()).isEqualTo(Cause.STATUS_LOST);
        assertGone(task);
    }

    @Test
    void one_that_waits_for_the_word_then_does_not_begin() throws Exception {
        launch(": >began", true);
        placement.await(Ready.class, run);
        killAgentAndShim();

        try (var next = AgentRig.start(config, TestBroker.shared())) {
            placement.registerAll(node);
            Ended ended = placement.await(Ended.class, run);

            assertThat(next.agents()).hasSize(1);
            assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
            assertThat(ended.message()).isEqualTo("the run's shim died before the word to go");
            assertThat(work.resolve("began")).doesNotExist();
        }
    }

    @Test
    void one_that_was_told_to_end_then_has_no_status_and_keeps_its_grace() throws Exception {
        running(
                "trap ': >told; "
                        + UNTIL.formatted("end")
                        + ": >tidied; exit 6' TERM; : >begun; while :; do sleep 0.02; done");
        awaitFile(work.resolve("begun"));
        placement.stop(node, run, 60);
        awaitFile(work.resolve("told"));
        killAgentAndShim();

        Ended ended = next(held(Phase.RUNNING), () -> Files.createFile(work.resolve("end")));

        assertThat(work.resolve("tidied")).exists();
        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(ExitStatus.SUCCESS);
        assertThat(ended.message()).isEqualTo("the shim died and left no exit status");
    }

    private void hook(String name, String body) throws IOException {
        Path program = config.home().resolve(name);
        Files.writeString(program, "#!/bin/sh\ncd %s\n%s\n".formatted(work, body));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    /// Kills the agent, and sees what the next one has left of the run once it obeys orders: as it
    /// would be ordered anew.
    private void nextKnowsNothing() throws Exception {
        killAgent();
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            NodeSeen seen = placement.registerAll(node);

            assertThat(seen.runs()).isEmpty();
            assertThat(next.agents().getFirst().runs()).isEmpty();
            assertThat(placement.reports(run)).isEmpty();
            assertThat(spooled("")).doesNotExist();
            assertThat(HostGroups.find(TestConfig.PARENT).find(new NodeName(node), run).members())
                    .isEmpty();
            launch("exit 9", false);
            assertThat(placement.await(Ended.class, run).exit()).isEqualTo(new ExitStatus(9, 0));
        }
    }

    @Test
    void a_prolog_that_was_broken_off_is_over_before_its_epilog_runs() throws Exception {
        hook("prolog", "[ ! -e pid ] || exit 0; echo $$ >pid; sleep 60; : >passed");
        hook(
                "epilog",
                "grep -q 'State:.[RSD]' /proc/$(cat pid)/status && : >beside; echo >>epilogs");
        // The settings are read at the start.
        killAgent();
        child = AgentChild.start(config, folder.resolve("child.log"), List.of());
        placement.register(node);
        launch("exit 1", false);
        long prolog = pid("pid");

        nextKnowsNothing();

        assertGone(prolog);
        assertThat(work.resolve("epilogs")).hasContent("\n\n");
        assertThat(work.resolve("beside")).doesNotExist();
        assertThat(work.resolve("passed")).doesNotExist();
    }

    @Test
    void a_task_that_was_not_ready_yet_is_cleared_away() throws Exception {
        // Nobody writes to it: the task waits as it opens it.
        Path device = config.home().resolve("devices/gpu-195-253");
        awaitFile(device);
        Files.delete(device);
        assertThat(new ProcessBuilder("mkfifo", device.toString()).start().waitFor()).isZero();
        launch("exit 1", false);
        Group group = HostGroups.find(TestConfig.PARENT).find(new NodeName(node), run);
        await().atMost(PATIENCE).until(() -> !group.members().isEmpty());
        killAgent();
        Files.delete(device);

        nextKnowsNothing();
    }

    @Test
    void a_run_whose_shim_is_killed_before_the_word_does_not_begin() throws Exception {
        launch(": >began", true);
        placement.await(Ready.class, run);

        killShim();

        Ended ended = placement.await(Ended.class, run);
        assertThat(ended.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(ended.message()).isEqualTo("the run's shim died before the word to go");
        assertThat(work.resolve("began")).doesNotExist();
    }
}
