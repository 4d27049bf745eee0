package io.berth.contracts;

/// Why a node gets no work though it may be well: an operator's word, that of his health program,
/// or the failure of his prolog or epilog there.
///
/// @param reason one line for people
/// @param user who said it; [#HEALTH] if it was the program, [#AGENT] the node's agent
/// @param since cell time in epoch milliseconds
public record NodeHold(Kind kind, String reason, String user, long since) {

    /// Stands for the node's health program, where a user's name would be: no account has this one.
    public static final String HEALTH = "(health)";

    /// Stands for the node's agent, whose prolog or epilog failed. Only an operator takes that
    /// back.
    public static final String AGENT = "(agent)";

    /// Whether the health program said it, and takes it back.
    public boolean ofHealth() {
        return user.equals(HEALTH);
    }

    public enum Kind {
        /// What runs there ends by itself.
        DRAIN,
        /// What runs there is ended; of a node that does not answer it counts as gone.
        DOWN
    }
}
