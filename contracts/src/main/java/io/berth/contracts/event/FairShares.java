package io.berth.contracts.event;

import java.util.List;

/// The fair-share factor of every association, from one calculation. Applied whole; an older
/// version is ignored.
///
/// @param version grows with each calculation
/// @param calculatedAt epoch milliseconds
/// @param weight what a factor of 1 adds to a priority, in millionths of a point
public record FairShares(long version, long calculatedAt, long weight, List<Factor> factors) {

    public FairShares {
        factors = List.copyOf(factors);
    }

    /// The factor of one user in one account, in millionths (0 to 1,000,000), with the numbers that
    /// it came from.
    ///
    /// @param normShares the association's part of all shares among its siblings, in millionths
    /// @param effectiveUsage its part of its siblings' usage, in millionths
    public record Factor(
            String account, String user, long factor, long normShares, long effectiveUsage) {}
}
