package io.berth.agent;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.ServerWebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What an agent tells a gateway, which is the test, of what its jobs wrote. Scripts run as a user.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class OutputRepliesTest {
    private static final String USER = "nobody";

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Events<OutputRequest> requests = new Events<>(Topics.OUTPUT_REQUESTS, "test");

    private Path folder = Path.of("");
    private @Nullable EventWriter writer;
    private @Nullable AgentRig rig;
    private @Nullable HttpServer gateway;

    @BeforeAll
    void start(@TempDir Path all) throws Exception {
        folder = all;
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("root").isEqualTo(0);
        System.clearProperty("vertx.disableWebsockets");
        gateway =
                vertx.createHttpServer()
                        .webSocketHandler(this::came)
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

    /// Notes what an agent says, and goes when it has said its last word, as a gateway does.
    private void came(ServerWebSocket agent) {
        var output = new StringBuilder();
        agent.binaryMessageHandler(message -> {
            Frame frame = Frame.read(ByteBuffer.wrap(message.getBytes()));
            String text = new String(frame.payload(), StandardCharsets.UTF_8);
            if (frame.channel() == Channel.OUTPUT) {
                output.append(text);
                if (text.contains("first")) {
                    said.add("first");
                }
            } else if (text.startsWith("output ")) {
                output.append(text).append(": ");
            } else {
                said.add(output + text);
                var unused = agent.close();
            }
        });
    }

    private RunId launch(String body) {
        AgentRig here = requireNonNull(rig);
        RunId run = HandPlacement.newRun();
        here.placement.launch(
                here.node, run, Jobs.of(USER, Jobs.script(run.job(), here.work, body)), 64);
        here.placement.await(Started.class, run);
        return run;
    }

    private RunId ran(String body) {
        RunId run = launch(body);
        requireNonNull(rig).placement.await(Ended.class, run);
        return run;
    }

    private String ask(JobId job, long offset, boolean follow) throws Exception {
        request(job, offset, follow);
        return next();
    }

    private void request(JobId job, long offset, boolean follow) {
        request(job, USER, offset, follow);
    }

    private void request(JobId job, String user, long offset, boolean follow) {
        write(asked(job, user, offset, follow).proven(Jobs.KEY));
    }

    private OutputRequest asked(JobId job, String user, long offset, boolean follow) {
        var node = new NodeName(requireNonNull(rig).node);
        String session = "ws://127.0.0.1:" + requireNonNull(gateway).actualPort() + "/x";
        return new OutputRequest(node, job, user, false, offset, follow, session, "secret", null);
    }

    private void write(OutputRequest request) {
        int partition = NodePartitions.of(request.node(), 8);
        requireNonNull(writer).write(requests.record(partition, request, "test")).join();
    }

    private String next() throws InterruptedException {
        String next = said.poll(20, TimeUnit.SECONDS);
        return next == null ? "nothing" : next;
    }

    private Path output(RunId run) {
        return requireNonNull(rig).work.resolve("slurm-" + run.job() + ".out");
    }

    @Test
    void the_output_of_a_job_that_has_ended_is_told_from_any_byte_on() throws Exception {
        RunId run = ran("printf 'one\\ntwo\\n'");

        assertThat(ask(run.job(), 0, false)).isEqualTo("output 0: one\ntwo\nend");
        assertThat(ask(run.job(), 4, false)).isEqualTo("output 4: two\nend");
        assertThat(ask(run.job(), -2, true)).isEqualTo("output 6: o\nend");
        assertThat(ask(run.job(), -99, false)).isEqualTo("output 0: one\ntwo\nend");
        assertThat(ask(run.job(), 8, false)).isEqualTo("output 8: end");
        assertThat(ask(run.job(), 99, false)).isEqualTo("output 0: one\ntwo\nend");
    }

    @Test
    void following_goes_on_until_the_run_has_ended() throws Exception {
        RunId run = launch("echo first; while [ ! -e go ]; do sleep 0.1; done; printf last");
        request(run.job(), 0, true);
        assertThat(next()).isEqualTo("first");

        Files.createFile(requireNonNull(rig).work.resolve("go"));

        assertThat(next()).isEqualTo("output 0: first\nlastend");
    }

    @Test
    void what_the_jobs_user_may_not_read_is_not_read_in_the_agents_name() throws Exception {
        Path secret = Files.writeString(folder.resolve("home/secret"), "of root");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        RunId run = ran("true");
        Files.delete(output(run));
        Files.createSymbolicLink(output(run), secret);

        assertThat(ask(run.job(), 0, false))
                .isEqualTo("refused " + output(run) + " may not be read");
    }

    @Test
    void what_is_no_file_is_not_opened() throws Exception {
        RunId run = ran("true");
        Files.delete(output(run));
        assertThat(ask(run.job(), 0, false)).isEqualTo("refused " + output(run) + " is not there");

        new ProcessBuilder("mkfifo", output(run).toString()).start().waitFor();
        assertThat(ask(run.job(), 0, false))
                .isEqualTo("refused " + output(run) + " is not a regular file");
    }

    @Test
    void requests_that_nobody_can_read_are_passed_and_the_next_one_is_answered() throws Exception {
        RunId run = ran("echo mine");
        for (Topic<?> topic : List.of(Topics.OUTPUT_REQUESTS, Topics.STEP_REQUESTS)) {
            raw(topic, topic.events().getSimpleName(), "{");
            raw(topic, "Teleported", "{}");
        }

        assertThat(ask(run.job(), 0, false)).isEqualTo("output 0: mine\nend");
    }

    private void raw(Topic<?> topic, String event, String value) {
        int partition = NodePartitions.of(new NodeName(requireNonNull(rig).node), 8);
        byte[] none = value.getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<>(topic.name(), partition, new byte[] {'n'}, none);
        byte[] type = (topic.name() + "/" + event).getBytes(StandardCharsets.UTF_8);
        record.headers().add("ce_type", type);
        requireNonNull(writer).write(record).join();
    }

    @Test
    void who_does_not_know_the_jobs_key_is_not_answered() throws Exception {
        RunId run = ran("echo mine");
        OutputRequest asked = asked(run.job(), USER, 0, false);
        OutputRequest ofTheEnd = asked(run.job(), USER, -1, false);

        write(asked);
        write(asked.proven("guessed"));
        // The proof of another request.
        write(
                new OutputRequest(
                        asked.node(),
                        asked.job(),
                        asked.user(),
                        asked.error(),
                        asked.offset(),
                        asked.follow(),
                        asked.session(),
                        asked.secret(),
                        ofTheEnd.proven(Jobs.KEY).proof()));

        // They are read in their order: what is answered first is the first that is proven.
        write(ofTheEnd.proven(Jobs.KEY));
        assertThat(next()).isEqualTo("output 4: \nend");
        assertThat(ask(run.job(), 2, false)).isEqualTo("output 2: ne\nend");
        assertThat(said.poll()).isNull();
    }

    @Test
    void what_an_older_agent_kept_without_a_key_is_told_nobody() throws Exception {
        RunId run = ran("echo mine");
        Path kept =
                folder.resolve(
                        "home/nodes/%s/outputs/%s".formatted(requireNonNull(rig).node, run.job()));
        Files.writeString(
                kept, Files.readString(kept).replace(",\"key\":\"" + Jobs.KEY + "\"", ""));

        assertThat(ask(run.job(), 0, false))
                .isEqualTo(
                        "refused node %s began job %s while its agent was older"
                                .formatted(requireNonNull(rig).node, run.job()));
    }

    @Test
    void so_many_follow_a_users_jobs_and_the_next_is_told_so() throws Exception {
        RunId run = launch("echo first; while [ ! -e enough ]; do sleep 0.1; done");
        for (int i = 0; i < 17; i++) {
            request(run.job(), 0, true);
        }
        var heard = new ArrayList<String>();
        for (int i = 0; i < 17; i++) {
            heard.add(next());
        }
        assertThat(heard)
                .containsOnlyOnce(
                        "busy 16 already read what nobody's jobs wrote on node "
                                + requireNonNull(rig).node)
                .filteredOn(it -> it.equals("first"))
                .hasSize(16);
        RunId other = HandPlacement.newRun();
        request(other.job(), "root", 0, false);
        assertThat(next()).startsWith("refused");

        Files.createFile(requireNonNull(rig).work.resolve("enough"));

        for (int i = 0; i < 16; i++) {
            assertThat(next()).isEqualTo("output 0: first\nend");
        }
        assertThat(said.poll()).isNull();
    }

    @Test
    void of_a_job_that_did_not_run_here_nothing_is_told() throws Exception {
        JobId other = HandPlacement.newRun().job();

        assertThat(ask(other, 0, false))
                .isEqualTo(
                        "refused node %s does not know what job %s wrote"
                                .formatted(requireNonNull(rig).node, other));
    }
}
