package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.ShareRequest;
import io.berth.submit.Feasibility;
import io.berth.submit.Job.Attempt;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A part of a shared GPU that a job wants, or has.
///
/// @param asked as `--gres` says it: `mps:50`
/// @param tres its name as a trackable resource: `gres/mps` or `gres/shard`
/// @param amount hundredths or shards; of a job that waits and asked for memory alone, the most
/// @param memoryMib its part of the GPU's memory; left out while it waits
/// @param enforced what limits the job to it: `mps`, or `none`; left out before it has started
@Schema(name = "GpuPart")
@JsonInclude(JsonInclude.Include.NON_NULL)
record GpuPartJson(
        String asked,
        String tres,
        long amount,
        @Nullable Long memoryMib,
        @Nullable String enforced) {

    /// Null for a job that wants none.
    static @Nullable GpuPartJson of(
            GpuRequest request, @Nullable Attempt attempt, List<Allocation> allocations) {
        ShareRequest wanted = request.share();
        if (wanted == null) {
            return null;
        }
        GpuShare held = allocations.isEmpty() ? null : allocations.getFirst().share();
        return new GpuPartJson(
                Feasibility.words(request),
                wanted.sharing().tres(),
                held == null ? wanted.amount() : held.amount(),
                held == null ? null : held.memoryMib(),
                attempt == null || attempt.enforced() == null
                        ? null
                        : attempt.enforced().name().toLowerCase(Locale.ROOT));
    }
}
