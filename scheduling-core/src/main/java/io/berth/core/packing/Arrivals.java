package io.berth.core.packing;

import java.util.List;
import java.util.TreeMap;

/// The shapes of the newest jobs, of which a policy learns the mix.
///
/// These are the last [#WINDOW] by number, up to a number that goes on in steps: to each power of
/// two, then by [#STEP]. So what a policy knows follows from the jobs and the highest number alone,
/// however they became known, and it learns seldom.
public final class Arrivals {

    static final int WINDOW = 1024;
    static final int STEP = 128;

    private final TreeMap<Long, Shape> shapes = new TreeMap<>();
    private long top;
    private boolean changed = true;

    /// A job is there, or has another shape than before.
    public void came(long job, Shape shape) {
        if (job > top - WINDOW && !shape.equals(shapes.put(job, shape))) {
            changed |= job <= top;
        }
    }

    /// A job is not known any more.
    public void gone(long job) {
        if (shapes.remove(job) != null) {
            changed |= job <= top;
        }
    }

    /// The number that the window ends at.
    ///
    /// @param highest the highest number that a job has had
    static long top(long highest) {
        return highest < STEP ? Long.highestOneBit(highest) : highest - highest % STEP;
    }

    /// From that number on jobs matter.
    ///
    /// @param highest the highest number that a job has had
    public static long first(long highest) {
        return top(highest) - WINDOW + 1;
    }

    /// Has a policy learn what has come, where that is other than it was.
    ///
    /// @param highest the highest number that a job has had
    public void teach(PackingPolicy policy, long highest) {
        if (top(highest) != top) {
            top = top(highest);
            shapes.headMap(first(highest)).clear();
            changed = true;
        }
        if (changed) {
            policy.learn(List.copyOf(shapes.headMap(top, true).values()));
            changed = false;
        }
    }
}
