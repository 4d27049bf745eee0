package io.berth.contracts;

/// What of a job's life its user wants mail about.
public enum MailType {
    BEGIN,
    END,
    FAIL,
    REQUEUE,
    TIME_LIMIT,

    /// Of each task of an array, and not of the array as a whole.
    ARRAY_TASKS
}
