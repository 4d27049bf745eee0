package io.berth.standalone;

import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.event.JobEvent;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What events told of a run until its end: what it held, since when, and how long it stood still.
final class PlacedRun {

    private final JobEvent.Placed placed;
    private long stoodStill;
    private long stillSince;

    PlacedRun(JobEvent.Placed placed) {
        this.placed = placed;
    }

    List<Allocation> held() {
        return placed.allocations();
    }

    void suspended(long at) {
        stillSince = at;
    }

    void resumed(long at) {
        stoodStill += at - stillSince;
        stillSince = 0;
    }

    /// Whether this is how it ended, at that time: its charge is what it held, times how long. One
    /// that stood still at its end may have been woken for it.
    boolean endedAs(EndedRun told, long at) {
        long still = Objects.requireNonNullElse(told.suspendedMillis(), 0L);
        long most = stillSince == 0 ? stoodStill : stoodStill + at - stillSince;
        return told.lease() == placed.lease()
                && told.placedAt() == placed.at()
                && told.freedAt() == at
                && told.allocations().equals(placed.allocations())
                && still >= stoodStill
                && still <= most
                && charge(at - placed.at() - still, told.charge().gpuTypeMillis())
                        .equals(told.charge());
    }

    /// @param byType taken as told, but for their sum: events do not say which GPU is of which type
    private Charge charge(long millis, Map<String, Long> byType) {
        List<Allocation> held = placed.allocations();
        long gpuMillis = held.stream().mapToLong(it -> gpuMillis(it, millis)).sum();
        long ofTypes = byType.values().stream().mapToLong(Long::longValue).sum();
        return new Charge(
                held.stream().mapToLong(it -> it.cpus().size()).sum() * millis,
                held.stream().mapToLong(Allocation::memoryMib).sum() * millis,
                gpuMillis,
                held.size() * millis,
                placed.billingRate() * millis,
                ofTypes > gpuMillis ? Map.of() : byType);
    }

    private static long gpuMillis(Allocation held, long millis) {
        return held.share() == null
                ? held.gpus().size() * millis
                : millis * held.share().parts() / held.share().of();
    }
}
