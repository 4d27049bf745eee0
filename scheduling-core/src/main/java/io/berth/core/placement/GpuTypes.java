package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.core.packing.FreeNode;
import io.berth.core.packing.Shape;
import io.berth.core.packing.Shape.OfType;
import io.berth.core.placement.NodeKind.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/// The types of a cell's GPUs by number, as packing policies tell them apart: those that are given
/// out whole by lane, and those that are shared. Of more than they can tell apart, the last are
/// one.
final class GpuTypes {

    private final Map<Object, Integer> numbers = new LinkedHashMap<>();
    private final Map<Lane, Gpu> whole = new LinkedHashMap<>();

    GpuTypes(List<NodeKind> kinds) {
        for (NodeKind kind : kinds) {
            kind.gpus().forEach((lane, gpus) -> whole.putIfAbsent(lane, gpus.getFirst()));
            Stream.concat(kind.gpus().keySet().stream(), kind.slots().stream())
                    .forEach(it ->
                            numbers.putIfAbsent(it, Math.min(numbers.size(), FreeNode.MOST - 1)));
        }
    }

    /// The number of each lane of a kind.
    int[] of(NodeKind kind) {
        return Stream.concat(kind.gpus().keySet().stream(), kind.slots().stream())
                .mapToInt(it -> Objects.requireNonNull(numbers.get(it)))
                .toArray();
    }

    /// What a job's first node gives it, as an engine's [io.berth.core.engine.Kind] tells it.
    Shape shape(ResourceRequest request) {
        GpuRequest gpus = request.gpus();
        int cpus = (int) Math.min(1000L * request.cpusOn(0), Integer.MAX_VALUE);
        long memory = request.memoryMibOn(0, 0);
        if (gpus.share() != null) {
            return part(cpus, memory, gpus, gpus.share());
        }
        var each = new ArrayList<OfType>();
        for (GpuRequest one : gpus.ofEach()) {
            each.add(new OfType(request.gpusOn(0, one), admitted(one)));
        }
        each.removeIf(it -> it.gpus() == 0 && !gpus.byType().isEmpty());
        if (each.size() > 1) {
            return Shape.ofTypes(cpus, memory, each);
        }
        OfType all = each.getFirst();
        int milli = all.gpus() == 0 ? 0 : Shape.WHOLE;
        return new Shape(
                cpus,
                memory,
                all.gpus(),
                milli,
                all.gpuTypes(),
                gpus.ofEach().getFirst().type() != null);
    }

    private long admitted(GpuRequest gpus) {
        long types = 0;
        for (var lane : whole.entrySet()) {
            types |= gpus.admits(lane.getValue()) ? bit(lane.getKey()) : 0;
        }
        return types;
    }

    private Shape part(int cpus, long memory, GpuRequest gpus, ShareRequest wanted) {
        long types = 0;
        int milli = 0;
        for (Object type : numbers.keySet()) {
            if (type instanceof Slot slot && gpus.admits(slot.gpu())) {
                GpuShare share = wanted.on(slot.sharing(), slot.of(), slot.gpu().memoryMib());
                if (share != null) {
                    types |= bit(slot);
                    milli = Math.max(milli, Math.max(1, share.parts() * Shape.WHOLE / share.of()));
                }
            }
        }
        return new Shape(cpus, memory, milli == 0 ? 0 : 1, milli, types, gpus.type() != null);
    }

    private long bit(Object type) {
        return 1L << Objects.requireNonNull(numbers.get(type));
    }
}
