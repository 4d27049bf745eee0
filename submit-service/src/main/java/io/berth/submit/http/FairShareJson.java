package io.berth.submit.http;

import io.berth.contracts.event.FairShares;
import io.berth.core.request.Sight;
import java.math.BigDecimal;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/// The last calculation of fair share.
///
/// @param weight points that a factor of 1 adds to a priority
@Schema(name = "FairShare")
record FairShareJson(BigDecimal weight, long calculatedAt, List<ShareJson> shares) {
    /// One user in one account; numbers from 0 to 1.
    @Schema(name = "Share")
    record ShareJson(
            String account,
            String user,
            BigDecimal factor,
            BigDecimal normShares,
            BigDecimal effectiveUsage) {}

    /// What of it he who asks may see.
    static FairShareJson of(FairShares calculation, Sight sight) {
        return new FairShareJson(
                fromMicros(calculation.weight()),
                calculation.calculatedAt(),
                calculation.factors().stream()
                        .filter(it -> sight.usage(it.account(), it.user()))
                        .map(it ->
                                new ShareJson(
                                        it.account(),
                                        it.user(),
                                        fromMicros(it.factor()),
                                        fromMicros(it.normShares()),
                                        fromMicros(it.effectiveUsage())))
                        .toList());
    }

    private static BigDecimal fromMicros(long micros) {
        return BigDecimal.valueOf(micros, 6);
    }
}
