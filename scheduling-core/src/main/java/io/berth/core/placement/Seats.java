package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.core.engine.Seating;
import io.berth.core.request.Cores;
import io.berth.core.request.Sockets;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Where the GPUs and CPUs of nodes of one kind lie, for those who ask for that: its GPUs one by
/// one and the CPUs of each of its sockets, counted after the other resources of the kind.
///
/// They are counted only while jobs wait that ask: all others need numbers alone. That nodes differ
/// by them holds always, so that who asked before changes nothing for who does not.
final class Seats {

    private final GpuLayout layout;
    private final Sockets sockets;
    private final Cores cores;

    /// By place in the inventory, of which lane the GPU is if it is given out whole.
    private final List<Lane> lanes;

    /// Where they begin among what the kind counts.
    private final int first;

    private Seats(GpuLayout layout, Sockets sockets, Cores cores, List<Lane> lanes, int first) {
        this.layout = layout;
        this.sockets = sockets;
        this.cores = cores;
        this.lanes = lanes;
        this.first = first;
    }

    /// Null for a node of more GPUs than can be told apart.
    ///
    /// @param whole whether a GPU is given out whole
    /// @param first how many other resources the kind counts
    static @Nullable Seats of(
            Inventory inventory,
            Cores cores,
            GpuLayout.Known layouts,
            Predicate<Gpu> whole,
            int first) {
        if (inventory.gpus().size() > Long.SIZE) {
            return null;
        }
        var lanes = new ArrayList<Lane>();
        for (Gpu gpu : inventory.gpus()) {
            lanes.add(whole.test(gpu) ? Lane.of(gpu) : Lane.NONE);
        }
        return new Seats(layouts.of(inventory), Sockets.of(inventory), cores, lanes, first);
    }

    /// Whether a request asks where GPUs or CPUs lie.
    static boolean asked(ResourceRequest request) {
        return bySocket(request) || (request.where().linked() != null && !request.gpus().none());
    }

    /// Whether it matters to a request what of it is on which socket.
    static boolean bySocket(ResourceRequest request) {
        NodeShape shape = request.where().shape();
        return request.gpus().perSocket() != null
                || (shape != null && shape.tasksPerSocket() != null);
    }

    /// All that an empty node has, after the other resources that it counts.
    long[] all(long[] others) {
        var cpus = new BitSet();
        sockets.cpus().forEach(it -> cpus.or(it.toBitSet()));
        return with(others, gpus(lane -> !lane.equals(Lane.NONE)), cores.held(cpus));
    }

    /// What is free of that, beside other resources.
    long[] free(Inventory inventory, Holding holding) {
        long gpus = 0;
        for (int place = 0; place < lanes.size(); place++) {
            boolean whole = !lanes.get(place).equals(Lane.NONE);
            String uuid = inventory.gpus().get(place).uuid();
            gpus |= whole && !holding.holdsGpu(uuid) ? 1L << place : 0;
        }
        return with(new long[0], gpus, cores.free(holding.freeCpus(inventory.cpus())));
    }

    /// What somebody holds, after the other resources that he holds.
    ///
    /// @param uuids of his GPUs
    long[] held(long[] others, List<Gpu> gpus, Predicate<Gpu> his, IndexSet cpus) {
        long held = 0;
        for (int place = 0; place < lanes.size() && place < gpus.size(); place++) {
            boolean whole = !lanes.get(place).equals(Lane.NONE);
            held |= whole && his.test(gpus.get(place)) ? 1L << place : 0;
        }
        return with(others, held, cores.held(cpus.toBitSet()));
    }

    private long[] with(long[] others, long gpus, BitSet cpus) {
        var all = new long[first + lanes.size() + sockets.cpus().size()];
        System.arraycopy(others, 0, all, 0, others.length);
        for (int place = 0; place < lanes.size(); place++) {
            all[first + place] = gpus >> place & 1;
        }
        for (int socket = 0; socket < sockets.cpus().size(); socket++) {
            BitSet its = sockets.cpus().get(socket).toBitSet();
            its.and(cpus);
            all[first + lanes.size() + socket] = its.cardinality();
        }
        return all;
    }

    private long gpus(Predicate<Lane> of) {
        long bits = 0;
        for (int place = 0; place < lanes.size(); place++) {
            bits |= of.test(lanes.get(place)) ? 1L << place : 0;
        }
        return bits;
    }

    /// Whether some GPUs hold an island of so many, all free.
    boolean holdsIsland(Lane lane, int count) {
        return layout.holdsIsland(gpus(lane::equals), count);
    }

    /// Where a part of a request must lie; null where even an empty node has no place for it.
    ///
    /// @param lane of its GPUs; null without
    @Nullable Seat seat(ResourceRequest request, int part, @Nullable Lane lane) {
        long gpus = lane == null ? 0 : gpus(lane::equals);
        Seat seat =
                bySocket(request)
                        ? SocketSeat.of(this, request, part, gpus)
                        : new Island(this, gpus, request.gpusOn(part));
        return seat.fits(all(new long[0])) ? seat : null;
    }

    /// GPUs that are free.
    long free(long[] free, long of) {
        long gpus = 0;
        for (long rest = of; rest != 0; rest &= rest - 1) {
            int place = Long.numberOfTrailingZeros(rest);
            gpus |= at(free, first + place) > 0 ? 1L << place : 0;
        }
        return gpus;
    }

    /// The GPUs of a socket.
    long onSocket(int socket) {
        long gpus = 0;
        for (int place = 0; place < lanes.size(); place++) {
            gpus |= sockets.ofGpus().get(place) == socket ? 1L << place : 0;
        }
        return gpus;
    }

    /// How many CPUs of a socket are free.
    long freeCpus(long[] free, int socket) {
        return Math.max(0, at(free, first + lanes.size() + socket));
    }

    private static long at(long[] free, int place) {
        return place < free.length ? free[place] : 0;
    }

    Sockets sockets() {
        return sockets;
    }

    Cores cores() {
        return cores;
    }

    GpuLayout layout() {
        return layout;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Seats it
                && layout == it.layout
                && sockets.equals(it.sockets)
                && cores.equals(it.cores)
                && lanes.equals(it.lanes)
                && first == it.first;
    }

    @Override
    public int hashCode() {
        return Objects.hash(sockets, lanes, first);
    }

    /// Where a part of a job must lie on a node. What it takes is asked only where it [#fits].
    interface Seat extends Seating {

        /// The GPUs that it takes, by place in the inventory, as bits; 0 where any will do.
        ///
        /// @param free by place, as the kind counts it
        long gpus(long[] free);

        /// The CPUs that it must have of those that are free; none where any will do.
        ///
        /// @param near those that it would rather have
        BitSet cpus(long[] free, BitSet freeCpus, BitSet near);
    }

    /// On GPUs that are one island.
    ///
    /// @param of which GPUs, by place in the inventory, as bits
    record Island(Seats seats, long of, int count) implements Seat {

        @Override
        public boolean fits(long[] free) {
            return seats.layout.holdsIsland(seats.free(free, of), count);
        }

        @Override
        public boolean ofCpus() {
            return false;
        }

        @Override
        public long gpus(long[] free) {
            return seats.layout.island(seats.free(free, of), count);
        }

        @Override
        public BitSet cpus(long[] free, BitSet freeCpus, BitSet near) {
            return new BitSet();
        }
    }
}
