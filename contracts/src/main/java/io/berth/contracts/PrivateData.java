package io.berth.contracts;

/// What of a cluster only operators, and those whom it concerns, may see: Slurm's PrivateData.
///
/// Source: slurm.conf(5) and slurmdbd.conf(5), "PrivateData".
public enum PrivateData {
    /// Accounts: seen by their coordinators.
    ACCOUNTS,
    /// Jobs: seen by their users and by coordinators of their accounts.
    JOBS,
    /// Nodes: seen by operators alone.
    NODES,
    /// Partitions: seen by operators alone.
    PARTITIONS,
    /// Reservations: seen by those who may use them.
    RESERVATIONS,
    /// Usage and shares: seen by the users themselves and by coordinators of their accounts.
    USAGE,
    /// Users and their associations: seen by themselves and by coordinators of their accounts.
    USERS
}
