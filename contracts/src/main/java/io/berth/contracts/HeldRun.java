package io.berth.contracts;

/// A run that an agent has on its node.
public record HeldRun(RunId run, Phase phase) {

    public enum Phase {
        /// Its group stands and its isolation is verified; its code waits for Go.
        PREPARED,
        RUNNING,
        /// It stands still; its CPUs do nothing.
        SUSPENDED,
        /// Its group is empty and its end is in the `runs` topic.
        ENDED
    }
}
