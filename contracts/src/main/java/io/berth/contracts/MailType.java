package io.berth.contracts;

/// What of a job's life its user wants mail about.
public enum MailType {
    BEGIN,
    END,
    FAIL,
    REQUEUE,
    TIME_LIMIT,
    /// Half of its time limit is used up.
    TIME_LIMIT_50,
    TIME_LIMIT_80,
    TIME_LIMIT_90,

    /// The job ends since what it depends on will never be met.
    INVALID_DEPEND,

    /// Of each task of an array, and not of the array as a whole.
    ARRAY_TASKS
}
