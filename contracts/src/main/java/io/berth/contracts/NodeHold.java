package io.berth.contracts;

/// Why a node gets no work though it may be well: an operator's word.
///
/// @param reason one line for people
/// @param user who said it
/// @param since cell time in epoch milliseconds
public record NodeHold(Kind kind, String reason, String user, long since) {

    public enum Kind {
        /// What runs there ends by itself.
        DRAIN,
        /// What runs there is ended; of a node that does not answer it counts as gone.
        DOWN
    }
}
