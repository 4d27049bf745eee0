package io.berth.agent.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.ServerWebSocketHandshake;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The job's end, with a user's end that is the test.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class JobEndTest {
    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<UserEnd> sockets = new LinkedBlockingQueue<>();
    private final HttpServer server;

    /// Whether a gateway knows the sessions.
    private volatile boolean known = true;

    @TempDir private Path folder = Path.of("");

    JobEndTest() throws Exception {
        // Tests of the whole service, which may have run in this process, turn WebSockets off in
        // it for all servers.
        System.clearProperty("vertx.disableWebsockets");
        server =
                vertx.createHttpServer()
                        .webSocketHandshakeHandler(this::come)
                        .webSocketHandler(it -> sockets.add(new UserEnd(it)))
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
    }

    private void come(ServerWebSocketHandshake end) {
        var unused = known ? end.accept() : end.reject(404);
    }

    @AfterAll
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /// What the user sees, from the first message on: a command may be over before the test looks.
    private static final class UserEnd {
        private final StringBuffer output = new StringBuffer();
        private final StringBuffer error = new StringBuffer();
        private final BlockingQueue<String> control = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> counts = new LinkedBlockingQueue<>();
        private final ServerWebSocket socket;

        UserEnd(ServerWebSocket socket) {
            this.socket = socket;
            socket.binaryMessageHandler(this::take);
        }

        private void take(Buffer message) {
            Frame frame = Frame.read(ByteBuffer.wrap(message.getBytes()));
            String text = new String(frame.payload(), StandardCharsets.UTF_8);
            switch (frame.channel()) {
                case OUTPUT -> output.append(text);
                case ERROR -> error.append(text);
                case CONTROL -> (text.startsWith("at ") ? counts : control).add(text);
                case INPUT, BESIDE -> throw new IllegalStateException("a job's end sends no input");
            }
        }
    }

    /// A command at work, and what its user sees of it.
    private final class Run {
        private final StringBuffer output;
        private final StringBuffer error;
        private final BlockingQueue<String> control;
        private final CompletableFuture<Integer> exit;
        private final ServerWebSocket socket;

        Run(Map<String, String> more, String... command) throws InterruptedException {
            this(started(more, command), sockets.poll(20, TimeUnit.SECONDS));
        }

        /// One that something else started.
        Run(@Nullable UserEnd came) {
            this(new CompletableFuture<>(), came);
        }

        private Run(CompletableFuture<Integer> exit, @Nullable UserEnd came) {
            UserEnd end = Objects.requireNonNull(came, "nobody came");
            this.exit = exit;
            output = end.output;
            error = end.error;
            control = end.control;
            socket = end.socket;
        }

        void send(Frame frame) {
            var bytes = new byte[frame.message().remaining()];
            frame.message().get(bytes);
            var unused = socket.writeBinaryMessage(Buffer.buffer(bytes));
        }

        void type(String text) {
            send(new Frame(Channel.INPUT, text.getBytes(StandardCharsets.UTF_8)));
        }

        void awaitOutput(String text) {
            await().atMost(Duration.ofSeconds(60)).until(() -> output.indexOf(text) >= 0);
        }

        int exit() throws Exception {
            return exit.get(30, TimeUnit.SECONDS);
        }
    }

    private CompletableFuture<Integer> started(Map<String, String> more, String... command) {
        var environment = new TreeMap<>(System.getenv());
        environment.put("BERTH_SESSION_URL", "ws://127.0.0.1:" + server.actualPort() + "/x");
        environment.put("BERTH_SESSION_SECRET", "secret");
        environment.put("SLURMD_NODENAME", "gpu-01");
        environment.putAll(more);
        // Not in the pool that connections are made in.
        return CompletableFuture.supplyAsync(
                () -> run(List.of(command), environment), Thread::startVirtualThread);
    }

    private static int run(List<String> command, Map<String, String> environment) {
        try {
            return JobEnd.run(command, environment, Duration.ofSeconds(5));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_run_of_its_cache_needs_nobody() {
        assertThat(run(List.of("--train-aot"), Map.of())).isZero();
    }

    @Test
    void a_command_has_its_streams_and_its_exit_code_at_the_other_end() throws Exception {
        var run = new Run(Map.of(), "sh", "-c", "echo out; echo err >&2; exit 3");

        assertThat(run.exit()).isEqualTo(3);

        assertThat(run.output).hasToString("out\n");
        assertThat(run.error).hasToString("err\n");
        assertThat(run.control).containsExactly("started gpu-01", "exit 3");
    }

    @Test
    void what_is_typed_is_the_commands_input_until_its_end() throws Exception {
        var run = new Run(Map.of(), "sort");

        run.type("b\n");
        run.type("a\n");
        run.send(Frame.control("eof"));

        assertThat(run.exit()).isZero();
        assertThat(run.output).hasToString("a\nb\n");
    }

    @Test
    void what_was_taken_of_the_input_is_told() throws Exception {
        var run = new Run(Map.of(), "sh", "-c", "cat >/dev/null; echo read");

        for (int i = 0; i < 8; i++) {
            run.type("x".repeat(Frame.MAX_BYTES));
        }
        run.send(Frame.control("eof"));

        assertThat(run.exit()).isZero();
        assertThat(run.control)
                .containsExactly("started gpu-01", "took 65536", "took 65536", "exit 0");
    }

    @Test
    void arguments_arrive_as_they_are_with_and_without_a_terminal() throws Exception {
        String odd = "it's $HOME `x` \"q\" \\ *; exit 9";
        var plain = new Run(Map.of(), "printf", "[%s]", odd);
        assertThat(plain.exit()).isZero();

        var terminal = new Run(Map.of("BERTH_SESSION_SIZE", "24 80"), "printf", "[%s]", odd);
        assertThat(terminal.exit()).isZero();

        assertThat(plain.output).hasToString("[" + odd + "]");
        assertThat(terminal.output).hasToString("[" + odd + "]");
    }

    @Test
    void the_session_is_a_secret_to_the_command() throws Exception {
        var run =
                new Run(
                        Map.of("OTHER", "kept"),
                        "sh",
                        "-c",
                        "env | grep -c BERTH_SESSION; echo $OTHER");

        assertThat(run.exit()).isZero();
        assertThat(run.output).hasToString("0\nkept\n");
    }

    @Test
    void a_terminal_has_the_size_of_the_users_and_follows_it() throws Exception {
        assumeThat(Files.isExecutable(Path.of("/usr/bin/script"))).as("script").isTrue();
        var run =
                new Run(
                        Map.of("BERTH_SESSION_SIZE", "30 100"),
                        "sh",
                        "-c",
                        "trap 'stty size; exit 5' WINCH; test -t 0 && stty size; while :; do sleep 0.05; done");
        run.awaitOutput("30 100");

        run.send(Frame.control("size 40 120"));

        assertThat(run.exit()).isEqualTo(5);
        assertThat(run.output.toString()).contains("40 120");
    }

    @Test
    void a_key_in_a_terminal_is_a_signal_there() throws Exception {
        assumeThat(Files.isExecutable(Path.of("/usr/bin/script"))).as("script").isTrue();
        var run =
                new Run(
                        Map.of("BERTH_SESSION_SIZE", "24 80"),
                        "sh",
                        "-c",
                        "trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.05; done");
        run.awaitOutput("ready");

        run.type("\u0003");

        assertThat(run.exit()).isEqualTo(7);
        assertThat(run.output.toString()).contains("interrupted");
    }

    @Test
    void what_is_killed_leaves_nothing_of_its_own() throws Exception {
        var run = new Run(Map.of(), "sh", "-c", "sleep 300 & echo $!.; wait");
        run.awaitOutput(".");
        long child = Long.parseLong(run.output.toString().strip().replace(".", ""));
        assertThat(ProcessHandle.of(child)).isPresent();

        run.send(Frame.control("signal KILL"));

        assertThat(run.exit()).isNotZero();
        await().atMost(Duration.ofSeconds(60)).until(() -> ProcessHandle.of(child).isEmpty());
    }

    @Test
    void a_signal_reaches_the_command_and_what_is_no_signal_nobody() throws Exception {
        var run =
                new Run(
                        Map.of(),
                        "sh",
                        "-c",
                        "trap 'exit 4' INT; echo ready; while :; do sleep 0.05; done");
        run.awaitOutput("ready");

        run.send(Frame.control("signal -9"));
        run.send(Frame.control("signal INT"));

        assertThat(run.exit()).isEqualTo(4);
    }

    @Test
    void an_allocation_runs_the_steps_that_it_is_told_to_each_with_its_own_streams()
            throws Exception {
        var allocation = new Run(Map.of("SLURM_JOB_ID", "7"), "--allocation");
        String url = "ws://127.0.0.1:" + server.actualPort() + "/step";

        allocation.send(
                Frame.step(url, "other", "", List.of("printf", "%s|", "a b", "", "$SLURM_JOB_ID")));
        var step = new Run(sockets.poll(20, TimeUnit.SECONDS));
        await().atMost(Duration.ofSeconds(60)).until(() -> step.control.contains("exit 0"));
        allocation.send(Frame.control("end"));

        assertThat(allocation.exit()).isZero();
        assertThat(step.output).hasToString("a b||$SLURM_JOB_ID|");
        assertThat(allocation.output.toString()).isEmpty();
    }

    @Test
    void a_part_of_a_step_has_the_variables_of_its_start_but_for_what_is_the_nodes_own()
            throws Exception {
        String url = "ws://127.0.0.1:" + server.actualPort() + "/part";
        var run =
                new Run(
                        Map.of(
                                "BERTH_PART_URL", url,
                                "BERTH_PART_SECRET", "secret",
                                "CUDA_VISIBLE_DEVICES", "here",
                                "PATH", "/bin:/usr/bin"),
                        "--part");
        var part =
                new StepPart(
                        "/nowhere",
                        Map.of(
                                "CUDA_VISIBLE_DEVICES", "there",
                                "SLURM_JOB_GPUS", "there",
                                "LONG", "x".repeat(20_000),
                                "PATH", "/opt:/usr/bin:/bin"),
                        List.of(
                                "sh",
                                "-c",
                                "echo $CUDA_VISIBLE_DEVICES ${SLURM_JOB_GPUS-none} ${#LONG} $PATH $PWD \"$1\"",
                                "-",
                                "a\nb"));

        part.frames().forEach(run::send);

        assertThat(run.exit()).isZero();
        assertThat(run.output).hasToString("here none 20000 /bin:/opt:/usr/bin:/bin /tmp a\nb\n");
        assertThat(run.error)
                .hasToString(
                        "srun: error: gpu-01: couldn't chdir to /nowhere: going to /tmp instead\n");
    }

    @Test
    void an_end_that_waits_to_be_told_runs_one_command_in_the_jobs_directory() throws Exception {
        String url = "ws://127.0.0.1:" + server.actualPort() + "/told";
        var run =
                new Run(
                        Map.of(
                                "BERTH_PART_URL",
                                url,
                                "BERTH_PART_SECRET",
                                "secret",
                                "SLURM_SUBMIT_DIR",
                                folder.toString()),
                        "--told");

        run.send(
                Frame.step(
                        "",
                        "",
                        "24 80",
                        List.of("sh", "-c", "test -t 0; echo $? ${BERTH_PART_SECRET-none}; pwd")));

        assertThat(run.exit()).isZero();
        assertThat(run.output).hasToString("0 none\r\n" + folder.toRealPath() + "\r\n");
        assertThat(run.control).containsExactly("started gpu-01", "exit 0");
    }

    @Test
    void an_end_that_was_told_what_to_run_comes_again_where_it_was_told_to() throws Exception {
        String gateway = "ws://127.0.0.1:" + server.actualPort();
        var run =
                new Run(
                        Map.of("BERTH_PART_URL", gateway + "/once", "BERTH_PART_SECRET", "secret"),
                        "--told");
        run.send(Frame.control("at 0"));
        List<String> command = List.of("sh", "-c", "echo ready; read line; echo $line");
        run.send(Frame.step(gateway + "/again", "another", "", command));
        run.awaitOutput("ready");
        var unused = run.socket.close();

        UserEnd end = Objects.requireNonNull(sockets.poll(20, TimeUnit.SECONDS));
        assertThat(end.socket.path()).isEqualTo("/again");
        assertThat(end.socket.headers().get("Authorization")).isEqualTo("Bearer another");
        var again = new Run(end);
        assertThat(end.counts.poll(20, TimeUnit.SECONDS)).isEqualTo("at 1");
        again.send(Frame.control("at 1"));
        again.type("typed\n");
        await().atMost(Duration.ofSeconds(60)).until(() -> again.control.contains("exit 0"));
        again.send(Frame.control("at 4"));

        assertThat(run.exit()).isZero();
        assertThat(again.output).hasToString("ready\ntyped\n");
    }

    @Test
    void an_end_that_was_told_nothing_does_not_come_again() throws Exception {
        String once = "ws://127.0.0.1:" + server.actualPort() + "/once";
        Map<String, String> variables = Map.of("BERTH_PART_URL", once, "BERTH_PART_SECRET", "x");
        var run = new Run(variables, "--told");

        var unused = run.socket.close();

        assertThatThrownBy(run::exit).hasMessageContaining("the one who starts the step is gone");
        known = false;
        try {
            assertThatThrownBy(() -> started(variables, "--told").get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("there is no session " + once);
        } finally {
            known = true;
        }
        assertThat(sockets).isEmpty();
    }

    @Test
    void without_a_session_nothing_is_waited_for() {
        assertThatThrownBy(() -> started(Map.of("BERTH_SESSION_URL", ""), "true").get())
                .hasMessageContaining("BERTH_SESSION_URL is no session's address: ''");
    }

    @Test
    void when_the_user_is_gone_nothing_of_the_command_is_left() throws Exception {
        Path pid = folder.resolve("pid");
        var run =
                new Run(Map.of(), "sh", "-c", "sleep 300 & echo $! >" + pid + "; echo ready; wait");
        run.awaitOutput("ready");

        known = false;
        var unused = run.socket.close();

        assertThat(run.exit()).isNotZero();
        known = true;
        Path sleeping = Path.of("/proc", Files.readString(pid).strip(), "stat");
        await().atMost(Duration.ofSeconds(60)).until(() -> isOver(sleeping));
    }

    @Test
    void a_command_goes_on_where_it_was_when_its_user_comes_again() throws Exception {
        var run = new Run(Map.of(), "sh", "-c", "echo ready; read line; echo $line; read line");
        run.send(Frame.control("at 0"));
        run.awaitOutput("ready");
        var unused = run.socket.close();

        UserEnd end = Objects.requireNonNull(sockets.poll(20, TimeUnit.SECONDS));
        var again = new Run(end);
        assertThat(end.counts.poll(20, TimeUnit.SECONDS)).isEqualTo("at 0");
        // The last that came was that it had started.
        again.send(Frame.control("at 1"));
        again.type("typed\n");
        again.awaitOutput("typed");

        assertThat(again.output).hasToString("ready\ntyped\n");
        again.send(Frame.control("eof"));
        await().atMost(Duration.ofSeconds(60)).until(() -> again.control.contains("exit 1"));
        assertThat(run.exit).as("it waits until that has come").isNotDone();
        again.send(Frame.control("at 4"));
        assertThat(run.exit()).isOne();
    }

    /// Whether a process is gone, or only waits for its parent to see that.
    private static boolean isOver(Path stat) throws IOException {
        try {
            return Files.readString(stat).contains(") Z ");
        } catch (NoSuchFileException e) {
            return true;
        }
    }
}
