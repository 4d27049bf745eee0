package io.berth.core.engine;

import org.jspecify.annotations.Nullable;

/// A decision could not be made: an error of the engine's own, told with what it was about. What
/// was made of the decision so far must be dropped.
public final class DecisionFailed extends RuntimeException {

    private final String subject;
    private final @Nullable Long job;

    private DecisionFailed(String subject, @Nullable Long job, RuntimeException cause) {
        super("decide on " + subject + ": " + cause, cause);
        this.subject = subject;
        this.job = job;
    }

    /// The failure of a decision about a job.
    public static DecisionFailed on(long job, RuntimeException cause) {
        return cause instanceof DecisionFailed told
                ? told
                : new DecisionFailed(subject(job), job, cause);
    }

    /// The failure of a decision about something else.
    public static DecisionFailed on(String subject, RuntimeException cause) {
        return cause instanceof DecisionFailed told
                ? told
                : new DecisionFailed(subject, null, cause);
    }

    /// How a job is named as a subject.
    public static String subject(long job) {
        return "job " + job;
    }

    /// What it was about.
    public String subject() {
        return subject;
    }

    /// The job that it was about; null if it was about none.
    public @Nullable Long job() {
        return job;
    }
}
