package io.berth.contracts;

/// What becomes of a job that must give way.
///
/// Source: slurm.conf(5), "PreemptMode".
public enum PreemptMode {
    /// It does not give way.
    OFF,
    /// It ends as PREEMPTED.
    CANCEL,
    /// Its run ends, and it waits again.
    REQUEUE,
    /// Its run stands still and keeps its memory and GPUs; its CPUs come free.
    SUSPEND
}
