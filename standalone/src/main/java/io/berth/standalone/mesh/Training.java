package io.berth.standalone.mesh;

import io.berth.embedded.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    private static final long START_SECONDS = 180;
    private static final long WRITE_SECONDS = 600;
    private static final Duration LOOK = Duration.ofSeconds(1);

    /// How long one that is up is left to itself.
    private static final Duration WARM = Duration.ofSeconds(3);

    /// A part to be trained.
    ///
    /// @param cache to be made
    /// @param up whether it is up as far as it will come
    record Trainee(String name, Path cache, Command command, Health.Probe up) {}

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
        var training = new Training(services.trainees(mesh));
        training.thread.start();
        return training;
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
                train(trainee);
            } catch (IOException e) {
                LOG.warn("{} will start more slowly: training it failed: {}", trainee.name(), e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void train(Trainee trainee) throws IOException, InterruptedException {
        Path output = trainee.cache().resolveSibling(trainee.cache().getFileName() + ".new");
        Process process = trainee.command().writing(output).start();
        try {
            awaitUp(trainee, process);
            process.destroy();
            if (!process.waitFor(WRITE_SECONDS, TimeUnit.SECONDS) || !Files.exists(output)) {
                throw new IOException("it wrote no cache");
            }
            Files.move(output, trainee.cache(), StandardCopyOption.ATOMIC_MOVE);
            LOG.info("{} is trained: it starts faster from now on", trainee.name());
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            Files.deleteIfExists(output);
        }
    }

    private static void awaitUp(Trainee trainee, Process process)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (process.isAlive() && trainee.up().ask() != Health.READY) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("it was not up in time");
            }
            Thread.sleep(LOOK);
        }
        Thread.sleep(WARM);
    }
}
