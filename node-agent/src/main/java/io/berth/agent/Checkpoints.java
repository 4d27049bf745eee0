package io.berth.agent;

import io.berth.agent.launch.RunFiles;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/// What a run's script says of its checkpoints: it touches a file after each. Confined to the run's
/// thread. A later agent says the last one again.
final class Checkpoints {

    /// However often a script saves.
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RunFiles files;
    private final LongConsumer saved;
    private long told;
    private long toldAt = System.nanoTime() - APART_NANOS;

    /// @param saved takes the time of the last checkpoint, in epoch milliseconds
    Checkpoints(RunFiles files, LongConsumer saved) {
        this.files = files;
        this.saved = saved;
    }

    /// Tells of a checkpoint that was not told of yet, ten seconds after another one at the
    /// earliest.
    void look() {
        if (System.nanoTime() - toldAt >= APART_NANOS) {
            lookAgain();
        }
    }

    /// The same however soon: it is the last.
    void lookAgain() {
        long last = files.job().checkpoint();
        if (last > told) {
            told = last;
            toldAt = System.nanoTime();
            saved.accept(last);
        }
    }
}
