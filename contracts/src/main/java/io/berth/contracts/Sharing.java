package io.berth.contracts;

/// With whom a job shares the nodes that it runs on.
public enum Sharing {
    /// With every job that finds room.
    SHARED,
    /// With jobs of its user alone: `--exclusive=user`.
    USER,
    /// With no job, and it has all CPUs of its nodes: `--exclusive`.
    NODE,
    /// With every job that finds room, and its CPUs too with those of its partition that share
    /// theirs, if the partition lets them: `--oversubscribe`.
    OVERSUBSCRIBE,
    /// With no job, as all other nodes of its blocks, and it has what it asks for of them:
    /// `--exclusive=topo`.
    TOPOLOGY
}
