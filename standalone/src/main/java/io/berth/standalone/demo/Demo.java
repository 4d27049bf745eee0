package io.berth.standalone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.standalone.mesh.Identity;
import io.berth.standalone.mesh.Leash;
import io.berth.standalone.mesh.Mesh;
import io.berth.standalone.mesh.MeshClient;
import io.berth.standalone.mesh.MeshHome;
import io.berth.standalone.mesh.Offer;
import io.berth.standalone.mesh.Ports;
import io.berth.standalone.mesh.Services;
import io.berth.standalone.mesh.SupervisorLog;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// `berth demo`: a mesh of its own with one simulated DGX A100, the contest on it, and the check of
/// its books. It leaves nothing behind.
///
/// @param root of the checkout
public record Demo(Path root, PrintStream out) {

    private static final Offer ONE_DGX =
            new Offer(false, Optional.empty(), Optional.of("1xdgx-a100"));

    /// The exit status: 0 only if every job completed and the books balance.
    public int run() throws IOException {
        var home = new MeshHome(Files.createTempDirectory("berth-demo-"));
        Ports ports = Ports.free();
        home.create();
        SupervisorLog.to(home.log("supervisor"));
        Identity identity = home.prepare(root, ports);
        out.printf(
                """
                Three users contend for eight A100s, and a fourth comes by
                ==========================================================
                One node with 8 NVIDIA A100. The GPUs are SIMULATED: declared, and handed out as real ones
                would be; the jobs are real processes. A day of theirs takes %.0f seconds here.

                Starting a mesh of its own in %s ...
                """,
                Wave.SECONDS_PER_DAY, home.root());
        Mesh mesh =
                Mesh.start(new Services(root, home, ports, ONE_DGX, Leash.here()), change -> {});
        var cleanUp = new Thread(() -> cleanUp(mesh, home), "clean-up");
        Runtime.getRuntime().addShutdownHook(cleanUp);
        return switch (mesh.awaitStarted()) {
            case Mesh.Outcome.Stopped _ -> 1;
            case Mesh.Outcome.Failed failed -> {
                out.print(failed.explanation());
                yield 1;
            }
            case Mesh.Outcome.Ready ready -> {
                out.printf("Ready in %.1f s.%n%n", ready.took().toMillis() / 1000.0);
                yield contend(home, ports, identity);
            }
        };
    }

    private int contend(MeshHome home, Ports ports, Identity identity) throws IOException {
        Path jobs = Files.createDirectory(home.root().resolve("jobs"));
        var contest = new Contest(ports, identity, jobs, out);
        contest.play();
        var operator = new MeshClient(ports, identity.token("demo", Identity.OPERATOR));
        List<Entry> entries = contest.awaitBooked(operator);
        JsonNode usage = operator.accounting("/v1/accounting/usage");
        JsonNode balance = operator.accounting("/v1/accounting/balance");
        var books = new Books(entries, usage, balance);
        contest.tell(entries);
        out.printf("%nThe books%n%s%n", books.table());
        List<String> differences = books.differences();
        if (differences.isEmpty()) {
            out.printf(
                    "They balance: %d jobs COMPLETED, each ran once, and each charge is GPUs x time held, to the millisecond.%n",
                    entries.size());
            return 0;
        }
        out.println("THEY DO NOT BALANCE:");
        differences.forEach(difference -> out.println("  " + difference));
        return 1;
    }

    private static void cleanUp(Mesh mesh, MeshHome home) {
        mesh.close();
        try {
            home.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
