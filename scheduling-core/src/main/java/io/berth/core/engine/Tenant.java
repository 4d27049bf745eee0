package io.berth.core.engine;

/// For whom a demand is, as far as that decides who may be on a node beside it.
///
/// @param user 0 for all who want no nodes for themselves
/// @param alone whether it shares its nodes with jobs of its user only
/// @param partition whose jobs may have only so many CPUs of a node together; -1 for another
/// @param block whether it shares all nodes of its blocks with no job
public record Tenant(int user, boolean alone, int partition, boolean block) {

    public Tenant {
        alone |= block;
    }

    /// One that others may be in its blocks with.
    public Tenant(int user, boolean alone, int partition) {
        this(user, alone, partition, false);
    }

    /// Whom it does not matter to who is beside him.
    public static final Tenant ANYBODY = new Tenant(0, false, -1);

    /// Whether the two have their CPUs of a node together.
    boolean sharesCap(Tenant other) {
        return partition == other.partition;
    }

    /// Whether the two, of two jobs, cannot be on one node together.
    boolean bars(Tenant other) {
        return block || other.block || (user != other.user && (alone || other.alone));
    }
}
