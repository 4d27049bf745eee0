package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Spending;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The fair-share factor of every association, from one calculation. Applied whole; an older
/// version is ignored.
///
/// @param version grows with each calculation
/// @param calculatedAt epoch milliseconds
/// @param weight what a factor of 1 adds to a priority, in millionths of a point
/// @param bookedUntil the budgets have the runs that ended before this cell time, in epoch
///   milliseconds, but for a moment those of users whose usage has yet to be read; null is not
///   known
/// @param budgets of those that have a limit of a sum over time
public record FairShares(
        long version,
        long calculatedAt,
        long weight,
        List<Factor> factors,
        @Nullable Long bookedUntil,
        @Added @JsonInclude(Include.NON_EMPTY) List<Budget> budgets) {

    public FairShares {
        factors = List.copyOf(factors);
        budgets = budgets == null ? List.of() : List.copyOf(budgets);
    }

    /// Factors where nobody has a budget.
    public FairShares(long version, long calculatedAt, long weight, List<Factor> factors) {
        this(version, calculatedAt, weight, factors, null, List.of());
    }

    /// What has been spent of a budget, which GrpTRESMins or GrpWall sets.
    ///
    /// @param holder `qos/NAME`, `account/NAME` with all below it, or `user/ACCOUNT/NAME`
    public record Budget(String holder, Spending spent) {}

    /// The factor of one user in one account, in millionths (0 to 1,000,000), with the numbers that
    /// it came from.
    ///
    /// @param normShares the association's part of all shares among its siblings, in millionths
    /// @param effectiveUsage its part of its siblings' usage, in millionths
    public record Factor(
            String account, String user, long factor, long normShares, long effectiveUsage) {}
}
