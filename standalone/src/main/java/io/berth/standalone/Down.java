package io.berth.standalone;

import io.berth.standalone.mesh.CannotStart;
import io.berth.standalone.mesh.HomeLock;
import io.berth.standalone.mesh.MeshHome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// `berth down`: stops the mesh of a home and waits until it has stopped. Its data stay.
record Down(MeshHome home, PrintStream out) {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    static Down of(List<String> words, Map<String, String> environment, PrintStream out) {
        @Nullable Path home = null;
        var arguments = new Arguments(words);
        while (!arguments.isEmpty()) {
            String option = arguments.option();
            switch (option) {
                case "--home" -> home = Path.of(arguments.value(option));
                default -> throw new CannotStart("down does not know " + option);
            }
        }
        return new Down(MeshHome.configured(home, environment), out);
    }

    /// The exit status: 0 once nothing runs, also if nothing did.
    int run() throws IOException {
        OptionalLong holder = HomeLock.holder(home);
        ProcessHandle supervisor =
                holder.isEmpty() ? null : ProcessHandle.of(holder.getAsLong()).orElse(null);
        if (supervisor == null) {
            out.printf("berth is not up in %s%n", home.root());
            return 0;
        }
        supervisor.destroy();
        try {
            supervisor.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            supervisor.destroyForcibly();
            out.printf("berth did not stop within %s and was killed%n", LIMIT);
            return 1;
        } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
            throw new IOException("cannot wait for process " + supervisor.pid(), e);
        }
        out.printf("berth is down; its data stay in %s%n", home.root());
        return 0;
    }
}
