package io.berth.core.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The planned jobs that what came free on some nodes may help, of classes of which all do not find
/// what one of them does not find that is no longer ([FitClass#alike]). So of each class one is
/// tried after the other, in the order of priority, instead of all.
final class InTurn {

    private final long now;
    private final Map<FitClass, PriorityQueue<Waiting>> waiting = new HashMap<>();

    InTurn(long now) {
        this.now = now;
    }

    /// Those of a class that may be helped are now these.
    void set(FitClass fit, Iterable<Waiting> jobs) {
        var turn = new PriorityQueue<Waiting>(Waiting.order(now));
        jobs.forEach(turn::add);
        waiting.put(fit, turn);
    }

    /// The next one of a class; null after the last.
    @Nullable Waiting next(FitClass fit) {
        PriorityQueue<Waiting> turn = waiting.get(fit);
        return turn == null ? null : turn.poll();
    }

    /// One of a class was looked for: only those may still be helped.
    void keep(FitClass fit, Predicate<Waiting> hopeful) {
        PriorityQueue<Waiting> turn = waiting.get(fit);
        if (turn != null) {
            turn.removeIf(hopeful.negate());
        }
    }
}
