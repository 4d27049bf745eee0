package io.berth.simulator.trace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// One node of a node list.
///
/// @param gpuType "" without GPUs
/// @param cpusMilli thousandths of CPUs; [#UNKNOWN_CPUS] where the list does not say
/// @param memoryMib [#UNKNOWN_MIB] where the list does not say
/// @param partition "" if the list names none
public record TraceNode(
        String id, String gpuType, int gpus, int cpusMilli, long memoryMib, String partition) {

    /// As good as endless: what is unknown holds nobody up.
    public static final int UNKNOWN_CPUS = 1_000_000_000;

    public static final long UNKNOWN_MIB = 1L << 40;

    private static final List<String> NEEDED = List.of("node_id", "gpu_type", "gpus");
    private static final int MOST_GPUS = 63;

    /// Reads a node list with the columns `node_id,gpu_type,gpus,cpus_milli,mem_mib,partition`; the
    /// first three must be there.
    ///
    /// @throws BadTrace if the file cannot be read, has no node, or has a bad line and those are
    ///   refused
    public static List<TraceNode> read(Path file, BadLines bad) throws BadTrace {
        var nodes = new ArrayList<TraceNode>();
        Table.read(
                file,
                NEEDED,
                bad,
                row ->
                        nodes.add(
                                new TraceNode(
                                        row.text("node_id"),
                                        row.text("gpu_type"),
                                        (int) row.number("gpus", 0, MOST_GPUS),
                                        (int) row.number("cpus_milli", UNKNOWN_CPUS, UNKNOWN_CPUS),
                                        row.number("mem_mib", UNKNOWN_MIB, UNKNOWN_MIB),
                                        row.text("partition"))));
        if (nodes.isEmpty()) {
            throw new BadTrace(file + " names no node");
        }
        return nodes;
    }
}
