package io.berth.core.engine;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// What one part of a job takes on a node of one kind.
///
/// @param gpus whole GPUs of one type; or units of one shared GPU
/// @param lane which of the kind's GPU types they are of, or which shared GPU; -1 without GPUs
/// @param more what it takes of other lanes too
/// @param tenant for whom
/// @param counted what it takes beside
/// @param ofCap how many CPUs it takes of those that its partition may have: the same, but where a
///   part of a demand is looked at
/// @param seating where it must lie on the node; null is anywhere
/// @param shared with whom it may have its CPUs together; null is with nobody
public record Demand(
        int cpus,
        long memoryMib,
        int gpus,
        int lane,
        Counted more,
        Tenant tenant,
        Counted counted,
        int ofCap,
        @Nullable Seating seating,
        @Nullable Shared shared) {

    static final Demand NOTHING = new Demand(0, 0, 0, -1);

    public Demand {
        if (cpus < 0 || ofCap < 0 || memoryMib < 0 || gpus < 0 || (gpus > 0) != (lane >= 0)) {
            throw new IllegalArgumentException(
                    "demand of %d CPUs, %d MiB and %d GPUs of lane %d"
                            .formatted(cpus, memoryMib, gpus, lane));
        }
    }

    /// Of one to whom it does not matter who is beside him.
    public Demand(int cpus, long memoryMib, int gpus, int lane) {
        this(cpus, memoryMib, gpus, lane, Tenant.ANYBODY);
    }

    /// CPUs, memory and GPUs.
    public Demand(int cpus, long memoryMib, int gpus, int lane, Tenant tenant) {
        this(cpus, memoryMib, gpus, lane, tenant, Counted.NONE);
    }

    /// CPUs that all count for the partition's, memory, GPUs, and what it takes beside.
    public Demand(int cpus, long memoryMib, int gpus, int lane, Tenant tenant, Counted counted) {
        this(cpus, memoryMib, gpus, lane, Counted.NONE, tenant, counted, cpus, null, null);
    }

    private Demand of(
            int someCpus, long someMib, Counted byLane, int ofLane, Counted some, int someOfCap) {
        int its = ofLane < 0 || byLane.at(ofLane) == 0 ? -1 : ofLane;
        return new Demand(
                someCpus,
                someMib,
                its < 0 ? 0 : (int) byLane.at(its),
                its,
                byLane.without(its),
                tenant,
                some,
                someOfCap,
                null,
                null);
    }

    /// The same, with whole GPUs of other types.
    ///
    /// @param others by lane, none of its own
    public Demand alsoWith(Counted others) {
        return new Demand(
                cpus, memoryMib, gpus, lane, others, tenant, counted, ofCap, seating, shared);
    }

    /// How many GPUs, or units, it takes of a lane.
    int gpusOf(int some) {
        return some < 0 ? 0 : some == lane ? gpus : (int) more.at(some);
    }

    private Counted byLane() {
        return lane < 0 ? more : more.and(Counted.one(lane, gpus));
    }

    /// The same, for that tenant.
    public Demand of(Tenant other) {
        return other.equals(tenant)
                ? this
                : new Demand(
                        cpus, memoryMib, gpus, lane, more, other, counted, ofCap, seating, shared);
    }

    /// The same, with that beside.
    public Demand with(Counted others) {
        return new Demand(
                cpus, memoryMib, gpus, lane, more, tenant, others, ofCap, seating, shared);
    }

    /// The same, lying so on the node.
    public Demand seated(@Nullable Seating so) {
        return new Demand(cpus, memoryMib, gpus, lane, more, tenant, counted, ofCap, so, shared);
    }

    /// The same, with CPUs that others may hold too.
    public Demand sharing(@Nullable Shared so) {
        return new Demand(cpus, memoryMib, gpus, lane, more, tenant, counted, ofCap, seating, so);
    }

    /// The same, but that so many CPUs come free with it.
    Demand freeing(int some) {
        return some == cpus
                ? this
                : new Demand(
                        some, memoryMib, gpus, lane, more, tenant, counted, ofCap, seating, shared);
    }

    /// How many CPUs must be free for it: none where others may hold all of them.
    int leastCpus() {
        return shared == null ? cpus : 0;
    }

    /// Which CPUs it holds together with others; null if it does not run, or shares none.
    @Nullable BitSet heldTogether() {
        return shared == null ? null : shared.held();
    }

    /// Whether this takes of what lies somewhere for a demand with a seating.
    boolean contends(Demand seated, Seating seating) {
        return gpusOf(seated.lane) > 0 || (seating.ofCpus() && cpus > 0);
    }

    /// As much of this as another demand on the same node covers.
    Demand within(Demand other) {
        return of(
                Math.min(cpus, other.cpus),
                Math.min(memoryMib, other.memoryMib),
                byLane().within(other.byLane()),
                lane,
                counted.within(other.counted),
                tenant.sharesCap(other.tenant) ? Math.min(ofCap, other.ofCap) : 0);
    }

    /// What is left of this without a part of it.
    Demand less(Demand part) {
        return of(
                        cpus - part.cpus,
                        memoryMib - part.memoryMib,
                        byLane().less(part.byLane()),
                        lane,
                        counted.less(part.counted),
                        ofCap - part.ofCap)
                .sharing(shared);
    }

    /// This and a demand on the same node.
    Demand and(Demand other) {
        int either = lane < 0 ? other.lane : lane;
        return of(
                cpus + other.cpus,
                memoryMib + other.memoryMib,
                byLane().and(other.byLane()),
                either,
                counted.and(other.counted),
                ofCap + other.ofCap);
    }
}
