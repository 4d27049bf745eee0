package io.berth.agent.session;

import io.berth.slurm.session.Stty;
import io.berth.slurm.session.UnixSignal;
import java.lang.ProcessBuilder.Redirect;
import java.util.function.Consumer;

/// The terminal that this process was started in, raw while a program on another node has one of
/// its own: every key is that program's. `stty` does the work.
final class OwnTerminal implements AutoCloseable {

    private static final Stty HERE = new Stty(Redirect.INHERIT);

    private final String before;

    /// @param before how it was, as `stty` tells it; empty if nothing is to be changed back
    private OwnTerminal(String before) {
        this.before = before;
    }

    /// Makes it raw. Where there is none nothing happens.
    ///
    /// @param resized is told its rows and columns when they change
    static OwnTerminal raw(Consumer<String> resized) {
        String before = HERE.settings();
        if (!before.isEmpty()) {
            HERE.raw();
            UnixSignal.handle("WINCH", () -> resized.accept(HERE.size()));
        }
        return new OwnTerminal(before);
    }

    /// Makes it what it was.
    @Override
    public void close() {
        if (!before.isEmpty()) {
            HERE.set(before);
        }
    }
}
