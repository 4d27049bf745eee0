package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.core.engine.Counted;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Kind;
import io.berth.core.placement.Seats.Seat;
import io.berth.core.request.Cores;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What nodes of one kind have in common: their resources, their partitions and their weight.
///
/// @param cores by which their CPUs are given out
/// @param gpus examples of their GPUs that are given out whole, by lane; only type and memory are
///   told
/// @param slots their shared GPUs, in the order of the inventory
/// @param gres their other resources, without device files
/// @param linked the lanes of whose GPUs each reaches each other by NVLink or XGMI
/// @param seats where GPUs and CPUs lie; null where there are too many GPUs to tell
record NodeKind(
        Cores cores,
        long memoryMib,
        Map<Lane, List<Gpu>> gpus,
        List<Slot> slots,
        List<Gres> gres,
        Set<Lane> linked,
        @Nullable Seats seats,
        List<String> partitions,
        int weight) {

    /// A GPU that is given out in parts.
    ///
    /// @param gpu an example of it
    /// @param of in how many parts
    record Slot(Gpu gpu, GpuSharing sharing, int of) {}

    /// @param gpus those that may be given out
    /// @param gres all its other resources
    /// @param shared how its GPUs are shared; null if none is
    static NodeKind of(
            Inventory inventory,
            List<Gpu> gpus,
            List<Gres> gres,
            Cores cores,
            @Nullable Seats seats,
            List<String> partitions,
            @Nullable SharedGpus shared,
            int weight) {
        var lanes = new TreeMap<Lane, List<Gpu>>();
        var slots = new ArrayList<Slot>();
        for (Gpu gpu : gpus) {
            var example = new Gpu(0, "", gpu.type(), "", 0, gpu.memoryMib(), 0);
            if (shared != null && shared.shares(gpu)) {
                slots.add(new Slot(example, shared.sharing(), shared.of()));
            } else {
                lanes.computeIfAbsent(Lane.of(gpu), _ -> new ArrayList<>()).add(example);
            }
        }
        return new NodeKind(
                cores,
                inventory.memoryMib(),
                lanes,
                slots,
                gres.stream().map(it -> it.counted(it.count())).toList(),
                linked(inventory, lanes.keySet()),
                seats,
                partitions,
                weight);
    }

    private static Set<Lane> linked(Inventory inventory, Set<Lane> lanes) {
        GpuLinks links = inventory.links();
        var linked = new TreeSet<Lane>();
        if (links != null) {
            lanes.stream().filter(lane -> linked(inventory, links, lane)).forEach(linked::add);
        }
        return linked;
    }

    private static boolean linked(Inventory inventory, GpuLinks links, Lane lane) {
        int[] places =
                IntStream.range(0, inventory.gpus().size())
                        .filter(place -> Lane.of(inventory.gpus().get(place)).equals(lane))
                        .toArray();
        for (int from : places) {
            for (int to : places) {
                if (from != to && !links.linked(from, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whether a part with so many GPUs may have those of a lane, by how they are linked.
    boolean links(ResourceRequest request, int gpuCount, Lane lane) {
        return request.where().linked() == null
                || gpuCount < 2
                || linked.contains(lane)
                || (seats != null && seats.holdsIsland(lane, gpuCount));
    }

    /// Whether it matters where GPUs or CPUs of a part lie, beside how many there are.
    ///
    /// @param partition of the job
    private boolean seated(ResourceRequest request, int part, List<Lane> lanes, String partition) {
        return Seats.bySocket(request)
                || island(request, part, lanes)
                || (seats != null && seats.caps(partition));
    }

    /// GPUs of several types are none.
    private boolean island(ResourceRequest request, int part, List<Lane> lanes) {
        return lanes.size() == 1
                && request.where().linked() != null
                && request.gpusOn(part) > 1
                && !linked.contains(lanes.getFirst());
    }

    /// Where a part must lie, on a node that can hold it and is not its own; null is anywhere.
    ///
    /// @param lanes of its whole GPUs, one of each type that it has there; none without
    @Nullable Seat seat(ResourceRequest request, int part, List<Lane> lanes, String partition) {
        return seats == null || !seated(request, part, lanes, partition)
                ? null
                : seats.seat(request, part, lanes, partition, island(request, part, lanes));
    }

    /// The kind in the engine's terms.
    ///
    /// @param caps by partition, how many CPUs of a node its jobs may have together
    /// @param seated whether it counts where GPUs and CPUs lie
    /// @param types by lane, then by slot, the numbers of their types
    Kind engineKind(int[] caps, boolean seated, int[] types) {
        int[] slotUnits = new int[slots.size()];
        Arrays.fill(slotUnits, GpuShare.WHOLE);
        return new Kind(
                cores.cpus(),
                memoryMib,
                gpus.values().stream().mapToInt(List::size).toArray(),
                slotUnits,
                types,
                caps,
                weight,
                Counted.of(seats == null || !seated ? amounts(gres) : seats.all(amounts(gres))));
    }

    /// Other resources in the engine's terms. Those that the kind does not have are left out.
    Counted counted(List<Gres> some) {
        return Counted.of(amounts(some));
    }

    /// Those by type, in the order of the kind's.
    long[] amounts(List<Gres> some) {
        var amounts = new long[gres.size()];
        for (Gres one : some) {
            for (int place = 0; place < amounts.length; place++) {
                amounts[place] += gres.get(place).kind().equals(one.kind()) ? one.count() : 0;
            }
        }
        return amounts;
    }

    /// What a request takes of a node's other resources, without device files: of one for which it
    /// names no type those of the type that the node has most of, the first of equals. Null if the
    /// node has not as much.
    static @Nullable List<Gres> chosen(ResourceRequest request, List<Gres> there) {
        var chosen = new ArrayList<Gres>();
        for (Gres wanted : request.gres()) {
            Gres most = null;
            for (Gres one : there) {
                boolean more = most == null || one.count() > most.count();
                most = wanted.admits(one) && more ? one : most;
            }
            if (most == null || most.count() < wanted.count()) {
                return null;
            }
            chosen.add(most.counted(wanted.count()));
        }
        return chosen;
    }

    /// The lane of the first shared GPU.
    int firstSlot() {
        return gpus.size();
    }

    /// What the only part of a request for a part of a GPU may take here: one for each shared GPU
    /// that would do, were the node empty.
    ///
    /// @param partition of the job
    List<Demand> shares(ResourceRequest request, String partition) {
        ShareRequest wanted = request.gpus().share();
        Demand rest = rest(request, 0);
        var ways = new ArrayList<Demand>();
        for (int slot = 0; slot < slots.size() && wanted != null && rest != null; slot++) {
            Slot at = slots.get(slot);
            GpuShare share = wanted.on(at.sharing(), at.of(), at.gpu().memoryMib());
            if (share != null && request.gpus().admits(at.gpu())) {
                Demand way =
                        seated(
                                new Demand(
                                                rest.cpus(),
                                                rest.memoryMib(),
                                                share.units(),
                                                firstSlot() + slot)
                                        .with(rest.counted()),
                                request,
                                0,
                                List.of(),
                                partition);
                if (way != null) {
                    ways.add(way);
                }
            }
        }
        return ways;
    }

    /// The place of a GPU's lane among the kind's.
    int lane(Gpu gpu) {
        return List.copyOf(gpus.keySet()).indexOf(Lane.of(gpu));
    }

    /// What a part of a request takes here; null if even an empty node cannot hold it. Its GPUs are
    /// all of one type: the one that the kind has most of, of those that will do; or of each type
    /// that it names. A job that has its nodes to itself takes all CPUs, so nothing else fits
    /// beside it, and all other resources.
    ///
    /// @param partition of the job
    @Nullable Demand demand(ResourceRequest request, int part, String partition) {
        if (request.gpus().share() != null) {
            List<Demand> ways = shares(request, partition);
            return ways.isEmpty() ? null : ways.getFirst();
        }
        boolean whole = request.where().sharing() == Sharing.NODE;
        Demand rest = rest(request, part);
        int wanted = request.gpusOn(part);
        if (rest == null || wanted == 0) {
            return rest == null ? null : seated(rest, request, part, List.of(), partition);
        }
        List<Lane> lanes = List.copyOf(gpus.keySet());
        var chosen = new ArrayList<Integer>();
        var taken = new long[lanes.size()];
        for (GpuRequest one : request.gpus().ofEach()) {
            int count = request.gpusOn(part, one);
            if (count == 0) {
                continue;
            }
            int lane = most(lanes, one, request, count);
            if (lane < 0) {
                return null;
            }
            taken[lane] = whole ? has(lanes.get(lane)) : count;
            chosen.add(lane);
        }
        int first = chosen.getFirst();
        int ofFirst = (int) taken[first];
        taken[first] = 0;
        return seated(
                new Demand(rest.cpus(), rest.memoryMib(), ofFirst, first)
                        .alsoWith(Counted.of(taken))
                        .with(rest.counted()),
                request,
                part,
                chosen.stream().map(lanes::get).toList(),
                partition);
    }

    /// How many GPUs of each type it has that are given out whole.
    Map<String, Long> gpusByType() {
        var byType = new TreeMap<String, Long>();
        gpus.values().stream()
                .flatMap(List::stream)
                .forEach(it -> byType.merge(it.type(), 1L, Long::sum));
        return byType;
    }

    private int has(Lane lane) {
        return Objects.requireNonNull(gpus.get(lane)).size();
    }

    /// The lane with the most GPUs, the first of equals, that has as many as a request of one type
    /// takes; -1 if none has.
    ///
    /// @param request of the whole job
    private int most(List<Lane> lanes, GpuRequest one, ResourceRequest request, int count) {
        boolean whole = request.where().sharing() == Sharing.NODE;
        int best = -1;
        int most = count - 1;
        for (Lane lane : lanes) {
            int has = has(lane);
            if (has > most
                    && one.admits(Objects.requireNonNull(gpus.get(lane)).getFirst())
                    && links(request, whole ? has : count, lane)) {
                best = lanes.indexOf(lane);
                most = has;
            }
        }
        return best;
    }

    /// How many CPUs a part of a request takes here: whole cores, where these are given out.
    int cpusOn(ResourceRequest request, int part) {
        return cores.of(request, part);
    }

    /// How many CPUs of a node jobs may still have.
    int freeCpus(Inventory inventory, Holding holding) {
        return cores.threads() == 1
                ? inventory.cpus() - holding.cpus()
                : cores.free(holding.freeCpus(inventory.cpus())).cardinality();
    }

    /// What a part of a request takes here beside GPUs; null if even an empty node cannot hold it.
    @Nullable Demand rest(ResourceRequest request, int part) {
        boolean whole = request.where().sharing() == Sharing.NODE;
        long memory = request.memoryMibOn(part, memoryMib);
        List<Gres> others = chosen(request, gres);
        int cpus = cpusOn(request, part);
        return cpus > cores.cpus() || memory > memoryMib || others == null
                ? null
                : new Demand(whole ? cores.cpus() : cpus, memory, 0, -1)
                        .with(counted(whole ? gres : others));
    }

    /// The demand where it must lie; null where even an empty node has no place for it. One that
    /// has the node to itself has all places.
    private @Nullable Demand seated(
            Demand demand, ResourceRequest request, int part, List<Lane> lanes, String partition) {
        boolean whole = request.where().sharing() == Sharing.NODE;
        String bound = whole ? "" : partition;
        if (!seated(request, part, lanes, bound)) {
            return demand;
        }
        Seat seat = seat(request, part, lanes, bound);
        return seat == null ? null : demand.seated(whole ? null : seat);
    }
}
