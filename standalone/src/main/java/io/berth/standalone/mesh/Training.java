package io.berth.standalone.mesh;

import io.berth.contracts.topic.Topics;
import io.berth.embedded.KafkaBroker;
import io.berth.embedded.PostgresServer;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes later starts faster: runs each part that has no AOT cache once more beside the mesh that
/// is up, at the lowest priority and one after another, and keeps what its JVM loaded and linked.
/// It ends when all have one, or with the mesh.
///
/// The services stand by, as second instances do; the agent finds no log, and so is no node.
///
/// Source: JEP 483, 514.
public final class Training implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Training.class);
    private static final List<String> LOWEST_PRIORITY = List.of("nice", "-n", "19");
    private static final long START_SECONDS = 180;
    private static final long WRITE_SECONDS = 600;
    private static final String AGENT = "node-agent";
    private static final int DEFAULT_NODE_PARTITIONS = 8;
    private static final Duration LOOK = Duration.ofSeconds(1);

    /// How long one that is up is left to itself.
    private static final Duration WARM = Duration.ofSeconds(3);

    /// A part to be trained.
    ///
    /// @param cache to be made
    /// @param up whether it is up as far as it will come
    record Trainee(String name, Path cache, Command command, Health.Probe up) {

        /// Where the cache is while it is written.
        Path output() {
            return cache.resolveSibling(cache.getFileName() + ".new");
        }
    }

    /// Makes the process that writes a cache to a file when it ends.
    interface Command {
        ProcessBuilder writing(Path output) throws IOException;
    }

    private final List<Trainee> trainees;
    private final Thread thread;

    private Training(List<Trainee> trainees) {
        this.trainees = trainees;
        this.thread = Thread.ofPlatform().name("training").daemon().unstarted(this::run);
    }

    /// Begins to train what is not trained.
    ///
    /// @param mesh that is ready
    public static Training begin(Services services, Mesh mesh) throws IOException {
        var training = new Training(services.trainees(mesh.database(), LOWEST_PRIORITY));
        training.thread.start();
        return training;
    }

    /// Loads what the process of `berth up` does: starts a broker in an empty folder, and ends it.
    public static void ofBroker() throws IOException {
        Path folder = Files.createTempDirectory("berth-training");
        Ports ports = Ports.free();
        KafkaBroker.start(folder.resolve("kafka"), ports.kafka(), ports.kafkaController()).close();
        delete(folder);
    }

    /// Trains all services that are not trained, on a log and a database that end with it.
    public static void ofServices(Path root) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("berth-training");
        var home = new MeshHome(folder.resolve("home"));
        Ports ports = Ports.free();
        home.create();
        home.prepare(root, ports);
        var offer = new Offer(false, Optional.empty(), Optional.empty());
        var services = new Services(root, home, ports, offer, Leash.here());
        try (var _ = KafkaBroker.start(home.kafka(), ports.kafka(), ports.kafkaController());
                var database = PostgresServer.start(home.postgres(), ports.postgres())) {
            declareThoseOfAgents(services.kafka().settings(AGENT));
            train(services.trainees(Optional.of(database), List.of()));
        } finally {
            delete(folder);
        }
    }

    /// Services wait until all that they read is there, and the agent is trained apart.
    ///
    /// @param broker the settings by which it is reached
    private static void declareThoseOfAgents(Map<String, String> broker) {
        KafkaConnection kafka = KafkaConnection.of(name -> Optional.ofNullable(broker.get(name)));
        try (Admin admin = kafka.admin()) {
            new TopicDeclarations(1, DEFAULT_NODE_PARTITIONS, (short) 1)
                    .create(admin, Topics.writtenBy(AGENT));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /// Gives up what is not done.
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        for (Trainee trainee : trainees) {
            try {
                train(List.of(trainee));
            } catch (IOException e) {
                LOG.warn("{} will start more slowly: training it failed: {}", trainee.name(), e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /// Runs them side by side.
    private static void train(List<Trainee> trainees) throws IOException, InterruptedException {
        var processes = new LinkedHashMap<Trainee, Process>();
        try {
            for (Trainee trainee : trainees) {
                processes.put(trainee, trainee.command().writing(trainee.output()).start());
            }
            for (var it : processes.entrySet()) {
                awaitUp(it.getKey(), it.getValue());
            }
            processes.values().forEach(Process::destroy);
            for (var it : processes.entrySet()) {
                keep(it.getKey(), it.getValue());
            }
        } finally {
            for (var it : processes.entrySet()) {
                it.getValue().descendants().forEach(ProcessHandle::destroyForcibly);
                it.getValue().destroyForcibly();
                Files.deleteIfExists(it.getKey().output());
            }
        }
    }

    private static void keep(Trainee trainee, Process process)
            throws IOException, InterruptedException {
        if (!process.waitFor(WRITE_SECONDS, TimeUnit.SECONDS) || !Files.exists(trainee.output())) {
            throw new IOException(trainee.name() + " wrote no cache");
        }
        Files.move(trainee.output(), trainee.cache(), StandardCopyOption.ATOMIC_MOVE);
        LOG.info("{} is trained: it starts faster from now on", trainee.name());
    }

    private static void awaitUp(Trainee trainee, Process process)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (process.isAlive() && trainee.up().ask() != Health.READY) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(trainee.name() + " was not up in time");
            }
            Thread.sleep(LOOK);
        }
        Thread.sleep(WARM);
    }
}
