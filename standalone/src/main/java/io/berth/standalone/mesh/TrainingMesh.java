package io.berth.standalone.mesh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

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
        home.clear();
        home.create();
        SupervisorLog.to(home.log("supervisor"));
        Ports ports = Ports.free();
        Identity identity = home.prepare(root, ports);
        var services = new Services(root, home, ports, TWO_NODES, Leash.here()).trainees();
        Mesh mesh = Mesh.start(services, _ -> {});
        var trained = new AtomicBoolean();
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> cleanUp(services, mesh, lock, trained), "clean-up"));
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
        for (Application application : services.applications()) {
            application.keepCache();
        }
        trained.set(true);
    }

    private static void cleanUp(
            Services services, Mesh mesh, HomeLock lock, AtomicBoolean trained) {
        mesh.abandon();
        try {
            services.home().clear();
            lock.close();
            if (!trained.get()) {
                giveUp(services);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Ends this process at once: a JVM that ends by itself makes its cache first.
    private static void giveUp(Services services) throws IOException {
        for (Application application : services.applications()) {
            application.discardUnfinishedCache();
        }
        services.supervisor().discardUnfinishedCache();
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-KILL", self).start().onExit().join();
    }
}
