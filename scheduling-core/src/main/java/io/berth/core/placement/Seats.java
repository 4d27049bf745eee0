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
/// one, the CPUs of each of its sockets, and what partitions may still have of these, counted after
/// the other resources of the kind.
///
/// They are counted only while jobs wait that ask, or partitions are bounded by socket: all others
/// need numbers alone. That nodes differ by them holds always, so that who asked before changes
/// nothing for who does not.
final class Seats {

    /// How many CPUs of each socket the jobs of a partition may have together (MaxCPUsPerSocket).
    record Cap(String partition, int most) {}

    private static final int NO_CAP = -1;

    private final GpuLayout layout;
    private final Sockets sockets;
    private final Cores cores;

    /// By place in the inventory, of which lane the GPU is if it is given out whole.
    private final List<Lane> lanes;

    /// Where they begin among what the kind counts.
    private final int first;

    private final List<Cap> caps;

    /// The CPUs of each socket; all are of one where the sockets are not known.
    private final List<IndexSet> onSocket;

    private Seats(
            GpuLayout layout,
            Sockets sockets,
            Cores cores,
            List<Lane> lanes,
            int first,
            List<Cap> caps,
            List<IndexSet> onSocket) {
        this.layout = layout;
        this.sockets = sockets;
        this.cores = cores;
        this.lanes = lanes;
        this.first = first;
        this.caps = caps;
        this.onSocket = onSocket;
    }

    /// Null for a node of more GPUs than can be told apart.
    ///
    /// @param whole whether a GPU is given out whole
    /// @param first how many other resources the kind counts
    /// @param caps of the node's partitions
    static @Nullable Seats of(
            Inventory inventory,
            Cores cores,
            GpuLayout.Known layouts,
            Predicate<Gpu> whole,
            int first,
            List<Cap> caps) {
        if (inventory.gpus().size() > Long.SIZE) {
            return null;
        }
        var lanes = new ArrayList<Lane>();
        for (Gpu gpu : inventory.gpus()) {
            lanes.add(whole.test(gpu) ? Lane.of(gpu) : Lane.NONE);
        }
        Sockets sockets = Sockets.of(inventory);
        return new Seats(
                layouts.of(inventory),
                sockets,
                cores,
                lanes,
                first,
                caps,
                sockets.cpus().isEmpty()
                        ? List.of(IndexSet.firstN(inventory.cpus()))
                        : sockets.cpus());
    }

    /// Whether the jobs of a partition may have only so many CPUs of each socket.
    boolean caps(String partition) {
        return cap(partition) != NO_CAP;
    }

    private int cap(@Nullable String partition) {
        for (int cap = 0; cap < caps.size(); cap++) {
            if (caps.get(cap).partition().equals(partition)) {
                return cap;
            }
        }
        return NO_CAP;
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
        onSocket.forEach(it -> cpus.or(it.toBitSet()));
        long[] all = with(others, gpus(lane -> !lane.equals(Lane.NONE)), cores.held(cpus));
        for (int cap = 0; cap < caps.size(); cap++) {
            for (int socket = 0; socket < onSocket.size(); socket++) {
                all[ofCap(cap, socket)] = caps.get(cap).most();
            }
        }
        return all;
    }

    /// What is free of that, beside other resources.
    ///
    /// @param partition of which it is told what its jobs may still have
    /// @param its CPUs that these have
    long[] free(Inventory inventory, Holding holding, String partition, BitSet its) {
        long gpus = 0;
        for (int place = 0; place < lanes.size(); place++) {
            boolean whole = !lanes.get(place).equals(Lane.NONE);
            String uuid = inventory.gpus().get(place).uuid();
            gpus |= whole && !holding.holdsGpu(uuid) ? 1L << place : 0;
        }
        long[] free = with(new long[0], gpus, cores.free(holding.freeCpus(inventory.cpus())));
        int cap = cap(partition);
        if (cap != NO_CAP) {
            count(free, cap, cores.held(its));
            for (int socket = 0; socket < onSocket.size(); socket++) {
                int at = ofCap(cap, socket);
                free[at] = Math.max(0, caps.get(cap).most() - free[at]);
            }
        }
        return free;
    }

    /// What somebody holds, after the other resources that he holds.
    ///
    /// @param uuids of his GPUs
    /// @param counted those of his CPUs that count
    /// @param partition for whose CPUs all of his count; null is for nobody's
    long[] held(
            long[] others,
            List<Gpu> gpus,
            Predicate<Gpu> his,
            IndexSet counted,
            IndexSet cpus,
            @Nullable String partition) {
        long held = 0;
        for (int place = 0; place < lanes.size() && place < gpus.size(); place++) {
            boolean whole = !lanes.get(place).equals(Lane.NONE);
            held |= whole && his.test(gpus.get(place)) ? 1L << place : 0;
        }
        long[] all = with(others, held, cores.held(counted.toBitSet()));
        int cap = cap(partition);
        if (cap != NO_CAP) {
            count(all, cap, cores.held(cpus.toBitSet()));
        }
        return all;
    }

    private long[] with(long[] others, long gpus, BitSet cpus) {
        var all = new long[ofCap(caps.size(), 0)];
        System.arraycopy(others, 0, all, 0, others.length);
        for (int place = 0; place < lanes.size(); place++) {
            all[first + place] = gpus >> place & 1;
        }
        for (int socket = 0; socket < onSocket.size(); socket++) {
            all[ofSocket(socket)] = on(socket, cpus);
        }
        return all;
    }

    private void count(long[] all, int cap, BitSet cpus) {
        for (int socket = 0; socket < onSocket.size(); socket++) {
            all[ofCap(cap, socket)] = on(socket, cpus);
        }
    }

    private int on(int socket, BitSet cpus) {
        BitSet its = onSocket.get(socket).toBitSet();
        its.and(cpus);
        return its.cardinality();
    }

    private int ofSocket(int socket) {
        return first + lanes.size() + socket;
    }

    private int ofCap(int cap, int socket) {
        return ofSocket(onSocket.size()) + cap * onSocket.size() + socket;
    }

    /// The GPUs of a lane that are given out whole, by place in the inventory, as bits.
    long gpus(Lane lane) {
        return gpus(lane::equals);
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
        return layout.holdsIsland(gpus(lane), count);
    }

    /// Where a part of a request must lie; null where even an empty node has no place for it.
    ///
    /// @param lanes of its GPUs, one of each type that it has there; none without
    /// @param partition of the job
    /// @param island whether its GPUs, of one lane, must be one
    @Nullable Seat seat(
            ResourceRequest request, int part, List<Lane> lanes, String partition, boolean island) {
        int cap = cap(partition);
        boolean bySocket = bySocket(request);
        Seat on =
                cap == NO_CAP && !bySocket ? null : SocketSeat.of(this, request, part, lanes, cap);
        Seat seat =
                on != null && (bySocket || !island)
                        ? on
                        : new Island(this, gpus(lanes.getFirst()), request.gpusOn(part), on);
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

    /// How many CPUs of a socket are free, as far as a cap lets them.
    ///
    /// @param cap by place; -1 is none
    long freeCpus(long[] free, int socket, int cap) {
        long cpus = at(free, ofSocket(socket));
        return Math.max(0, cap == NO_CAP ? cpus : Math.min(cpus, at(free, ofCap(cap, socket))));
    }

    /// The CPUs of each socket; all are of one where the sockets are not known.
    List<IndexSet> onSocket() {
        return onSocket;
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
                && first == it.first
                && caps.equals(it.caps);
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
    /// @param on where its CPUs must lie; null is anywhere
    record Island(Seats seats, long of, int count, @Nullable Seat on) implements Seat {

        @Override
        public boolean fits(long[] free) {
            return seats.layout.holdsIsland(seats.free(free, of), count)
                    && (on == null || on.fits(free));
        }

        @Override
        public boolean ofCpus() {
            return on != null;
        }

        @Override
        public long gpus(long[] free) {
            return seats.layout.island(seats.free(free, of), count);
        }

        @Override
        public BitSet cpus(long[] free, BitSet freeCpus, BitSet near) {
            return on == null ? new BitSet() : on.cpus(free, freeCpus, near);
        }
    }
}
