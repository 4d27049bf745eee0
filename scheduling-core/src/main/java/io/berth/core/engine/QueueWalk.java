package io.berth.core.engine;

import io.berth.core.engine.Queue.Line;
import java.util.Collection;
import java.util.Iterator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// A walk over jobs of the queue in the order of priority, which leaves the queue as it is.
///
/// *Method*: of lines that keep their order each is begun when its first job may be the next. So
/// the walk looks at as many lines as it tells jobs, at most, however many there are.
final class QueueWalk {

    private final PriorityQueue<Step> steps;

    /// @param others the rest of its line
    /// @param lines those behind its line, if it is the first of that; null if it is not
    private record Step(Waiting job, Iterator<Waiting> others, @Nullable Iterator<Line> lines) {}

    /// @param rungs lines that keep their order, in that order
    QueueWalk(Collection<? extends Iterable<Line>> rungs, long now) {
        this.steps = new PriorityQueue<>((a, b) -> Waiting.compare(a.job, b.job, now));
        rungs.forEach(rung -> begin(rung.iterator()));
    }

    private void begin(Iterator<Line> lines) {
        if (lines.hasNext()) {
            Iterator<Waiting> jobs = lines.next().jobs();
            steps.add(new Step(jobs.next(), jobs, lines));
        }
    }

    /// The next job; null after the last.
    @Nullable Waiting next() {
        Step step = steps.poll();
        if (step == null) {
            return null;
        }
        if (step.others.hasNext()) {
            steps.add(new Step(step.others.next(), step.others, null));
        }
        if (step.lines != null) {
            begin(step.lines);
        }
        return step.job;
    }
}
