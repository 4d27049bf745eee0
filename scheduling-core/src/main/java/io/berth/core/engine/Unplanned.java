package io.berth.core.engine;

/// Why a waiting job has no expected start.
///
/// @param count of [Cause#PLAN] the jobs in the plan, of [Cause#SEARCH] the moments that a search
///   looks at at most; 0 of others
public record Unplanned(Cause cause, int count) {

    /// Of the components of a set the last of these counts that holds for one of them.
    public enum Cause {
        /// A start is found: the plan does not reach the job yet.
        PLAN,
        /// The search stopped at its bounds, beyond which there may be a start.
        SEARCH,
        /// Limits do not tell when it may start, beside what is planned for others.
        LIMITS,
        /// As things stand, there is no room for it before it ends because it has not started.
        DEADLINE,
        /// As things stand, there is room for it at no time at which it may start.
        NEVER,
        /// Its QOS gives none.
        NO_RESERVE
    }
}
