package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.NodeName;
import io.berth.core.forecast.Start;
import io.berth.slurm.HostList;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// What would be. Nothing of it has happened.
///
/// @param simulated always true
/// @param partition of the job
/// @param start of the job, if all were as asked
/// @param otherwise when it starts as things are; left out if nothing was asked to be different
@Schema(name = "Simulation")
@JsonInclude(JsonInclude.Include.NON_NULL)
record SimulationJson(
        boolean simulated, String partition, StartJson start, @Nullable StartJson otherwise) {

    /// When and where a job starts at the latest, if nothing comes before it.
    ///
    /// @param job a job to submit has the number that it would get
    /// @param at epoch milliseconds; left out if nothing that is foreseen lets it start
    /// @param nodes as a host list; left out without a start
    /// @param cpus that it holds, in all
    /// @param reason why it waits until then, or does not start
    @Schema(name = "SimulatedStart")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record StartJson(long job, @Nullable Long at, @Nullable String nodes, int cpus, String reason) {

        static StartJson of(Start start) {
            return new StartJson(
                    start.job().value(),
                    start.at(),
                    start.nodes().isEmpty()
                            ? null
                            : HostList.compress(
                                    start.nodes().stream().map(NodeName::value).toList()),
                    start.cpus(),
                    start.reason().slurmName());
        }
    }
}
