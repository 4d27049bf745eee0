package io.berth.contracts;

/// What a user may do beyond what is his own: Slurm's AdminLevel.
///
/// Source: sacctmgr(1), "AdminLevel"; user_permissions of Slurm's documentation.
public enum AdminLevel {
    NONE("None"),
    /// Looks after users, their jobs and reservations, and sees what is private.
    OPERATOR("Operator"),
    /// Does all of that, acts as any user, and changes nodes, partitions and the cluster.
    ADMIN("Administrator");

    private final String slurmName;

    AdminLevel(String slurmName) {
        this.slurmName = slurmName;
    }

    public String slurmName() {
        return slurmName;
    }
}
