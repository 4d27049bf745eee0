package io.berth.core.placement;

import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.core.placement.Seats.Seat;
import io.berth.core.request.Cores;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// On sockets of which each gives so many GPUs, or so many of each of several types, and that have
/// the CPUs of the part together; or on any, with so many tasks on each at most; or on as many CPUs
/// of each as its partition may have.
///
/// *Method*: of the sockets with enough free GPUs of each type those with the fewest are taken, and
/// where these have too few CPUs those with the most. A node's tasks are dealt out to them one by
/// one, each to the socket that has the fewest so far. Who does not ask for sockets has those first
/// that are near to its GPUs, then those with the most room.
///
/// *Example*: `--gpus-per-socket=2 --sockets-per-node=1` on a node with three free GPUs on socket 0
/// and two on socket 1 takes those of socket 1.
///
/// Source: sbatch(1), `--gpus-per-socket`, `--ntasks-per-socket`; slurm.conf(5),
/// `MaxCPUsPerSocket`.
///
/// @param gpus what a socket gives of each type; where it does not matter which they are, those of
///   the first
/// @param chosen how many sockets; 0 is as many as have room
/// @param cpus on them together
/// @param unit CPUs of a task, which are on one socket; of a core where it does not matter how many
///   tasks are on one
/// @param most units on a socket
/// @param cap how many CPUs of each socket its partition may have, by place among the caps; -1 is
///   any number
record SocketSeat(Seats seats, List<OfType> gpus, int chosen, int cpus, int unit, int most, int cap)
        implements Seat {

    /// @param of which GPUs, by place in the inventory, as bits
    /// @param each how many of them a socket gives; 0 where it does not matter
    record OfType(long of, int each) {}

    /// @param lanes of its GPUs, one of each type that it has there
    static SocketSeat of(
            Seats seats, ResourceRequest request, int part, List<Lane> lanes, int cap) {
        List<GpuRequest> types = request.gpus().ofEach();
        NodeShape shape = request.where().shape();
        Integer tasks = shape == null ? null : shape.tasksPerSocket();
        Cores cores = seats.cores();
        int unit = tasks == null ? cores.round(1) : cores.round(request, request.cpusPerTask());
        boolean ofGpus = request.gpus().perSocket() != null;
        return new SocketSeat(
                seats,
                IntStream.range(0, lanes.size())
                        .limit(ofGpus ? lanes.size() : 1)
                        .mapToObj(it ->
                                new OfType(
                                        seats.gpus(lanes.get(it)),
                                        requireNonNullElse(types.get(it).perSocket(), 0)))
                        .toList(),
                ofGpus ? request.gpus().sockets() : 0,
                tasks == null ? cores.of(request, part) : request.tasksOn(part) * unit,
                unit,
                tasks == null ? Integer.MAX_VALUE : tasks,
                cap);
    }

    @Override
    public boolean fits(long[] free) {
        return !sockets(free).isEmpty();
    }

    @Override
    public boolean ofCpus() {
        return true;
    }

    /// Whether the job asks for sockets.
    private boolean asked() {
        return chosen > 0 || most < Integer.MAX_VALUE;
    }

    /// The sockets that it takes; empty if there are none.
    private List<Integer> sockets(long[] free) {
        if (asked() && !seats.sockets().known()) {
            return List.of();
        }
        List<Integer> able =
                IntStream.range(0, seats.onSocket().size())
                        .filter(it -> units(free, it) > 0)
                        .filter(it ->
                                gpus.stream().allMatch(type -> gpusOn(free, it, type) >= type.each))
                        .boxed()
                        .sorted(Comparator.comparingInt(it -> gpusOn(free, it)))
                        .toList();
        if (able.size() < chosen) {
            return List.of();
        }
        int count = chosen == 0 ? able.size() : chosen;
        List<Integer> tight = able.subList(0, count);
        if (room(free, tight)) {
            return tight;
        }
        List<Integer> wide =
                able.stream()
                        .sorted(Comparator.comparingLong(it -> -units(free, it)))
                        .limit(count)
                        .toList();
        return room(free, wide) ? wide : List.of();
    }

    private boolean room(long[] free, List<Integer> sockets) {
        return unit * sockets.stream().mapToLong(it -> units(free, it)).sum() >= cpus;
    }

    /// How many units a socket has room for.
    private long units(long[] free, int socket) {
        return Math.min(most, seats.freeCpus(free, socket, cap) / unit);
    }

    private int gpusOn(long[] free, int socket) {
        return gpus.stream().mapToInt(type -> gpusOn(free, socket, type)).sum();
    }

    private int gpusOn(long[] free, int socket, OfType type) {
        return Long.bitCount(seats.free(free, type.of & seats.onSocket(socket)));
    }

    @Override
    public long gpus(long[] free) {
        long taken = 0;
        for (int socket : chosen == 0 ? List.<Integer>of() : sockets(free)) {
            for (OfType type : gpus) {
                long there = seats.free(free, type.of & seats.onSocket(socket));
                taken |= seats.layout().choose(there, type.each);
            }
        }
        return taken;
    }

    @Override
    public BitSet cpus(long[] free, BitSet freeCpus, BitSet near) {
        List<Integer> sockets = sockets(free);
        int[] dealt = asked() ? dealt(free, sockets) : nearest(free, sockets, near);
        var taken = new BitSet();
        for (int socket : sockets) {
            BitSet there = seats.onSocket().get(socket).toBitSet();
            there.and(freeCpus);
            var nearest = (BitSet) there.clone();
            nearest.and(near);
            there.andNot(near);
            int wanted = taken.cardinality() + dealt[socket] * unit;
            seats.cores().take(taken, nearest, wanted);
            seats.cores().take(taken, there, wanted);
        }
        return taken;
    }

    /// By socket, how many units it takes: as many of each.
    private int[] dealt(long[] free, List<Integer> sockets) {
        int[] dealt = new int[seats.onSocket().size()];
        for (int rest = cpus; rest > 0; rest -= unit) {
            dealt[
                    sockets.stream()
                            .filter(it -> dealt[it] < units(free, it))
                            .min(Comparator.comparingInt(it -> dealt[it]))
                            .orElseThrow()]++;
        }
        return dealt;
    }

    /// The same: as many as there are of the nearest.
    private int[] nearest(long[] free, List<Integer> sockets, BitSet near) {
        int[] dealt = new int[seats.onSocket().size()];
        List<Integer> inOrder =
                sockets.stream()
                        .sorted(
                                Comparator.comparingInt((Integer it) -> -near(it, near))
                                        .thenComparingLong(it -> -units(free, it)))
                        .toList();
        int rest = cpus / unit;
        for (int socket : inOrder) {
            dealt[socket] = (int) Math.min(rest, units(free, socket));
            rest -= dealt[socket];
        }
        return dealt;
    }

    private int near(int socket, BitSet near) {
        BitSet its = seats.onSocket().get(socket).toBitSet();
        its.and(near);
        return its.cardinality();
    }
}
