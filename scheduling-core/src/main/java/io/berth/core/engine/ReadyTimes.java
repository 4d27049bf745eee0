package io.berth.core.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/// When the nodes of one kind will have room: for some amounts of whole GPUs, of CPUs and of a
/// shared GPU, and for some lengths of time, the nodes by when so much will be free for so long, if
/// every run ends in time. Lower bounds of a fit that needs as much.
final class ReadyTimes {

    /// How long nodes are looked at to be free, in milliseconds.
    private static final long[] WINDOWS = {
        0, TimeUnit.HOURS.toMillis(1), TimeUnit.HOURS.toMillis(6), TimeUnit.HOURS.toMillis(24)
    };

    /// Rising amounts of one thing.
    ///
    /// @param first at which level they begin
    /// @param free how much a node has of it now
    /// @param of how much comes free of it at a step
    private record Scale(int first, long[] amounts, ToLongFunction<Node> free, Amount of) {

        /// How much comes free of one thing at a step.
        private interface Amount {
            long at(Timeline line, int step);
        }

        /// Lowers times of a node to those at which it will have that much of this.
        ///
        /// @param ready by level and window
        void lower(long[] ready, Node node) {
            Timeline runs = node.runs();
            Timeline reserved = node.reservations();
            var since = new long[amounts.length];
            int had = 0;
            int run = 0;
            int other = 0;
            long have = free.applyAsLong(node);
            for (long at = 0; at != Node.NEVER; ) {
                for (; run < runs.length() && runs.time(run) <= at; run++) {
                    have += of.at(runs, run);
                }
                for (; other < reserved.length() && reserved.time(other) <= at; other++) {
                    have += of.at(reserved, other);
                }
                for (; had < amounts.length && amounts[had] <= have; had++) {
                    since[had] = at;
                }
                for (; had > 0 && amounts[had - 1] > have; had--) {
                    lower(ready, first + had - 1, since[had - 1], at - since[had - 1]);
                }
                at =
                        Math.min(
                                run < runs.length() ? runs.time(run) : Node.NEVER,
                                other < reserved.length() ? reserved.time(other) : Node.NEVER);
            }
            for (; had > 0; had--) {
                lower(ready, first + had - 1, since[had - 1], Node.NEVER);
            }
        }

        private static void lower(long[] ready, int level, long since, long lasted) {
            for (int window = 0; window < WINDOWS.length && WINDOWS[window] <= lasted; window++) {
                int at = level * WINDOWS.length + window;
                ready[at] = Math.min(ready[at], since);
            }
        }
    }

    private final Kind kind;
    private final List<Scale> scales = new ArrayList<>();
    private final int ofCpus;
    private final int ofParts;
    private final Readiness[] times;

    /// The same times by node, so that most of what has not changed is seen without looking for it
    /// in each of the trees.
    private final long[] known;

    /// Of the node that is looked at.
    private final long[] ready;

    /// @param nodes of that kind
    ReadyTimes(Kind kind, int nodes) {
        this.kind = kind;
        this.ofCpus = kind.gpus;
        this.ofParts = ofCpus + 1 + Kind.magnitude(kind.cpus);
        long[] wholes = new long[kind.gpus];
        Arrays.setAll(wholes, level -> level + 1);
        scales.add(new Scale(0, wholes, Node::freeGpus, kind::whole));
        long[] cpus = new long[ofParts - ofCpus];
        Arrays.setAll(cpus, magnitude -> magnitude == 0 ? Long.MIN_VALUE : 1L << (magnitude - 1));
        scales.add(new Scale(ofCpus, cpus, node -> node.free[0], Timeline::cpus));
        for (int slot = 0; slot < kind.slots.length; slot++) {
            int lane = kind.gpusByLane.length + slot;
            long all = kind.slots[slot];
            long[] parts = new long[Kind.PARTS + 1];
            Arrays.setAll(parts, part -> Math.max(1, Math.ceilDiv(part * all, Kind.PARTS)));
            scales.add(
                    new Scale(
                            ofParts,
                            parts,
                            node -> node.free[2 + lane],
                            (line, step) -> line.gpusOf(step, lane)));
        }
        int levels = ofParts + (kind.slots.length == 0 ? 0 : Kind.PARTS + 1);
        this.times = new Readiness[levels * WINDOWS.length];
        Arrays.setAll(times, _ -> new Readiness(nodes));
        this.ready = new long[times.length];
        this.known = new long[nodes * times.length];
        Arrays.fill(known, Readiness.NEVER);
    }

    /// When the nodes may have room for one of some demands for so long.
    Readiness of(Demand[] ways, long length) {
        int window = 0;
        while (window + 1 < WINDOWS.length && WINDOWS[window + 1] <= length) {
            window++;
        }
        int level = level(ways[0]);
        for (Demand way : ways) {
            level = Math.min(level, level(way));
        }
        return times[level * WINDOWS.length + window];
    }

    private int level(Demand demand) {
        if (kind.shares(demand)) {
            return ofParts + kind.parts(demand.lane(), demand.gpus());
        }
        int whole = kind.whole(demand);
        return whole > 0 ? whole - 1 : ofCpus + Kind.magnitude(demand.leastCpus());
    }

    /// What is free on the node, now or later, or its openness changed.
    void refresh(Node node) {
        Arrays.fill(ready, Readiness.NEVER);
        if (node.open) {
            scales.forEach(scale -> scale.lower(ready, node));
        }
        int row = node.place * ready.length;
        for (int i = 0; i < ready.length; i++) {
            if (known[row + i] != ready[i]) {
                known[row + i] = ready[i];
                times[i].set(node.place, ready[i]);
            }
        }
    }
}
