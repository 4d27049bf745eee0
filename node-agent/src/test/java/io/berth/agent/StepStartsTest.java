package io.berth.agent;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.ServerWebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Steps that a gateway, which is the test, starts in runs that have begun. Scripts run as a user.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class StepStartsTest {
    private static final String USER = "nobody";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, Step> steps = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Events<StepRequest> requests = new Events<>(Topics.STEP_REQUESTS, "test");

    private @Nullable EventWriter writer;
    private @Nullable AgentRig rig;
    private @Nullable HttpServer gateway;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        System.clearProperty("vertx.disableWebsockets");
        gateway =
                vertx.createHttpServer()
                        .webSocketHandler(socket -> steps.put(socket.path(), new Step(socket)))
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
        rig = AgentRig.runningAs(USER, folder);
        writer = new EventWriter(TestBroker.unbound()::producer);
    }

    @AfterAll
    void stop() throws Exception {
        if (writer != null) {
            writer.close();
        }
        if (rig != null) {
            rig.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /// What the user's end sees of a step.
    private static final class Step {
        private final ServerWebSocket socket;
        private final StringBuffer said = new StringBuffer();

        Step(ServerWebSocket socket) {
            this.socket = socket;
            socket.binaryMessageHandler(message -> {
                Frame frame = Frame.read(ByteBuffer.wrap(message.getBytes()));
                String text = new String(frame.payload(), StandardCharsets.UTF_8);
                said.append(frame.channel() == Channel.CONTROL ? "<" + text + ">" : text);
            });
        }

        void send(Frame frame) {
            var bytes = new byte[frame.message().remaining()];
            frame.message().get(bytes);
            var unused = socket.writeBinaryMessage(Buffer.buffer(bytes));
        }

        void awaitSaid(String text) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(said).contains(text));
        }

        void goes() {
            var unused = socket.close();
        }
    }

    private RunId launch(String body) {
        AgentRig here = requireNonNull(rig);
        RunId run = HandPlacement.newRun();
        here.placement.launch(
                here.node, run, Jobs.of(USER, Jobs.script(run.job(), here.work, body)), 256);
        here.placement.await(Started.class, run);
        return run;
    }

    /// Waits for a file that the script writes: it runs then.
    private RunId launchAndAwait(String body, String file) {
        RunId run = launch(body);
        await().atMost(PATIENCE).until(() -> Files.exists(requireNonNull(rig).work.resolve(file)));
        return run;
    }

    private void end(RunId run, String file) throws Exception {
        Files.createFile(requireNonNull(rig).work.resolve(file));
        requireNonNull(rig).placement.await(Ended.class, run);
    }

    private String ask(RunId run, String key) {
        return ask(new NodeName(requireNonNull(rig).node), run, key);
    }

    /// Told to this node, for that one.
    private String ask(NodeName node, RunId run, String key) {
        AgentRig here = requireNonNull(rig);
        String path = "/" + numbers.incrementAndGet();
        String session = "ws://127.0.0.1:" + requireNonNull(gateway).actualPort() + path;
        var asked =
                requests.record(
                        NodePartitions.of(new NodeName(here.node), 8),
                        StepRequest.proven(node, run, session, "secret", key),
                        "test");
        requireNonNull(writer)
                .write(
                        new ProducerRecord<>(
                                asked.topic(),
                                asked.partition(),
                                asked.timestamp(),
                                here.node.getBytes(StandardCharsets.UTF_8),
                                asked.value(),
                                asked.headers()))
                .join();
        return path;
    }

    private Step step(RunId run, String... command) {
        return step(ask(run, Jobs.KEY), command);
    }

    /// Waits until the job's end is at the session, and tells it what to run.
    private Step step(String path, String... command) {
        await().atMost(PATIENCE).until(() -> steps.containsKey(path));
        Step step = requireNonNull(steps.get(path));
        step.send(Frame.step("", "", "", List.of(command)));
        return step;
    }

    @Test
    void it_is_a_step_of_the_job_in_its_group_and_under_its_account() throws Exception {
        RunId run =
                launchAndAwait(
                        "cat /proc/self/cgroup >groups; while [ ! -e stop-a ]; do sleep 0.1; done",
                        "groups");

        Step step =
                step(
                        run,
                        "srun",
                        "--overlap",
                        "sh",
                        "-c",
                        "id -un; pwd; echo $SLURM_JOB_ID.$SLURM_STEP_ID ${BERTH_PART_SECRET-none}; read -r line; echo $line; cat /proc/self/cgroup; exit 3");
        step.awaitSaid("none\n");
        step.send(new Frame(Channel.INPUT, "typed\n".getBytes(StandardCharsets.UTF_8)));
        step.awaitSaid("<exit 3>");
        step.goes();

        // Errors come by a stream of their own, and so at any time.
        String error = "srun: error: .*: task 0: Exited with exit code 3\n";
        assertThat(step.said.toString()).containsPattern(error);
        // So is how much of what it was told had been taken when it came.
        String said = step.said.toString().replaceAll(error, "").replaceAll("<at [01]>", "");
        AgentRig here = requireNonNull(rig);
        assertThat(said)
                .startsWith(
                        "<started %s>%s\n%s\n%s.0 none\ntyped\n"
                                .formatted(here.node, USER, here.work, run.job()));
        // In the run's group, or in that of its step below it.
        for (String group : Files.readAllLines(here.work.resolve("groups"))) {
            assertThat(said).contains("\n" + group);
        }
        end(run, "stop-a");
        Ended ended = here.placement.await(Ended.class, run);
        assertThat(ended.exit().successful()).isTrue();
        assertThat(requireNonNull(ended.steps()).each()).hasSize(1);
    }

    private RunId launchAwaitingGo(RunId run, String body) {
        AgentRig here = requireNonNull(rig);
        var alone =
                new Allocation(new NodeName(here.node), 0, 1, IndexSet.firstN(1), 256, List.of());
        here.placement.launch(
                here.node,
                run,
                here.placement.writeSpec(Jobs.of(USER, Jobs.script(run.job(), here.work, body))),
                LaunchMode.BATCH,
                true,
                List.of(alone),
                0);
        return run;
    }

    private void nobodyComesTo(String path) {
        await().during(Duration.ofMillis(500)).until(() -> !steps.containsKey(path));
    }

    @Test
    void a_step_in_a_run_that_is_on_its_way_begins_when_that_does() throws Exception {
        HandPlacement placement = requireNonNull(rig).placement;
        RunId run = HandPlacement.newRun();
        String beforeItsOrder = ask(run, Jobs.KEY);
        nobodyComesTo(beforeItsOrder);
        launchAwaitingGo(run, "while [ ! -e stop-g ]; do sleep 0.1; done");
        placement.await(Ready.class, run);
        String beforeItsWord = ask(run, Jobs.KEY);
        nobodyComesTo(beforeItsWord);
        assertThat(steps).doesNotContainKey(beforeItsOrder);

        placement.go(requireNonNull(rig).node, run);

        for (String path : List.of(beforeItsOrder, beforeItsWord)) {
            Step step = step(path, "true");
            step.awaitSaid("<exit 0>");
            step.goes();
        }
        end(run, "stop-g");
    }

    @Test
    void a_step_in_a_run_that_never_begins_is_refused_when_that_is_known() {
        AgentRig here = requireNonNull(rig);
        RunId run = launchAwaitingGo(HandPlacement.newRun(), "true");
        here.placement.await(Ready.class, run);
        String path = ask(run, Jobs.KEY);
        nobodyComesTo(path);

        here.placement.stop(here.node, run, 0);

        Step step = step(path, "true");
        step.awaitSaid("<refused the job does not run on node " + here.node + ">");
        step.goes();
    }

    @Test
    void who_does_not_know_the_jobs_key_starts_nothing() throws Exception {
        RunId run =
                launchAndAwait(": >begun-b; while [ ! -e stop-b ]; do sleep 0.1; done", "begun-b");

        String forged = ask(run, "guessed");
        String ofAnother = ask(new NodeName("another"), run, Jobs.KEY);
        Step real = step(run, "true");
        real.awaitSaid("<exit 0>");
        real.goes();

        assertThat(steps).doesNotContainKeys(forged, ofAnother);
        end(run, "stop-b");
    }

    @Test
    void the_step_ends_with_its_user_and_the_job_goes_on() throws Exception {
        RunId run =
                launchAndAwait(": >begun-c; while [ ! -e stop-c ]; do sleep 0.1; done", "begun-c");
        Step step = step(run, "sh", "-c", "echo process $$.; sleep 300");
        step.awaitSaid(".\n");
        String process = step.said.toString().replaceAll("(?s).*process (\\d+).*", "$1");
        Path stat = Path.of("/proc", process, "stat");
        assertThat(stat).exists();

        step.goes();

        await().atMost(PATIENCE).until(() -> !Files.exists(stat));
        assertThat(requireNonNull(rig).agent().runs(run.job())).isTrue();
        end(run, "stop-c");
    }

    @Test
    void the_end_of_the_job_is_that_of_its_steps_and_no_more_begin() throws Exception {
        RunId run =
                launchAndAwait(": >begun-d; while [ ! -e stop-d ]; do sleep 0.1; done", "begun-d");
        Step step = step(run, "sh", "-c", "trap '' TERM; echo there; sleep 300");
        step.awaitSaid("there");

        end(run, "stop-d");

        await().atMost(PATIENCE).until(() -> step.socket.isClosed());
        String late = ask(run, Jobs.KEY);
        RunId other =
                launchAndAwait(": >begun-e; while [ ! -e stop-e ]; do sleep 0.1; done", "begun-e");
        step(other, "true").awaitSaid("<exit 0>");
        assertThat(steps).doesNotContainKey(late);
        end(other, "stop-e");
    }

    @Test
    void a_signal_to_one_step_leaves_the_others_alone_and_kill_ends_it() throws Exception {
        AgentRig here = requireNonNull(rig);
        RunId run =
                launchAndAwait(
                        """
                        srun --overlap sh -c ': >one-f; exec sleep 300' & one=$!
                        until [ -e one-f ]; do sleep 0.1; done
                        srun --overlap sh -c 'trap ": >got-f" USR1; : >two-f; until [ -e stop-f ]; do sleep 0.1; done' & two=$!
                        wait $one; echo $? >ended.new; mv ended.new ended-f; wait $two\
                        """,
                        "two-f");

        here.placement.signal(here.node, run, 10, 1);
        await().atMost(PATIENCE).until(() -> Files.exists(here.work.resolve("got-f")));
        assertThat(here.work.resolve("ended-f")).doesNotExist();
        here.placement.signal(here.node, run, 9, 0);
        await().atMost(PATIENCE).until(() -> Files.exists(here.work.resolve("ended-f")));

        assertThat(here.work.resolve("ended-f")).hasContent("137\n");
        end(run, "stop-f");
        Ended ended = here.placement.await(Ended.class, run);
        assertThat(ended.exit().successful()).isTrue();
    }
}
