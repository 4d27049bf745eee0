package io.berth.simulator.run;

/// What a job is taken to last for when others are planned around it.
///
/// @param factor of [Source#ACTUAL]
public record Estimates(Source source, int factor) {

    /// Where an estimate comes from.
    public enum Source {
        /// The run time itself, times the factor.
        ACTUAL,
        /// The time limit that the trace has.
        LIMIT,
        /// What ended so far.
        PREDICTED,
        /// Nothing is known.
        NONE
    }

    /// Run times known beforehand, to the second.
    public static final Estimates EXACT = new Estimates(Source.ACTUAL, 1);
}
