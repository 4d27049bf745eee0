package io.berth.agent.session;

import io.berth.slurm.session.UnixSignal;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The terminal that this process was started in, raw while a program on another node has one of
/// its own: every key is that program's. `stty` does the work.
final class OwnTerminal implements AutoCloseable {

    private final String before;

    /// @param before how it was, as `stty` tells it; empty if nothing is to be changed back
    private OwnTerminal(String before) {
        this.before = before;
    }

    /// Makes it raw. Where there is none nothing happens.
    ///
    /// @param resized is told its rows and columns when they change
    static OwnTerminal raw(Consumer<String> resized) {
        String before = stty("-g");
        if (!before.isEmpty()) {
            var unused = stty("raw", "-echo");
            UnixSignal.handle("WINCH", () -> resized.accept(stty("size")));
        }
        return new OwnTerminal(before);
    }

    /// Makes it what it was.
    @Override
    public void close() {
        if (!before.isEmpty()) {
            var unused = stty(before);
        }
    }

    /// What `stty` says of the input of this process; empty if that is no terminal.
    private static String stty(String... words) {
        var command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(words));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(Redirect.INHERIT)
                            .redirectError(Redirect.DISCARD)
                            .start();
            var said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return process.waitFor() == 0 ? said.strip() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
