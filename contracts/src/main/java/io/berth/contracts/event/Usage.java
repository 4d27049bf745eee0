package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Spending;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The usage of one user in one account, decayed by half-life up to `asOf`.
///
/// @param asOf epoch milliseconds
/// @param billingMicros billing units × seconds, in millionths; running jobs included
/// @param bookedUntil the books have all runs that ended before this cell time, in epoch
///   milliseconds; null is not known
/// @param spent of the runs that are over, by partition and QOS
public record Usage(
        String account,
        String user,
        long asOf,
        long billingMicros,
        @Nullable Long bookedUntil,
        @Added @JsonInclude(Include.NON_EMPTY) List<Spent> spent) {

    public Usage {
        spent = spent == null ? List.of() : List.copyOf(spent);
    }

    /// What one partition's jobs in one QOS have used.
    ///
    /// @param counts what still counts of it at the usage's `asOf`
    /// @param whole without decay, since an operator reset it last
    public record Spent(String partition, String qos, Spending counts, Spending whole) {}
}
