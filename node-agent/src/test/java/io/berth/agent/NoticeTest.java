package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobTerms;
import io.berth.contracts.RunId;
import io.berth.contracts.WarningSignal;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.CheckpointSaved;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.RunReport.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Runs that must give way are told, and have their grace.
class NoticeTest {

    /// A script that handles nothing, with a step that says what it was told.
    private static final String STEP =
            """
            sh -c 'trap "echo step told" TERM USR1; echo >> ready; while :; do sleep 0.01; done' &
            """;

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
    void nothingIsReady() throws IOException {
        Files.deleteIfExists(rig.work.resolve("ready"));
    }

    private RunId run(String body, @Nullable WarningSignal signal) {
        return run(body, signal, 0);
    }

    private RunId run(String body, @Nullable WarningSignal signal, long limitSeconds) {
        RunId run = HandPlacement.newRun();
        var spec = Jobs.script(run.job(), rig.work, body);
        JobDescription job = spec.description().on(JobTerms.NONE.with(to -> to.signal = signal));
        placement.launch(node, run, spec, job, limitSeconds);
        placement.await(Started.class, run);
        await().until(() -> Files.exists(rig.work.resolve("ready")));
        return run;
    }

    @Test
    void the_steps_get_TERM_and_the_script_finds_reason_and_deadline() throws Exception {
        RunId run =
                run(
                        STEP
                                + """
                                while [ ! -e "$BERTH_NOTICE_FILE" ]; do sleep 0.01; done
                                . "$BERTH_NOTICE_FILE"
                                echo "$reason at $deadline" > told
                                exit 7\
                                """,
                        null);

        long deadline = System.currentTimeMillis() / 1000 + 60;
        placement.preempt(node, run, 60);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(7, 0));
        String told = Files.readString(rig.work.resolve("told")).strip();
        assertThat(told).startsWith("PREEMPTED at ");
        assertThat(Long.parseLong(told.substring(13))).isCloseTo(deadline, within(5L));
    }

    @Test
    void a_job_that_wants_a_signal_gets_that_one_instead() throws Exception {
        RunId run =
                run(
                        """
                        trap 'echo asked to save; exit 3' USR1
                        trap 'echo not this one' TERM
                        touch ready
                        while :; do sleep 0.01; done\
                        """,
                        new WarningSignal(10, 60, true));

        placement.preempt(node, run, 60);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(rig.output(run)).isEqualTo("asked to save\n");
    }

    @Test
    void a_job_that_wants_a_signal_gets_it_before_its_time_limit_with_reason_and_deadline()
            throws Exception {
        long before = System.nanoTime();
        long limit = System.currentTimeMillis() / 1000 + 8;
        RunId run =
                run(
                        """
                        trap '. "$BERTH_NOTICE_FILE"; echo "$reason at $deadline"; exit 3' USR1
                        touch ready
                        while :; do sleep 0.01; done\
                        """,
                        new WarningSignal(10, 6, true),
                        8);

        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isGreaterThan(Duration.ofSeconds(2));
        String told = rig.output(run).strip();
        assertThat(told).startsWith("TIME_LIMIT at ");
        assertThat(Long.parseLong(told.substring(14))).isCloseTo(limit, within(5L));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_signal_that_is_not_for_the_script_comes_to_its_steps_alone(boolean preempted)
            throws Exception {
        String step =
                "srun -Q sh -c 'trap \"echo step told\" USR1; trap : TERM; echo >> ready; while :; do sleep 0.01; done' &\n";
        RunId run =
                run(
                        "trap 'echo script told' USR1; trap : TERM\n"
                                + step
                                + """
                                while ! grep -q 'step told' slurm-$SLURM_JOB_ID.out; do sleep 0.01; done
                                exit 3\
                                """,
                        new WarningSignal(10, 55, false),
                        preempted ? 0 : 60);

        if (preempted) {
            placement.preempt(node, run, 60);
        }
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
        assertThat(rig.output(run)).contains("step told").doesNotContain("script told");
    }

    @Test
    void a_script_without_a_word_has_its_grace_and_then_TERM() throws Exception {
        RunId run =
                run(
                        "trap 'echo last word; exit 4' TERM; "
                                + STEP
                                + "while :; do sleep 0.01; done",
                        null);

        placement.preempt(node, run, 1);
        await().until(() -> rig.output(run).contains("step told"));
        boolean scriptTold = rig.output(run).contains("last word");
        Ended ended = placement.await(Ended.class, run);

        assertThat(scriptTold).isFalse();
        assertThat(ended.exit()).isEqualTo(new ExitStatus(4, 0));
        assertThat(rig.output(run)).contains("last word");
    }

    @Test
    void one_that_ignores_all_words_is_killed_at_the_deadline() {
        RunId run = run("trap '' TERM; touch ready; while :; do sleep 0.01; done", null);
        long before = System.nanoTime();

        placement.preempt(node, run, 1);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(0, 9));
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void a_stop_without_notice_cuts_the_grace_short() throws Exception {
        RunId run = run("trap 'exit 5' TERM; touch ready; while :; do sleep 0.01; done", null);
        placement.preempt(node, run, 3600);
        await().until(() -> Files.exists(notice(run)));

        placement.stop(node, run, 30);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(5, 0));
    }

    @Test
    void a_suspended_run_goes_on_for_its_grace() {
        RunId run = run("trap 'exit 6' TERM; touch ready; while :; do sleep 0.01; done", null);
        placement.suspend(node, run, 1, 0);
        placement.await(Suspended.class, run);

        placement.preempt(node, run, 1);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(6, 0));
    }

    @Test
    void the_next_agent_keeps_the_deadline_and_gives_no_second_notice() throws Exception {
        Path work = Files.createDirectories(folder.resolve("adopted"));
        String name = AgentRig.newNode();
        TestConfig config = TestConfig.host(folder.resolve("second"), name);
        var leaving = AgentRig.start(config.leaving(), TestBroker.shared());
        placement.register(name);
        RunId run = HandPlacement.newRun();
        String body = STEP + "trap '' TERM; while :; do sleep 0.01; done";
        placement.launch(name, run, Jobs.script(run.job(), work, body), 64);
        placement.await(Started.class, run);
        await().until(() -> Files.exists(work.resolve("ready")));
        long before = System.nanoTime();
        placement.preempt(name, run, 5);
        Path output = work.resolve("slurm-" + run.job() + ".out");
        await().until(() -> Files.readString(output).contains("step told"));

        leaving.close();
        try (var next = AgentRig.start(config, TestBroker.shared())) {
            placement.registerAll(name);
            placement.preempt(name, run, 60);
            Ended ended = placement.await(Ended.class, run);

            assertThat(ended.exit()).isEqualTo(new ExitStatus(0, 9));
            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .isBetween(Duration.ofMillis(4500), Duration.ofSeconds(30));
            // With the notice, and again with the TERM that comes to all shortly before KILL.
            assertThat(Files.readAllLines(output)).filteredOn("step told"::equals).hasSize(2);
            assertThat(next.agents()).hasSize(1);
        }
    }

    @Test
    void a_script_that_has_saved_its_work_when_told_does_not_wait_for_the_end_of_its_grace() {
        RunId run =
                run(
                        """
                        trap 'echo over; exit 5' TERM
                        many=$(seq 200)
                        touch "$BERTH_CHECKPOINT_FILE"
                        echo >> ready
                        while [ ! -e "$BERTH_NOTICE_FILE" ]; do sleep 0.01; done
                        for i in $many; do sleep 0.01; done
                        touch "$BERTH_CHECKPOINT_FILE"
                        while :; do sleep 0.01; done\
                        """,
                        null);
        placement.await(CheckpointSaved.class, run);

        long before = System.nanoTime();
        placement.preempt(node, run, 3600);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.exit()).isEqualTo(new ExitStatus(5, 0));
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as("not for what was saved before")
                .isGreaterThan(Duration.ofMillis(1900));
        assertThat(placement.reports(run)).filteredOn(CheckpointSaved.class::isInstance).hasSize(2);
    }

    @Test
    void a_checkpoint_is_told_once() {
        RunId run =
                run(
                        """
                        touch "$BERTH_CHECKPOINT_FILE"
                        echo >> ready
                        sleep 300
                        """,
                        null);

        CheckpointSaved saved = placement.await(CheckpointSaved.class, run);
        placement.stop(node, run, 0);
        placement.await(Ended.class, run);

        assertThat(saved.ageMillis()).isBetween(0L, 20_000L);
        assertThat(placement.reports(run)).filteredOn(CheckpointSaved.class::isInstance).hasSize(1);
    }

    /// It holds more then than ever.
    @Test
    void what_is_on_the_disk_of_a_run_under_notice_stands_on_the_agents_page() throws Exception {
        RunId run =
                run(
                        "trap '' USR1; srun -Q true; touch ready; while :; do sleep 0.01; done",
                        new WarningSignal(10, 3500, true),
                        3600);
        placement.preempt(node, run, 3600);
        await().until(() -> Files.exists(spooled(run).resolve("noticed")));
        String page = Files.readString(Path.of("../docs/node-agent.md"));
        String told = page.substring(page.indexOf("## On disk"), page.indexOf("## Restarts"));

        List<String> names = new ArrayList<>();
        for (Path folder : List.of(spooled(run), spooled(run).resolve("job"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.map(it -> it.getFileName().toString())
                        .filter(it -> !it.endsWith(".new"))
                        .forEach(names::add);
            }
        }
        placement.stop(node, run, 0);
        placement.await(Ended.class, run);

        assertThat(names)
                .contains("stopping", "saved", "notice", "script")
                .allSatisfy(it -> assertThat(told).containsPattern("\\b" + it + "\\b"));
    }

    private Path notice(RunId run) {
        return spooled(run).resolve("job/notice");
    }

    private static Path spooled(RunId run) {
        return rig.config.home().resolve("nodes/" + node + "/runs/" + run);
    }
}
