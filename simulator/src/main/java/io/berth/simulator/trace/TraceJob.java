package io.berth.simulator.trace;

import java.util.List;

/// One job of a trace.
///
/// @param group virtual cluster, queue or user group; "" if unknown
/// @param submitMillis after the trace's beginning; -1 if unknown
/// @param durationMillis how long it ran; -1 if unknown
/// @param limitMillis its time limit; -1 if unknown
/// @param gpus in sum over its nodes
/// @param gpuMilli thousandths of each GPU; 0 without GPUs
/// @param gpuTypes allowed types; empty for any
/// @param cpusMilli thousandths of CPUs in sum; 0 if unknown
/// @param memoryMib in sum; 0 if unknown
/// @param nodes 0 if unknown
public record TraceJob(
        String id,
        String user,
        String group,
        long submitMillis,
        long durationMillis,
        long limitMillis,
        int gpus,
        int gpuMilli,
        List<String> gpuTypes,
        int cpusMilli,
        long memoryMib,
        int nodes) {}
