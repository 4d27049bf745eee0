package io.berth.contracts;

import java.util.concurrent.TimeUnit;

/// What ended runs have used together, as far as limits of a sum over time are concerned.
///
/// @param wallMillis how long each of them lasted less the time for which it was suspended,
///   whatever it held, in milliseconds
public record Spending(Charge charge, long wallMillis) {

    public static final Spending ZERO = new Spending(Charge.ZERO, 0);

    /// What one run used.
    public static Spending of(EndedRun run) {
        long suspended = run.suspendedMillis() == null ? 0 : run.suspendedMillis();
        return new Spending(run.charge(), Math.max(0, run.freedAt() - run.placedAt() - suspended));
    }

    public Spending plus(Spending other) {
        return new Spending(charge.plus(other.charge), Math.addExact(wallMillis, other.wallMillis));
    }

    /// Amount × milliseconds of a resource as [Tres] names it, memory in MiB.
    ///
    /// @throws IllegalArgumentException for what [Tres] does not name
    public long millis(String resource) {
        return switch (resource) {
            case Tres.CPU -> charge.cpuMillis();
            case Tres.MEMORY -> charge.memoryMibMillis();
            case Tres.NODE -> charge.nodeMillis();
            case Tres.GPU -> charge.gpuMillis();
            case Tres.BILLING -> TimeUnit.MICROSECONDS.toMillis(charge.billingMicros());
            default -> {
                if (!resource.startsWith(Tres.GPU + ":")) {
                    throw new IllegalArgumentException(resource + " is no resource");
                }
                String type = resource.substring(Tres.GPU.length() + 1);
                yield charge.gpuTypeMillis().getOrDefault(type, 0L);
            }
        };
    }
}
