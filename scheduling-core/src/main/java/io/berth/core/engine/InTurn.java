package io.berth.core.engine;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The planned jobs that what came free on some nodes may help, of classes of which all do not find
/// what one of them does not find that is no longer ([FitClass#alike]). So of each class one is
/// tried after the other, in the order of priority, instead of all.
final class InTurn {

    private final Comparator<Waiting> order;
    private final Map<FitClass, Turn> turns = new HashMap<>();

    /// Those of one class. They are put in order when the second is asked for: most often the first
    /// finds nothing, and so none does.
    private final class Turn {

        final List<Waiting> jobs;
        private boolean begun;
        private boolean ordered;

        Turn(List<Waiting> jobs) {
            this.jobs = jobs;
        }

        @Nullable Waiting next() {
            if (begun && !ordered) {
                jobs.sort(order.reversed());
                ordered = true;
            }
            begun = true;
            return jobs.isEmpty() ? null : ordered ? jobs.removeLast() : takeFirst();
        }

        private Waiting takeFirst() {
            int first = 0;
            for (int at = 1; at < jobs.size(); at++) {
                first = order.compare(jobs.get(at), jobs.get(first)) < 0 ? at : first;
            }
            Waiting job = jobs.get(first);
            jobs.set(first, jobs.getLast());
            jobs.removeLast();
            return job;
        }
    }

    InTurn(long now) {
        this.order = Waiting.order(now);
    }

    /// Those of a class that may be helped are now these, in any order. The list is its from then
    /// on.
    void set(FitClass fit, List<Waiting> jobs) {
        turns.put(fit, new Turn(jobs));
    }

    /// The next one of a class; null after the last.
    @Nullable Waiting next(FitClass fit) {
        Turn turn = turns.get(fit);
        return turn == null ? null : turn.next();
    }

    /// One of a class was looked for: only those may still be helped.
    void keep(FitClass fit, Predicate<Waiting> hopeful) {
        Turn turn = turns.get(fit);
        if (turn != null) {
            turn.jobs.removeIf(hopeful.negate());
        }
    }
}
