package io.berth.core.testing;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A node of which it is told what it is built of: eight CPUs on each socket, which is a NUMA node,
/// and GPUs `GPU-name-0` and so on.
public final class BuiltNode {

    private static final int CPUS = 8;

    private BuiltNode() {}

    /// @param sockets that the CPUs are on
    /// @param links of its GPUs; null if they are not known
    /// @param socketOfGpu of each GPU; -1 if it is not known
    public static NodeSeen of(
            String name, int sockets, @Nullable GpuLinks links, int... socketOfGpu) {
        List<String> types = Collections.nCopies(socketOfGpu.length, "v100");
        return of(name, sockets, links, types, socketOfGpu);
    }

    /// @param types of each GPU
    public static NodeSeen of(
            String name,
            int sockets,
            @Nullable GpuLinks links,
            List<String> types,
            int... socketOfGpu) {
        return of(
                name,
                sockets,
                links,
                types,
                Collections.nCopies(types.size(), 32_768L),
                socketOfGpu);
    }

    /// @param types of each GPU
    /// @param memoriesMib of each GPU
    public static NodeSeen of(
            String name,
            int sockets,
            @Nullable GpuLinks links,
            List<String> types,
            List<Long> memoriesMib,
            int... socketOfGpu) {
        List<Gpu> gpus =
                IntStream.range(0, socketOfGpu.length)
                        .mapToObj(i ->
                                new Gpu(
                                        i,
                                        "GPU-" + name + "-" + i,
                                        types.get(i),
                                        types.get(i),
                                        i,
                                        memoriesMib.get(i),
                                        socketOfGpu[i]))
                        .toList();
        List<NumaNode> numa =
                IntStream.range(0, sockets)
                        .mapToObj(it -> new NumaNode(it, IndexSet.of(cpus(it)), 32_768))
                        .toList();
        return new NodeSeen(
                new NodeName(name),
                "nonce-" + name,
                "machine-" + name,
                "boot",
                "test",
                new Inventory(
                        sockets,
                        CPUS,
                        1,
                        CPUS * sockets,
                        65_536L * sockets,
                        gpus,
                        List.of(),
                        true,
                        null,
                        "linux",
                        "x86_64",
                        links,
                        new Hardware(numa, List.of(), 0, List.of(), List.of())),
                List.of(),
                0);
    }

    private static BitSet cpus(int socket) {
        var cpus = new BitSet();
        cpus.set(socket * CPUS, (socket + 1) * CPUS);
        return cpus;
    }

    /// Links of boards on each of which all GPUs are linked to one another.
    public static GpuLinks boards(int gpus, int onBoard) {
        return new GpuLinks(
                IntStream.range(0, gpus)
                        .mapToObj(from ->
                                String.join(
                                        " ",
                                        IntStream.range(0, gpus)
                                                .mapToObj(to -> word(from, to, onBoard))
                                                .toList()))
                        .toList());
    }

    private static String word(int from, int to, int onBoard) {
        return from == to ? "X" : from / onBoard == to / onBoard ? "NV2" : "SYS";
    }
}
