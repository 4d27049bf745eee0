package io.berth.accounting.http;

import java.util.List;

/// What everybody's ended runs have used in all, never decayed.
///
/// @param asOf epoch milliseconds
public record UsageView(long asOf, List<Row> usage) {

    /// @param decayedBillingMicros what of the billing still counts for fair share, runs that hold
    ///   resources included
    public record Row(
            String account,
            String user,
            long billingMicros,
            long cpuMillis,
            long memoryMibMillis,
            long gpuMillis,
            long nodeMillis,
            long decayedBillingMicros) {}
}
