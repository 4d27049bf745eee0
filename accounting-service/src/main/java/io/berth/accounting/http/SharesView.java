package io.berth.accounting.http;

import io.berth.contracts.event.ConfigEntry;
import io.berth.core.fairshare.Standing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How everybody stands in the tree of accounts now, by the rule of the cluster.
///
/// @param asOf epoch milliseconds
/// @param halfLifeSeconds 0 does not decay
public record SharesView(long asOf, String rule, long halfLifeSeconds, List<Row> shares) {

    private static final long MILLION = 1_000_000;

    /// An account, or a user in one: each account stands before what is below it.
    ///
    /// @param rawShares a number, `parent`, or "" of the root
    /// @param rawUsage decayed, in billing units × seconds
    /// @param levelFs to six decimals, `inf`, or left out where there is none
    /// @param fairShare left out for an account
    public record Row(
            String account,
            @Nullable String user,
            int depth,
            String rawShares,
            BigDecimal normShares,
            long rawUsage,
            BigDecimal normUsage,
            BigDecimal effectiveUsage,
            @Nullable String levelFs,
            @Nullable BigDecimal fairShare) {

        static Row of(Standing it) {
            boolean root = it.depth() == 0;
            return new Row(
                    it.account(),
                    it.user(),
                    it.depth(),
                    root
                            ? ""
                            : it.shares() == ConfigEntry.PARENT_SHARES
                                    ? "parent"
                                    : Integer.toString(it.shares()),
                    BigDecimal.valueOf(it.normShares(), 6),
                    it.usage() / MILLION,
                    BigDecimal.valueOf(it.normUsage(), 6),
                    BigDecimal.valueOf(it.effectiveUsage(), 6),
                    levelFs(it.levelFs()),
                    it.user() == null ? null : BigDecimal.valueOf(it.factor(), 6));
        }

        private static @Nullable String levelFs(double levelFs) {
            if (Double.isNaN(levelFs)) {
                return null;
            }
            return Double.isInfinite(levelFs)
                    ? "inf"
                    : BigDecimal.valueOf(levelFs)
                            .setScale(6, RoundingMode.HALF_EVEN)
                            .toPlainString();
        }
    }
}
