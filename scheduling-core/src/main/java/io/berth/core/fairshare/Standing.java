package io.berth.core.fairshare;

import io.berth.contracts.event.FairShares.Factor;
import org.jspecify.annotations.Nullable;

/// How an account or a user stands in the tree: all that `sshare` shows of it. Parts are in
/// millionths.
///
/// @param user null for an account
/// @param depth 0 for the root
/// @param shares as configured; [ConfigEntry#PARENT_SHARES] are the parent's
/// @param normShares its part of its siblings' shares; under the classic rule, of the whole tree's
/// @param usage of it and all below it, in the unit that was given
/// @param normUsage its part of the whole cluster's usage
/// @param effectiveUsage its part of its siblings' usage; under the classic rule, what counts as
///   its own
/// @param levelFs normShares / effectiveUsage; infinite without usage, NaN where there is none: at
///   the root, for a user with his parent's shares, under the classic rule
/// @param factor of fair share; 0 for an account
public record Standing(
        String account,
        @Nullable String user,
        int depth,
        int shares,
        long normShares,
        long usage,
        long normUsage,
        long effectiveUsage,
        double levelFs,
        long factor) {

    /// What of it is published: a user's.
    ///
    /// @throws IllegalStateException for an account
    Factor published() {
        if (user == null) {
            throw new IllegalStateException(
                    "publishing factors: account " + account + " has none, a user was expected");
        }
        return new Factor(account, user, factor, normShares, effectiveUsage);
    }
}
