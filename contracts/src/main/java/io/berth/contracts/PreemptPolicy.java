package io.berth.contracts;

/// What a job wants of preemption for itself.
public enum PreemptPolicy {
    /// It takes nobody's place.
    NEVER,
    /// It takes the place of jobs of lower standing, within the bounds that the cluster sets.
    LOWER,
    /// The same, whether or not they are exempt for a time, and however many they are.
    ALWAYS
}
