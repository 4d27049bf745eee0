package io.berth.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import io.berth.embedded.FreePorts;
import io.berth.standalone.mesh.MeshClient;
import io.berth.standalone.mesh.MeshHome;
import io.berth.standalone.mesh.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A mesh that the `berth` script of this checkout runs, with a home, ports and a working directory
/// of its own.
final class TestMesh {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String PORT = "quarkus.http.port";

    private final Path folder;
    private final Ports ports = Ports.free();
    private final Map<String, String> variables;

    /// @param folder to be deleted by the test, with a space in its name
    TestMesh(Path folder) throws IOException {
        this(folder, Map.of());
    }

    /// @param variables of the environment of its commands, and so of its parts
    TestMesh(Path folder, Map<String, String> variables) throws IOException {
        this.variables = variables;
        this.folder = Files.createDirectories(folder.resolve("a mesh")).toRealPath();
        Files.createDirectory(work());
        home().create();
        PostgresPrograms.copyTo(home().postgres());
    }

    /// What a command did.
    record Outcome(int status, String out, String err) {

        Outcome succeeded() {
            assertThat(status).as("exit status; output: %s; errors: %s", out, err).isZero();
            return this;
        }

        JsonNode json() throws IOException {
            return Json.mapper().readTree(out);
        }
    }

    MeshHome home() {
        return new MeshHome(folder.resolve("home"));
    }

    /// Where commands run and jobs write.
    Path work() {
        return folder.resolve("work");
    }

    Ports ports() {
        return ports;
    }

    Outcome berth(String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(ROOT.resolve("berth").toString());
        command.addAll(List.of(arguments));
        return run(command);
    }

    /// The id that `sbatch` says.
    String submitted(String... words) throws IOException {
        var command = new ArrayList<>(List.of("sbatch", "--parsable"));
        command.addAll(List.of(words));
        return berth(command.toArray(String[]::new)).succeeded().out().strip();
    }

    /// A job as the API tells it.
    JsonNode job(long id) throws IOException {
        return operator().get("/v1/jobs/" + id);
    }

    Outcome run(List<String> command) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        var builder =
                new ProcessBuilder(command)
                        .directory(work().toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment()
                .putAll(
                        Map.of(
                                "BERTH_HOME", home().root().toString(),
                                "BERTH_PORT_BASE", Integer.toString(ports.base()),
                                "BERTH_NO_BUILD", "1",
                                "JAVA_HOME", System.getProperty("java.home")));
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        "%s took longer than %s: %s %s"
                                .formatted(
                                        command,
                                        LIMIT,
                                        Files.readString(out),
                                        Files.readString(err)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /// Starts it, with an offer of nodes.
    void up(String... options) throws IOException {
        var command = new ArrayList<>(List.of("up", "--detach"));
        command.addAll(List.of(options));
        berth(command.toArray(String[]::new)).succeeded();
    }

    MeshClient operator() throws IOException {
        return operator(ports);
    }

    /// The operator at another gateway.
    MeshClient operator(Instance gateway) throws IOException {
        return operator(new Ports(gateway.port()));
    }

    /// The operator, who asks another accounting service.
    MeshClient bookkeeper(Instance accounting) throws IOException {
        return operator(new Ports(accounting.port() - ports.accounting() + ports.base()));
    }

    private MeshClient operator(Ports ports) throws IOException {
        return new MeshClient(ports, Files.readString(home().operatorToken()).strip());
    }

    /// Kills the process of a part and waits until the supervisor has a new one that is ready.
    void killAndAwait(String part) throws IOException {
        long pid = part(part).path("pid").asLong();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await().atMost(LIMIT)
                .ignoreExceptions()
                .until(() ->
                        part(part).path("pid").asLong() != pid
                                && part(part).path("state").asText().equals("READY"));
    }

    /// Kills the process of a part if it has one now.
    void killIfThere(String part) throws IOException {
        ProcessHandle.of(part(part).path("pid").asLong()).ifPresent(ProcessHandle::destroyForcibly);
    }

    /// The process of a part now.
    ProcessHandle process(String part) throws IOException {
        return ProcessHandle.of(part(part).path("pid").asLong()).orElseThrow();
    }

    /// The HTTP port of a part.
    int port(String part) throws IOException {
        return part(part).path("port").asInt();
    }

    /// Starts a second process of a service beside the one of the supervisor, with the same command
    /// line but for the port. Its log is JSON.
    Instance second(String service) throws IOException {
        return second(service, FreePorts.next(), Map.of());
    }

    /// An agent on a spool of its own, with virtual nodes. When one ends that is asked to, nodes of
    /// all agents of the machine have left.
    Instance secondAgent(String virtual) throws IOException {
        int port = FreePorts.next();
        return second(
                "agent",
                port,
                Map.of(),
                Map.of(
                        PORT,
                        Integer.toString(port),
                        "berth.agent.home",
                        home().root().resolve("second-spool").toString(),
                        "berth.agent.cgroup-parent",
                        "berth-" + port,
                        "berth.agent.host",
                        "false",
                        "berth.agent.virtual",
                        virtual));
    }

    /// @param other variables of its environment
    Instance second(String service, int port, Map<String, String> other) throws IOException {
        return second(service, port, other, Map.of(PORT, Integer.toString(port)));
    }

    private Instance second(
            String service, int port, Map<String, String> other, Map<String, String> settings)
            throws IOException {
        // Java tells no arguments that are longer than a page together.
        String line = read(Path.of("/proc", process(service).pid() + "", "cmdline"));
        List<String> command =
                Stream.of(line.split("\0")).map(it -> replaced(it, settings)).toList();
        Path log = secondLog(service);
        var builder =
                new ProcessBuilder(command)
                        .directory(home().root().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        builder.environment().putAll(environment(process(service).pid()));
        builder.environment().put("QUARKUS_LOG_CONSOLE_JSON_ENABLED", "true");
        builder.environment().putAll(other);
        return new Instance(builder.start(), port);
    }

    private static String replaced(String argument, Map<String, String> settings) {
        String name = argument.split("=", 2)[0].replaceFirst("^-D", "");
        return settings.containsKey(name) ? "-D" + name + "=" + settings.get(name) : argument;
    }

    /// Whether a part's process has an AOT cache in its memory: a JVM goes on without one that does
    /// not suit it.
    boolean hasCache(String part) throws IOException {
        return read(Path.of("/proc", process(part).pid() + "", "maps")).contains(".aot\n");
    }

    /// What a second process writes.
    Path secondLog(String service) {
        return home().logs().resolve("second-" + service + ".log");
    }

    private static Map<String, String> environment(long pid) {
        return Stream.of(read(Path.of("/proc", Long.toString(pid), "environ")).split("\0"))
                .map(it -> it.split("=", 2))
                .filter(it -> it.length == 2)
                .collect(Collectors.toMap(it -> it[0], it -> it[1]));
    }

    /// A service's process that the supervisor does not know.
    record Instance(Process process, int port) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("it does not end when it is asked to");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    /// Sends a signal that no [Process] can.
    static void signal(String name, long pid) throws IOException {
        assertThat(signalled(name, pid)).as("kill -%s %d", name, pid).isTrue();
    }

    /// The same to a process that may be gone: whether it was there.
    static boolean signalled(String name, long pid) throws IOException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        try {
            return kill.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /// What the placement service on that port is to its cell.
    static String role(int port) throws IOException {
        for (JsonNode check : health(port).path("checks")) {
            if (check.path("name").asText().equals("cell")) {
                return check.path("data").path("role").asText();
            }
        }
        return "";
    }

    /// Whether the service on that port says that it is ready.
    static boolean ready(int port) throws IOException {
        return health(port).path("status").asText().equals("UP");
    }

    private static JsonNode health(int port) throws IOException {
        var address = URI.create("http://127.0.0.1:" + port + "/q/health/ready").toURL();
        var connection = (HttpURLConnection) address.openConnection();
        connection.setConnectTimeout(1_000);
        connection.setReadTimeout(1_000);
        try (InputStream body =
                connection.getResponseCode() == HttpURLConnection.HTTP_OK
                        ? connection.getInputStream()
                        : connection.getErrorStream()) {
            return Json.mapper().readTree(body);
        }
    }

    private JsonNode part(String name) throws IOException {
        for (JsonNode part : Json.mapper().readTree(home().status().toFile()).path("parts")) {
            if (part.path("name").asText().equals(name)) {
                return part;
            }
        }
        throw new AssertionError("no part " + name);
    }

    void assertGone() throws IOException {
        assertGone(folder, home(), ports);
    }

    /// Asserts that no process works for a mesh any more, and that none of its control groups is
    /// left.
    ///
    /// @param folder that only its processes know of
    static void assertGone(Path folder, MeshHome home, Ports ports) throws IOException {
        String self = Long.toString(ProcessHandle.current().pid());
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            assertThat(
                            processes
                                    .filter(process -> isNumber(process.getFileName()))
                                    .filter(process -> !process.endsWith(self))
                                    .filter(process -> knows(process, folder)))
                    .as("processes of " + folder)
                    .isEmpty();
        }
        Path groups = Path.of("/sys/fs/cgroup");
        if (Files.isDirectory(groups)) {
            try (Stream<Path> found =
                    Files.find(groups, 2, (path, _) -> path.endsWith("berth-" + ports.base()))) {
                assertThat(found).as("control groups").isEmpty();
            }
        }
        assertThat(home.lock()).isEmptyFile();
        assertThat(home.status()).doesNotExist();
    }

    private static boolean knows(Path process, Path folder) {
        return Stream.of("cmdline", "environ")
                .anyMatch(file -> read(process.resolve(file)).contains(folder.toString()));
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isNumber(Path name) {
        return name.toString().chars().allMatch(Character::isDigit);
    }
}
