package io.berth.standalone.mesh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/// A small mesh that works for a minute, so that the JVMs of its parts learn what they will be
/// asked to do, and makes an AOT cache of what each has learnt. All of it is in a folder of the
/// build, and on ports of its own; no cluster is touched.
///
/// Source: JEP 483, 514, 515.
public final class TrainingMesh {

    private static final Offer TWO_NODES =
            new Offer(false, Optional.empty(), Optional.of("2xdgx-a100"));

    private TrainingMesh() {}

    /// Trains, and leaves the caches where [Training] takes them from, and nothing else, also if it
    /// is told to end before.
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
        var services = new Services(root, home, ports, TWO_NODES, Leash.here()).learners();
        Mesh mesh = Mesh.start(services, _ -> {});
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> cleanUp(mesh, home, lock), "clean-up"));
        if (mesh.awaitStarted() instanceof Mesh.Outcome.Failed failed) {
            throw new IOException(failed.explanation());
        }
        var client = new MeshClient(ports, identity.token("trainer", Identity.OPERATOR));
        new Exercise(client, home.root().toString()).run();
        mesh.close();
        for (Application application : Services.applications(root)) {
            if (services.making(application).start().waitFor() != 0) {
                throw new IOException("no cache of " + application.name() + " was made");
            }
        }
    }

    private static void cleanUp(Mesh mesh, MeshHome home, HomeLock lock) {
        mesh.abandon();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        try {
            clear(home);
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Deletes all but the lock.
    private static void clear(MeshHome home) throws IOException {
        try (Stream<Path> files = Files.walk(home.root())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!home.lock().startsWith(file)) {
                    Files.delete(file);
                }
            }
        }
    }
}
