package io.berth.standalone;

import io.berth.log.LeanHeap;
import io.berth.standalone.mesh.HomeLock;
import io.berth.standalone.mesh.Leash;
import io.berth.standalone.mesh.Mesh;
import io.berth.standalone.mesh.MeshHome;
import io.berth.standalone.mesh.MeshStatus;
import io.berth.standalone.mesh.MeshStatus.State;
import io.berth.standalone.mesh.Offer;
import io.berth.standalone.mesh.Ports;
import io.berth.standalone.mesh.Services;
import io.berth.standalone.mesh.SupervisorLog;
import io.berth.standalone.mesh.Training;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `berth up`: runs the mesh of a home until it is told to stop.
///
/// @param root of the checkout
/// @param caller the script that waits for a detached start, null in the foreground
/// @param mayBuild whether what is made of the checkout may change
record Up(
        Path root,
        MeshHome home,
        Ports ports,
        Offer offer,
        @Nullable String caller,
        boolean mayBuild,
        PrintStream out) {

    static Up of(Path root, UpOptions options, Map<String, String> environment, PrintStream out) {
        return new Up(
                root,
                MeshHome.configured(options.home(), environment),
                Ports.configured(environment),
                options.offer(),
                System.getProperty("berth.caller"),
                environment.getOrDefault("BERTH_NO_BUILD", "").isEmpty(),
                out);
    }

    /// The exit status.
    int run() throws IOException {
        home.create();
        Optional<HomeLock> lock = HomeLock.take(home);
        if (lock.isEmpty()) {
            out.printf("berth is up already in %s%n", home.root());
            releaseCaller();
            return 0;
        }
        try (HomeLock held = lock.get()) {
            ports.requireFree();
            home.requireRoom();
            SupervisorLog.to(home.log("supervisor"));
            home.prepare(root, ports);
            return supervise(held);
        }
    }

    private int supervise(HomeLock lock) throws IOException {
        out.printf("Starting berth in %s%n", home.root());
        LeanHeap.keep();
        var services = new Services(root, home, ports, offer, Leash.here());
        var training = new Training(services);
        Mesh mesh = Mesh.start(services, this::report);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(mesh, training, lock), "stop"));
        return switch (mesh.awaitStarted()) {
            case Mesh.Outcome.Ready ready -> {
                greet(ready);
                releaseCaller();
                // A training is of the build, as a build is.
                if (mayBuild) {
                    training.begin();
                }
                mesh.awaitStopped();
                yield 0;
            }
            case Mesh.Outcome.Stopped _ -> 1;
            case Mesh.Outcome.Failed failed -> {
                mesh.awaitStopped();
                out.print(failed.explanation());
                yield 1;
            }
        };
    }

    private void stop(Mesh mesh, Training training, HomeLock lock) {
        if (mesh.isRunning()) {
            out.println("Stopping");
        }
        training.giveUp();
        mesh.close();
        training.awaitEnd();
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void report(MeshStatus.Part part) {
        if (part.state() == State.READY) {
            out.printf("  %-10s ready, port %d%n", part.name(), part.port());
        } else if (part.state() != State.STARTING && part.state() != State.STOPPED) {
            out.printf(
                    "  %-10s %s%s%n",
                    part.name(), part.state(), part.note() == null ? "" : ": " + part.note());
        }
    }

    private void greet(Mesh.Outcome.Ready ready) {
        out.printf("Ready in %.1f s.%n", ready.took().toMillis() / 1000.0);
        if (offer.simulates()) {
            out.println(
                    offer.host() && offer.virtual().isEmpty()
                            ? "No NVIDIA driver here: this host's GPUs are simulated ("
                                    + offer.gpuProfile().orElseThrow()
                                    + "; --gpu-profile none for none)."
                            : "GPUs are simulated: jobs that ask for them run on this host's CPUs.");
        }
        out.print(
                """

                Try:
                  ./berth sinfo
                  ./berth sbatch --wait examples/hello-gpu.sbatch
                  ./berth squeue
                  ./berth sacct
                  ./berth down
                """);
    }

    /// Tells the script that waits for a detached start that it went well, and gives up the output
    /// that it reads.
    private void releaseCaller() throws IOException {
        if (caller != null) {
            Files.createFile(home.run().resolve("started-" + caller));
            out.close();
            System.err.close();
        }
    }
}
