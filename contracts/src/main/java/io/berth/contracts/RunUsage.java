package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;

/// What the processes of a run have used on one node up to a moment.
///
/// @param steps those of its steps that run now
public record RunUsage(
        RunId run, Consumption used, @Added @JsonInclude(Include.NON_EMPTY) List<StepUsage> steps) {

    public RunUsage {
        steps = steps == null ? List.of() : List.copyOf(steps);
    }

    /// Of a run of whose steps nothing is known.
    public RunUsage(RunId run, Consumption used) {
        this(run, used, List.of());
    }
}
