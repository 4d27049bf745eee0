package io.berth.standalone.mesh;

import io.berth.embedded.KafkaBroker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes later starts and first minutes faster: where a part has no AOT cache, a [TrainingMesh]
/// runs beside the mesh that is up, at the lowest priority, and what it made is kept. It ends by
/// itself, or with the mesh.
public final class Training implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Training.class);
    private static final Duration LIMIT = Duration.ofMinutes(20);

    /// How long a training may take to put away what it has begun.
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Path root;
    private final Leash leash;
    private final Path log;
    private final Thread thread;

    /// @param services of the mesh
    public Training(Services services) {
        this.root = services.root();
        this.leash = services.leash();
        this.log = services.home().log("training");
        this.thread = Thread.ofPlatform().name("training").daemon().unstarted(this::run);
    }

    /// Begins, beside a mesh that is up, if a part has no cache.
    public void begin() throws IOException {
        for (Application application : Services.applications(root)) {
            if (!application.trained()) {
                thread.start();
                return;
            }
        }
    }

    /// Loads what the process of `berth up` does: starts a broker in an empty folder, and ends it.
    public static void ofBroker() throws IOException {
        Path folder = Files.createTempDirectory("berth-training");
        Ports ports = Ports.free();
        KafkaBroker.start(folder.resolve("kafka"), ports.kafka(), ports.kafkaController()).close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /// Begins to give up what is not done; [#close] waits until nothing is left of it.
    public void giveUp() {
        thread.interrupt();
    }

    @Override
    public void close() {
        giveUp();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            train();
            LOG.info("The parts are trained: they start faster from now on");
        } catch (IOException e) {
            LOG.warn("The parts will start more slowly, see {}: training them failed: {}", log, e);
        } catch (InterruptedException e) {
            LOG.info("The training is given up");
        }
    }

    private void train() throws IOException, InterruptedException {
        Path cache = root.resolve("standalone/target/standalone.aot");
        Path unfinished = cache.resolveSibling("standalone.aot.new");
        Path learnt = cache.resolveSibling("standalone.learnt");
        List<Application> applications = Services.applications(root);
        try {
            String from = "-XX:AOTConfiguration=" + learnt;
            run("-XX:AOTMode=record", from, "io.berth.standalone.Main", "train-mesh");
            run("-XX:AOTMode=create", from, "-XX:AOTCache=" + unfinished);
            Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
            for (Application application : applications) {
                Files.move(
                        application.unfinished(),
                        application.cache(),
                        StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            Files.deleteIfExists(learnt);
            Files.deleteIfExists(unfinished);
            for (Application application : applications) {
                Files.deleteIfExists(application.unfinished());
            }
        }
    }

    /// Runs a JVM like this one, in which the broker is too, but for the compiler and the cache.
    private void run(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("nice", "-n", "19"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(it -> !it.startsWith("-XX:AOTCache="))
                .forEach(command::add);
        command.add("-XX:TieredStopAtLevel=4");
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        LogFiles.setAsideIfLarge(log);
        Process process =
                leash.bind(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        try {
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("it did not end within " + LIMIT);
            }
            if (process.exitValue() != 0) {
                throw new IOException("it ended with status " + process.exitValue());
            }
        } finally {
            end(process);
        }
    }

    /// Lets it put away what it has begun, for a while.
    private static void end(Process process) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        boolean interrupted = Thread.interrupted();
        try {
            process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
