package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.core.packing.FreeNode;
import io.berth.core.packing.Shape;
import io.berth.core.placement.NodeKind.Slot;
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

    /// What a job's first node gives it: of several types of GPUs the first, as an engine's
    /// [io.berth.core.engine.Kind] tells it.
    Shape shape(ResourceRequest request) {
        GpuRequest gpus = request.gpus();
        int cpus = (int) Math.min(1000L * request.cpusOn(0), Integer.MAX_VALUE);
        long memory = request.memoryMibOn(0, 0);
        GpuRequest first = gpus.ofEach().getFirst();
        int count = request.gpusOn(0, first);
        int milli = count == 0 ? 0 : Shape.WHOLE;
        long types = 0;
        for (var lane : whole.entrySet()) {
            if (gpus.share() == null && first.admits(lane.getValue())) {
                types |= bit(lane.getKey());
            }
        }
        ShareRequest wanted = gpus.share();
        for (Object type : numbers.keySet()) {
            if (wanted != null && type instanceof Slot slot && gpus.admits(slot.gpu())) {
                GpuShare share = wanted.on(slot.sharing(), slot.of(), slot.gpu().memoryMib());
                if (share != null) {
                    types |= bit(slot);
                    count = 1;
                    milli = Math.max(milli, Math.max(1, share.parts() * Shape.WHOLE / share.of()));
                }
            }
        }
        return new Shape(cpus, memory, count, milli, types, first.type() != null);
    }

    private long bit(Object type) {
        return 1L << Objects.requireNonNull(numbers.get(type));
    }
}
