package io.berth.standalone;

import io.berth.standalone.MeshStatus.State;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `berth up`: runs the mesh of a home until it is told to stop.
///
/// @param root of the checkout
/// @param caller the script that waits for a detached start, null in the foreground
record Up(
        Path root,
        MeshHome home,
        Ports ports,
        UpOptions options,
        @Nullable String caller,
        PrintStream out) {

    private static final int LAST_WORDS = 20;

    static Up of(Path root, UpOptions options, Map<String, String> environment, PrintStream out) {
        return new Up(
                root,
                MeshHome.configured(options.home(), environment),
                Ports.configured(environment),
                options,
                System.getProperty("berth.caller"),
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
            SupervisorLog.to(home.log("supervisor"));
            prepareHome();
            return supervise(held);
        }
    }

    /// Writes what the parts and the commands read from the home.
    private void prepareHome() throws IOException {
        Identity.of(home, System.getProperty("user.name"));
        if (!Files.exists(home.cluster())) {
            MeshHome.write(
                    home.cluster(),
                    Files.readString(root.resolve("examples/accounts.yaml")),
                    "rw-r--r--");
        }
        home.writeAddresses(ports);
    }

    private int supervise(HomeLock lock) throws IOException {
        Path mark = root.resolve("target/running/" + ProcessHandle.current().pid());
        Files.createDirectories(mark.getParent());
        Files.writeString(mark, home.root().toString());
        out.printf("Starting berth in %s%n", home.root());
        Mesh mesh =
                Mesh.start(new Services(root, home, ports, options, Leash.here()), this::report);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> finish(mesh, lock, mark), "finish"));
        return switch (mesh.awaitStarted()) {
            case Mesh.Outcome.Ready ready -> {
                greet(ready);
                releaseCaller();
                mesh.awaitStopped();
                yield 0;
            }
            case Mesh.Outcome.Failed failed -> {
                mesh.awaitStopped();
                explain(failed);
                yield 1;
            }
        };
    }

    private static void finish(Mesh mesh, HomeLock lock, Path mark) {
        mesh.close();
        try {
            Files.deleteIfExists(mark);
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
        if (options.simulates()) {
            out.println(
                    options.hostNode() && options.virtual().isEmpty()
                            ? "No NVIDIA driver here: this host's GPUs are simulated ("
                                    + options.gpuProfile().orElseThrow()
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

    private void explain(Mesh.Outcome.Failed failed) throws IOException {
        out.printf("berth: cannot start: %s: %s%n", failed.part(), failed.why());
        if (Files.exists(failed.log())) {
            List<String> lines = Files.readAllLines(failed.log());
            out.printf("The end of %s:%n", failed.log());
            lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size())
                    .forEach(line -> out.println("  " + line));
        }
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
