package io.berth.standalone.mesh;

import io.berth.embedded.PostgresServer;
import io.berth.standalone.mesh.MeshStatus.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A mesh that runs: the broker in this process, the database and the services as its children, and
/// one thread that starts them all at once, starts again what dies, and stops them in order: first
/// the agent, whose last reports the others still take in, and the broker last.
public final class Mesh implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);
    static final String DATABASE = "postgres";
    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    private static final Duration DATABASE_GRACE = Duration.ofSeconds(20);

    /// How a start ended.
    public sealed interface Outcome {
        /// @param took from the start until all parts were ready
        record Ready(Duration took) implements Outcome {}

        /// It was told to stop before it was ready.
        record Stopped() implements Outcome {}

        /// @param part that kept the mesh from being ready
        /// @param log to look into
        record Failed(String part, String why, Path log) implements Outcome {

            private static final int LAST_WORDS = 20;

            /// Why the mesh did not start, with the end of the log.
            public String explanation() throws IOException {
                var text = new StringBuilder();
                text.append("berth: cannot start: %s: %s%n".formatted(part, why));
                if (Files.exists(log)) {
                    List<String> lines = Files.readAllLines(log);
                    text.append("The end of %s:%n".formatted(log));
                    lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size())
                            .forEach(line -> text.append("  ").append(line).append('\n'));
                }
                return text.toString();
            }
        }
    }

    private final MeshHome home;
    private final boolean training;

    /// Keeps the `berth` script from building anew what runs.
    private final Path useOfBuild;

    private final Ports ports;
    private final Consumer<MeshStatus.Part> changes;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private volatile boolean stopping;

    /// Released when there is something to do before it is due.
    private final Semaphore stirred = new Semaphore(0);

    private final long began = System.nanoTime();
    private final long upSince = System.currentTimeMillis();
    private final Map<String, MeshStatus.Part> known = new HashMap<>();
    private final Thread thread;

    private final Child submit;
    private final Child priority;
    private final Child placement;
    private final Child accounting;
    private final Child agent;
    private final Child database;
    private volatile @Nullable PostgresServer postgres;
    private @Nullable Broker broker;

    private Mesh(Services services, Consumer<MeshStatus.Part> changes) {
        this.home = services.home();
        this.training = services.training();
        this.useOfBuild =
                services.root().resolve("target/running/" + ProcessHandle.current().pid());
        this.ports = services.ports();
        this.changes = changes;
        submit = services.submit();
        priority = services.priority();
        placement = services.placement();
        accounting = services.accounting(() -> postgres);
        agent = services.agent();
        database =
                new Child(
                        new Child.Role(
                                DATABASE,
                                ports.postgres(),
                                home.postgres().resolve("postgres.log"),
                                DATABASE_GRACE),
                        this::startDatabase,
                        () -> Health.READY);
        thread = Thread.ofPlatform().name("supervisor").unstarted(this::run);
    }

    /// Begins to start a mesh.
    ///
    /// @param changes told of each change of a part, on the mesh's own thread
    public static Mesh start(Services services, Consumer<MeshStatus.Part> changes) {
        var mesh = new Mesh(services, changes);
        mesh.thread.start();
        return mesh;
    }

    /// Waits until the mesh is ready or has failed; a failed one stops by itself.
    public Outcome awaitStarted() {
        return outcome.join();
    }

    /// Stops the mesh, if it did not stop by itself, and waits until it has.
    @Override
    public void close() {
        stop();
        awaitStopped();
    }

    /// Stops the mesh at once, for nothing of it is worth keeping; but the agent puts away what it
    /// has made outside of its home.
    void abandon() {
        stop();
        Stream.of(submit, priority, placement, accounting).forEach(Child::kill);
        awaitStopped();
    }

    public boolean isRunning() {
        return thread.isAlive();
    }

    public void awaitStopped() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            startParts();
            while (!stopping) {
                children().forEach(child -> child.tick(now()));
                publish();
                judgeStart();
                awaitDue();
            }
        } catch (InterruptedException e) {
            LOG.warn("Interrupted, stopping");
        } catch (IOException | RuntimeException e) {
            LOG.error("The supervisor failed, stopping", e);
            fail("supervisor", String.valueOf(e.getMessage()), home.log("supervisor"));
        } finally {
            stopParts();
            outcome.complete(new Outcome.Stopped());
        }
    }

    private void stop() {
        stopping = true;
        stirred.release();
    }

    /// Waits until a part has something to do, or has ended.
    private void awaitDue() throws InterruptedException {
        Duration due = Collections.min(children().stream().map(Child::due).toList());
        if (stirred.tryAcquire(due.minus(now()).toMillis() + 1, TimeUnit.MILLISECONDS)) {
            stirred.drainPermits();
        }
    }

    /// The services wait for the broker by themselves; accounting needs its database to start.
    private void startParts() throws IOException {
        Files.createDirectories(useOfBuild.getParent());
        Files.writeString(useOfBuild, home.root().toString());
        broker = Broker.start(home, ports, stirred::release);
        children().forEach(child -> child.whenEnded(stirred::release));
        Stream.of(placement, submit, priority, agent).forEach(child -> child.start(now()));
        publish();
        database.start(now());
        accounting.start(now());
    }

    private Running startDatabase() throws IOException {
        PostgresServer server = PostgresServer.start(home.postgres(), ports.postgres());
        postgres = server;
        return Running.of(server);
    }

    private void judgeStart() {
        if (outcome.isDone()) {
            return;
        }
        Throwable brokerFailure = broker == null ? null : broker.failure();
        if (brokerFailure != null) {
            LOG.error("The broker did not start", brokerFailure);
            fail(Broker.NAME, String.valueOf(brokerFailure.getMessage()), home.log("supervisor"));
            return;
        }
        if (MeshStatus.of(home, upSince, parts()).ready()) {
            outcome.complete(new Outcome.Ready(now()));
            return;
        }
        boolean late = now().compareTo(START_LIMIT) > 0;
        for (Child child : children()) {
            if (child.state() == State.CRASH_LOOP || (late && child.state() != State.READY)) {
                MeshStatus.Part part = child.status();
                String why =
                        part.note() == null
                                ? "not ready after %d s".formatted(START_LIMIT.toSeconds())
                                : part.note();
                fail(part.name(), why, child.role().log());
            }
        }
    }

    private void fail(String part, String why, Path log) {
        if (outcome.complete(new Outcome.Failed(part, why, log))) {
            stop();
        }
    }

    private List<Child> children() {
        return List.of(database, placement, priority, submit, accounting, agent);
    }

    private List<MeshStatus.Part> parts() {
        var parts = new ArrayList<MeshStatus.Part>();
        if (broker != null) {
            parts.add(broker.status());
        }
        children().forEach(child -> parts.add(child.status()));
        return parts;
    }

    private void publish() throws IOException {
        boolean changed = false;
        for (MeshStatus.Part part : parts()) {
            if (!part.equals(known.put(part.name(), part))) {
                changed = true;
                LOG.info("{}", part);
                changes.accept(part);
            }
        }
        if (changed) {
            MeshStatus.of(home, upSince, parts()).write(home);
        }
    }

    private void stopParts() {
        LOG.info("Stopping");
        if (training) {
            // Each makes its cache before it ends, the one of accounting as long as two others, and
            // nobody has anything to say any more. Not all at once, which is much memory.
            stopTogether(List.of(accounting, agent, submit));
        }
        stopTogether(List.of(agent));
        stopTogether(List.of(submit));
        stopTogether(List.of(priority, placement, accounting));
        stopTogether(List.of(database));
        if (broker != null) {
            broker.close();
        }
        try {
            Files.deleteIfExists(home.status());
            Files.deleteIfExists(useOfBuild);
        } catch (IOException e) {
            LOG.warn("Cannot delete the marks of a running mesh", e);
        }
        LOG.info("Stopped");
    }

    private static void stopTogether(List<Child> children) {
        children.forEach(Child::stop);
        for (Child child : children) {
            try {
                if (!child.awaitStopped()) {
                    LOG.warn("{} did not stop in time and was killed", child.role().name());
                }
            } catch (InterruptedException e) {
                LOG.warn("Interrupted while {} stopped", child.role().name());
            }
        }
    }

    private Duration now() {
        return Duration.ofNanos(System.nanoTime() - began);
    }
}
