package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a run used: each resource it held, times the cell time from placing to freeing less the
/// time for which it was suspended, as exact integers.
///
/// @param cpuMillis CPU-milliseconds
/// @param memoryMibMillis MiB-milliseconds
/// @param gpuMillis GPU-milliseconds
/// @param nodeMillis node-milliseconds
/// @param billingMicros billing units × seconds, in millionths
/// @param gpuTypeMillis GPU-milliseconds of each type of whole GPUs; those of a type that is not
///   known, and parts of GPUs, are in none
public record Charge(
        long cpuMillis,
        long memoryMibMillis,
        long gpuMillis,
        long nodeMillis,
        long billingMicros,
        @Added @JsonInclude(Include.NON_EMPTY) Map<String, Long> gpuTypeMillis) {

    public static final Charge ZERO = new Charge(0, 0, 0, 0, 0);

    public Charge {
        gpuTypeMillis = gpuTypeMillis == null ? Map.of() : small(gpuTypeMillis);
    }

    /// Of parts of GPUs, or of GPUs of no known type.
    public Charge(
            long cpuMillis,
            long memoryMibMillis,
            long gpuMillis,
            long nodeMillis,
            long billingMicros) {
        this(cpuMillis, memoryMibMillis, gpuMillis, nodeMillis, billingMicros, Map.of());
    }

    /// Tens of thousands are kept, and most have GPUs of no type or of one.
    private static Map<String, Long> small(Map<String, Long> byType) {
        return byType.size() < 2
                ? Map.copyOf(byType)
                : Collections.unmodifiableMap(new TreeMap<>(byType));
    }

    public Charge plus(Charge other) {
        return new Charge(
                Math.addExact(cpuMillis, other.cpuMillis),
                Math.addExact(memoryMibMillis, other.memoryMibMillis),
                Math.addExact(gpuMillis, other.gpuMillis),
                Math.addExact(nodeMillis, other.nodeMillis),
                Math.addExact(billingMicros, other.billingMicros),
                sum(gpuTypeMillis, other.gpuTypeMillis));
    }

    private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
        SortedMap<String, Long> sum = new TreeMap<>(one);
        other.forEach((type, millis) -> sum.merge(type, millis, Math::addExact));
        return sum;
    }
}
