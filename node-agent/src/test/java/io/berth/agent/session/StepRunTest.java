package io.berth.agent.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.slurm.session.Frame;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A step over several nodes, from the `srun` that is typed to those that start its tasks, with a
/// gateway that is the test: who asks there for a process on a node has one.
@Timeout(120)
class StepRunTest {

    private static final List<String> COMMANDS =
            List.of(
                    "sbcast",
                    "srun",
                    "srun-components.sh",
                    "srun-nodes.sh",
                    "srun-share.sh",
                    "srun-tasks.sh");

    /// The first of two components is node a, the second are b and c.
    private static final Map<String, String> JOB =
            Map.ofEntries(
                    Map.entry("BERTH_STEP_SECRET", "secret"),
                    Map.entry("BERTH_STEP_NODES", "a:1:4"),
                    Map.entry("BERTH_STEP_NODES_HET_GROUP_0", "a:1:4"),
                    Map.entry("BERTH_STEP_NODES_HET_GROUP_1", "b:1:4,c:1:4"),
                    Map.entry("MASTER_ADDR", "127.0.0.1"),
                    Map.entry("MASTER_ADDR_HET_GROUP_0", "127.0.0.1"),
                    Map.entry("MASTER_ADDR_HET_GROUP_1", "b"),
                    Map.entry("SLURM_HET_SIZE", "2"),
                    Map.entry("SLURM_JOB_ID", "7"),
                    Map.entry("SLURM_JOB_ID_HET_GROUP_0", "7"),
                    Map.entry("SLURM_JOB_ID_HET_GROUP_1", "8"),
                    Map.entry("SLURM_JOB_NUM_NODES", "1"),
                    Map.entry("SLURM_JOB_NUM_NODES_HET_GROUP_0", "1"),
                    Map.entry("SLURM_JOB_NUM_NODES_HET_GROUP_1", "2"));

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, ServerWebSocket> waiting = new ConcurrentHashMap<>();
    private final ConcurrentSkipListSet<String> asked = new ConcurrentSkipListSet<>();
    private HttpServer gateway = vertx.createHttpServer();

    @TempDir private Path folder = Path.of("");

    @BeforeEach
    void install() throws Exception {
        // Tests of the whole service, which may have run in this process, turn WebSockets off in
        // it for all servers.
        System.clearProperty("vertx.disableWebsockets");
        gateway =
                gateway.requestHandler(this::ask)
                        .webSocketHandler(this::come)
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
        Path bin = Files.createDirectories(folder.resolve("bin"));
        for (String name : COMMANDS) {
            try (InputStream text =
                    StepRunTest.class.getResourceAsStream("/io/berth/agent/launch/" + name)) {
                Files.copy(Objects.requireNonNull(text), bin.resolve(name));
            }
        }
        Files.writeString(
                bin.resolve("berth-session"),
                "#!/bin/sh\nexec '%s/bin/java' -XX:TieredStopAtLevel=1 -cp '%s:%s' %s \"$@\"\n"
                        .formatted(
                                System.getProperty("java.home"),
                                place(JobEnd.class),
                                place(Frame.class),
                                JobEnd.class.getName()));
        for (String name : List.of("sbcast", "srun", "berth-session")) {
            Files.setPosixFilePermissions(
                    bin.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static Path place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /// Brings a process on a node to a session.
    private void ask(HttpServerRequest request) {
        String place = String.valueOf(request.path()).replace("/v1/steps/", "");
        asked.add(place);
        var own = onNode(place.replaceFirst(".*/", ""));
        own.put("BERTH_PART_URL", "ws://127.0.0.1:" + gateway.actualPort() + "/" + place);
        own.put("BERTH_PART_SECRET", "secret");
        Thread.ofPlatform().daemon().start(() -> part(own));
        var unused =
                request.response()
                        .setStatusCode(201)
                        .end("{\"path\":\"/" + place + "\",\"secret\":\"secret\"}");
    }

    private static void part(Map<String, String> own) {
        try {
            var unused = JobEnd.run(List.of("--part"), own);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The first of two waits; then what one says is the other's.
    private synchronized void come(ServerWebSocket socket) {
        ServerWebSocket first = waiting.remove(socket.path());
        if (first == null) {
            socket.pause();
            waiting.put(socket.path(), socket);
            return;
        }
        relay(first, socket);
        relay(socket, first);
        first.resume();
    }

    private static void relay(ServerWebSocket from, ServerWebSocket to) {
        from.binaryMessageHandler(message -> {
            var unused = to.writeBinaryMessage(message);
        });
        from.closeHandler(_ -> {
            var unused = to.close();
        });
    }

    /// The variables that a node gives a run, of which each has its own folder of steps.
    private TreeMap<String, String> onNode(String node) {
        var variables = new TreeMap<String, String>();
        variables.put("PATH", folder + "/bin:/usr/bin:/bin");
        variables.put("SLURMD_NODENAME", node);
        variables.put("BERTH_STEPS", folder + "/" + node);
        variables.put("CUDA_VISIBLE_DEVICES", "GPU-" + node);
        return variables;
    }

    /// What a script on node a writes, its lines in the order of their letters.
    private List<String> run(int status, String script) throws Exception {
        for (String node : List.of("a", "b", "c")) {
            Files.createDirectories(folder.resolve(node));
        }
        var builder =
                new ProcessBuilder("sh", "-c", script)
                        .directory(folder.toFile())
                        .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(JOB);
        builder.environment().putAll(onNode("a"));
        builder.environment().put("BERTH_STEP_GATEWAY", "ws://127.0.0.1:" + gateway.actualPort());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return Arrays.stream(output.split("\n")).sorted().toList();
    }

    @Test
    void a_step_on_several_components_is_one_to_its_tasks() throws Exception {
        List<String> output =
                run(
                        0,
                        """
                        srun -l -n2 sh -c 'echo $SLURM_PROCID/$SLURM_NTASKS first $CUDA_VISIBLE_DEVICES' : \\
                            sh -c 'echo $RANK/$WORLD_SIZE on $SLURM_NODEID/$SLURM_NNODES of $SLURM_JOB_NODELIST, job $SLURM_JOB_ID, $MASTER_ADDR, $CUDA_VISIBLE_DEVICES'
                        """);

        assertThat(output)
                .containsExactly(
                        "0: 0/4 first GPU-a",
                        "1: 1/4 first GPU-a",
                        "2: 2/4 on 1/3 of a,b,c, job 7, a, GPU-b",
                        "3: 3/4 on 2/3 of a,b,c, job 7, a, GPU-c");
        assertThat(asked).containsExactly("8/b", "8/c");
        assertThat(folder.resolve("a/log")).content().startsWith("begin 0 ");
        assertThat(folder.resolve("b/log")).content().startsWith("begin 0 ");
    }

    @Test
    void it_fails_as_its_worst_task_does_and_takes_the_others_along_where_that_is_asked()
            throws Exception {
        List<String> output =
                run(
                        143,
                        "srun -K --het-group=0-1 -N1 sh -c 'if [ $SLURM_PROCID = 1 ]; then exit 5; fi; exec sleep 100'");

        assertThat(output).contains("srun: error: b: task 1: Exited with exit code 5");
        assertThat(asked).containsExactly("8/b");
    }

    @Test
    void it_ends_on_all_nodes_when_nobody_reads_what_one_writes() throws Exception {
        assertThat(
                        run(
                                0,
                                "{ timeout -k1 30 srun --het-group=1 yes 2>said; echo $? >status; } | head -n1"))
                .containsExactly("y");
        assertThat(folder.resolve("status")).hasContent("143");
    }

    @Test
    void a_step_on_another_component_alone_has_that_ones_job() throws Exception {
        assertThat(run(0, "srun --het-group=1 -l sh -c 'echo $SLURM_JOB_ID $SLURM_NNODES'"))
                .containsExactly("0: 8 2", "1: 8 2");
    }

    /// The names that are in a folder, in order.
    private static List<String> in(Path place) throws IOException {
        try (var all = Files.list(place)) {
            return all.map(it -> it.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void a_file_comes_whole_to_every_node_of_all_components() throws Exception {
        var bytes = new byte[3 << 20];
        new Random(8).nextBytes(bytes);
        Path file = Files.write(folder.resolve("model"), bytes);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-11-20T10:01:06Z")));
        Files.createDirectories(folder.resolve("tmp"));

        assertThat(run(0, "sbcast -p --by-node model tmp/copy")).containsExactly("");

        assertThat(in(folder.resolve("tmp"))).containsExactly("copy_a", "copy_b", "copy_c");
        for (String node : List.of("a", "b", "c")) {
            Path copy = folder.resolve("tmp/copy_" + node);
            assertThat(copy).hasBinaryContent(bytes);
            assertThat(Files.getPosixFilePermissions(copy))
                    .isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
            assertThat(Files.getLastModifiedTime(copy).toInstant())
                    .isEqualTo(Instant.parse("2026-11-20T10:01:06Z"));
        }
    }

    @Test
    void a_file_that_one_node_cannot_take_stays_on_none() throws Exception {
        Files.writeString(folder.resolve("model"), "new");
        Path there = Files.createDirectories(folder.resolve("tmp"));
        Files.writeString(there.resolve("copy_c"), "old");

        List<String> output = run(1, "sbcast --by-node model tmp/copy");

        assertThat(output).containsExactly("sbcast: error: REQUEST_FILE_BCAST(c): File exists");
        assertThat(in(there)).containsExactly("copy_c");
        assertThat(there.resolve("copy_c")).hasContent("old");
        assertThat(run(0, "sbcast --force --by-node model tmp/copy")).containsExactly("");
        assertThat(in(there)).containsExactly("copy_a", "copy_b", "copy_c");
        assertThat(there.resolve("copy_c")).hasContent("new");
    }

    @Test
    void a_file_that_is_handed_over_is_read_no_further_than_it_goes() throws Exception {
        assertThat(
                        run(
                                0,
                                "printf 'four and more' | { sbcast --component=0 --caller=4:600:1:2 x "
                                        + folder
                                        + "/got && cat; }"))
                .containsExactly(" and more");

        assertThat(folder.resolve("got")).hasContent("four");
        assertThat(run(1, "printf xy | sbcast -f --caller=4:600:1:2 x " + folder + "/got"))
                .contains("sbcast: error: `x` ended before its 4 bytes");
        assertThat(folder.resolve("got")).hasContent("four");
        assertThat(in(folder)).noneMatch(it -> it.startsWith(".sbcast"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    model                   | Need two file names, have 1 names
                    gone /tmp/x             | Can't open `gone`: No such file or directory
                    . /tmp/x                | Can't open `.`: Is a directory
                    -j 99 model /tmp/x      | --jobid=99 is another job than this, 7: name it on a login host
                    --component=0 model bin | REQUEST_FILE_BCAST(a): Is a directory
                    --component=0 model no/x | REQUEST_FILE_BCAST(a): No such file or directory
                    """)
    void what_sbcast_cannot_do_is_said_in_one_line(String words, String why) throws Exception {
        Files.writeString(folder.resolve("model"), "x");

        assertThat(run(1, "sbcast " + words)).containsExactly("sbcast: error: " + why);
    }

    @Test
    void a_program_that_is_broadcast_runs_from_its_copies() throws Exception {
        Path program = Files.writeString(folder.resolve("mine"), "#!/bin/sh\necho \"$0\" $1\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();

        assertThat(run(0, "srun --het-group=1 -l --bcast ./mine here"))
                .containsExactly(
                        "0: %s/slurm_bcast_8.0_b here".formatted(folder),
                        "1: %s/slurm_bcast_8.0_c here".formatted(folder));
        assertThat(run(0, "srun --bcast=%s/copy ./mine alone".formatted(folder)))
                .containsExactly("%s/copy alone".formatted(folder));
        assertThat(run(1, "srun --bcast=%s/none/copy ./mine alone".formatted(folder)))
                .contains("sbcast: error: REQUEST_FILE_BCAST(a): No such file or directory");
    }

    @Test
    void one_list_of_programs_is_for_tasks_on_all_components() throws Exception {
        Files.writeString(folder.resolve("list"), "0 echo data %t\n1-2 echo train %t %o\n");

        assertThat(run(0, "srun --het-group=0-1 -N1 -l --multi-prog list"))
                .containsExactly("0: data 0", "1: train 1 0");
        assertThat(run(1, "srun --multi-prog list : true"))
                .containsExactly(
                        "srun: error: --multi-prog is for all components alike: --het-group names them, and no ':'");
    }
}
