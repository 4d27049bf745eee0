package io.berth.standalone.mesh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/// A small mesh that works for a while, so that the JVM of each part can make an AOT cache of what
/// it loaded, linked and compiled for that. All of it is in a folder of the build, and on ports of
/// its own; no cluster is touched.
///
/// Source: JEP 483, 514, 515.
public final class TrainingMesh {

    private static final Offer TWO_NODES =
            new Offer(false, Optional.empty(), Optional.of("2xdgx-a100"));

    private TrainingMesh() {}

    /// Trains all services, and leaves nothing but their caches, also if it is told to end before.
    ///
    /// @param root of the checkout
    public static void run(Path root) throws IOException, InterruptedException {
        var home = new MeshHome(root.resolve("target/training").toAbsolutePath().normalize());
        home.create();
        HomeLock lock =
                HomeLock.take(home)
                        .orElseThrow(() -> new CannotStart("another training is under way"));
        clear(home);
        home.create();
        SupervisorLog.to(home.log("supervisor"));
        Ports ports = Ports.free();
        Identity identity = home.prepare(root, ports);
        var services = new Services(root, home, ports, TWO_NODES, Leash.here()).trainees();
        Mesh mesh = Mesh.start(services, _ -> {});
        var trained = new AtomicBoolean();
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> cleanUp(root, mesh, home, lock, trained), "clean-up"));
        switch (mesh.awaitStarted()) {
            case Mesh.Outcome.Ready _ -> {}
            case Mesh.Outcome.Failed failed -> throw new IOException(failed.explanation());
            case Mesh.Outcome.Stopped _ -> {
                return;
            }
        }
        var client = new MeshClient(ports, identity.token("trainer", Identity.OPERATOR));
        new Exercise(client, home.root().toString()).run();
        mesh.close();
        for (Application application : Services.applications(root)) {
            application.keepCache();
        }
        trained.set(true);
    }

    private static void cleanUp(
            Path root, Mesh mesh, MeshHome home, HomeLock lock, AtomicBoolean trained) {
        mesh.abandon();
        try {
            clear(home);
            lock.close();
            if (!trained.get()) {
                giveUp(root);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Ends this process at once: a JVM that ends by itself makes its cache first.
    private static void giveUp(Path root) throws IOException {
        for (Application application : Services.applications(root)) {
            application.discardUnfinishedCache();
        }
        Services.supervisor(root).discardUnfinishedCache();
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-KILL", self).start().onExit().join();
    }

    /// Deletes all but the lock.
    private static void clear(MeshHome home) throws IOException {
        try (Stream<Path> files = Files.walk(home.root())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!home.lock().startsWith(file)) {
                    // The lock of its own log goes away by itself.
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
