package io.berth.contracts;

/// What a run used: each resource it held, times the cell time from placing to freeing less the
/// time for which it was suspended, as exact integers.
///
/// @param cpuMillis CPU-milliseconds
/// @param memoryMibMillis MiB-milliseconds
/// @param gpuMillis GPU-milliseconds
/// @param nodeMillis node-milliseconds
/// @param billingMicros billing units × seconds, in millionths
public record Charge(
        long cpuMillis, long memoryMibMillis, long gpuMillis, long nodeMillis, long billingMicros) {

    public static final Charge ZERO = new Charge(0, 0, 0, 0, 0);

    public Charge plus(Charge other) {
        return new Charge(
                Math.addExact(cpuMillis, other.cpuMillis),
                Math.addExact(memoryMibMillis, other.memoryMibMillis),
                Math.addExact(gpuMillis, other.gpuMillis),
                Math.addExact(nodeMillis, other.nodeMillis),
                Math.addExact(billingMicros, other.billingMicros));
    }
}
