package io.berth.contracts;

/// Why a run was suspended, which says who resumes it.
public enum SuspendCause {
    /// An operator asked for it: it goes on when an operator asks for that.
    OPERATOR,
    /// Urgent work took its CPUs: it goes on when that has ended.
    PREEMPTION,
    /// Another job's turn on the same CPUs has come: it goes on when its own comes again.
    TIME_SLICE
}
