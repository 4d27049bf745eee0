package io.berth.core.engine;

/// For whom a demand is, as far as that decides who may be on a node beside it.
///
/// @param user 0 for all who want no nodes for themselves
/// @param alone whether it shares its nodes with jobs of its user only
/// @param partition whose jobs may have only so many CPUs of a node together; -1 for another
public record Tenant(int user, boolean alone, int partition) {

    /// Whom it does not matter to who is beside him.
    public static final Tenant ANYBODY = new Tenant(0, false, -1);

    /// Whether the two have their CPUs of a node together.
    boolean sharesCap(Tenant other) {
        return partition == other.partition;
    }

    /// Whether the two cannot be on one node together.
    boolean bars(Tenant other) {
        return user != other.user && (alone || other.alone);
    }
}
