package io.berth.slurm.session;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// What one end has sent and the other is not known to have taken. It is for one thread at a time.
final class SentFrames {

    /// That is much, in bytes: who sends more waits.
    static final int MUCH = 1 << 20;

    /// So many are kept before the other end is known to count what it takes.
    private static final int MOST_EARLY = 8 << 20;

    private static final int FRAME_COST = 64;

    private final Deque<Frame> frames = new ArrayDeque<>();

    /// How many came before those.
    private long taken;

    private long bytes;
    private boolean dropped;

    /// @param counted whether the other end is known to count: where it is not, and may never be,
    ///   too much is not kept any more, and nothing after it
    void add(Frame frame, boolean counted) {
        if (!counted && bytes > MOST_EARLY) {
            dropped = true;
            frames.clear();
            bytes = 0;
        }
        if (!dropped) {
            frames.add(frame);
            bytes += frame.payload().length + FRAME_COST;
        }
    }

    /// The other end has taken so many.
    ///
    /// @return whether that can be: no less than it had, and no more than were sent
    boolean taken(long count) {
        while (taken < count && !frames.isEmpty()) {
            bytes -= frames.remove().payload().length + FRAME_COST;
            taken++;
        }
        return taken == count;
    }

    boolean isMuch() {
        return bytes > MUCH;
    }

    /// Whether none is missing that the other end may not have.
    boolean areThere() {
        return !dropped;
    }

    boolean areTaken() {
        return frames.isEmpty();
    }

    /// Those that the other end has not.
    List<Frame> rest() {
        return List.copyOf(frames);
    }
}
