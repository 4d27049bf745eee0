package io.berth.contracts;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What must have happened to other jobs before a job may start.
///
/// @param any whether one of the clauses is enough; else all are needed
public record Dependency(boolean any, List<Clause> clauses) {

    public Dependency {
        clauses = List.copyOf(clauses);
    }

    /// What a clause waits for.
    public enum Type {
        /// The other job has begun, or ended without beginning.
        AFTER,
        /// The other job has ended.
        AFTERANY,
        /// The other job has ended with success.
        AFTEROK,
        /// The other job has ended without success.
        AFTERNOTOK,
        /// The task of the other array that has the same index has ended with success.
        AFTERCORR,
        /// No earlier job of the same user has the same name and lives.
        SINGLETON;

        /// Slurm's word: `afterok`.
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /// One condition.
    ///
    /// @param job null for a singleton
    /// @param task one task of the array that is named; null is the job, or all tasks of the array
    /// @param delaySeconds time that must have passed since the other job began; with AFTER
    public record Clause(
            Type type, @Nullable JobId job, @Nullable Integer task, long delaySeconds) {

        @Override
        public String toString() {
            return type.word()
                    + (job == null ? "" : ":" + job)
                    + (task == null ? "" : "_" + task)
                    + (delaySeconds == 0 ? "" : "+" + delaySeconds / 60);
        }
    }

    /// As `--dependency` takes it.
    @Override
    public String toString() {
        return clauses.stream().map(Clause::toString).collect(Collectors.joining(any ? "?" : ","));
    }
}
