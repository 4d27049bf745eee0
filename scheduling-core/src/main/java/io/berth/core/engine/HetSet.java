package io.berth.core.engine;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The components of a heterogeneous job that wait: jobs of different shapes that start together or
/// not at all. Its place in the order of priority is that of its last component.
final class HetSet {

    /// Id of its first component.
    final long first;

    private final int size;
    private final TreeMap<Long, Waiting> waiting = new TreeMap<>();

    /// The component that stands last, and when it did; null if another one may since.
    private @Nullable Waiting last;

    private long lastAt;

    /// @param size how many components it has
    HetSet(long first, int size) {
        this.first = first;
        this.size = size;
    }

    void add(Waiting component) {
        waiting.put(component.job, component);
        reordered();
    }

    /// True: none waits any more.
    boolean remove(Waiting component) {
        waiting.remove(component.job, component);
        reordered();
        return waiting.isEmpty();
    }

    /// Whether all of its components wait.
    boolean complete() {
        return waiting.size() == size;
    }

    /// Those that wait, by id.
    Collection<Waiting> components() {
        return waiting.values();
    }

    /// The one that stands for all.
    Waiting lead() {
        return waiting.firstEntry().getValue();
    }

    /// Whether all of its components are expected to start at one time.
    boolean planned() {
        Plans.@Nullable Plan first = lead().plan;
        return complete()
                && first != null
                && waiting.values().stream()
                        .allMatch(it -> it.plan != null && it.plan.start() == first.start());
    }

    /// Whether some are expected to start, and not all together.
    boolean torn() {
        return !planned() && waiting.values().stream().anyMatch(it -> it.plan != null);
    }

    /// Whether all of its components may have an expected start.
    boolean plannable() {
        return complete() && waiting.values().stream().allMatch(it -> it.fit.plannable());
    }

    /// How long it takes until the last of its components has ended, in milliseconds; [Node#NEVER]
    /// without limit.
    long length() {
        return waiting.values().stream().mapToLong(it -> it.length).max().orElse(0);
    }

    /// Before which all of its components must have started; [Node#NEVER] if at any time.
    long lastStart() {
        return waiting.values().stream().mapToLong(it -> it.lastStart).min().orElse(Node.NEVER);
    }

    /// The component that stands last in the order of priority.
    Waiting last(long now) {
        Waiting found = last;
        if (found == null || lastAt != now) {
            found = lead();
            for (Waiting it : waiting.values()) {
                found = Waiting.compareAlone(it, found, now) > 0 ? it : found;
            }
            last = found;
            lastAt = now;
        }
        return found;
    }

    /// The order of its components may be another one.
    void reordered() {
        last = null;
    }

    /// In the order in which they are seated.
    List<Waiting> largestFirst() {
        return waiting.values().stream()
                .sorted(
                        Comparator.comparingLong((Waiting it) -> it.fit.most(Demand::gpus))
                                .thenComparingLong(it -> it.fit.most(Demand::cpus))
                                .reversed()
                                .thenComparingLong(it -> it.job))
                .toList();
    }
}
