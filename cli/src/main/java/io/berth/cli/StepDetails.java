package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.List;

/// The text of `scontrol show step`: of a step that runs, as its node tells it, or of a script. How
/// many CPUs a step has is not told.
final class StepDetails {

    private StepDetails() {}

    /// @param step as the gateway lists it
    /// @param job in which it runs
    static List<String> lines(JsonObject step, JobView job, Accounts accounts, ZoneId zone) {
        List<String> nodes = step.texts("nodes");
        return List.of(
                "StepId=%s.%s UserId=%s StartTime=%s TimeLimit=%s"
                        .formatted(
                                job.name(),
                                StepData.name(step),
                                accounts.idOf(job.text("user")),
                                Dates.iso(step.number("beganAt"), zone, "Unknown"),
                                job.unlimited()
                                        ? SlurmTime.UNLIMITED
                                        : SlurmTime.full(job.number("timeLimitSeconds"))),
                "State=RUNNING Partition=%s NodeList=%s"
                        .formatted(job.text("partition"), HostList.compress(nodes)),
                "Nodes=%d CPUs=%s Tasks=%d Name=%s Network=(null)"
                        .formatted(
                                nodes.size(),
                                step.has("cpus") ? Long.toString(step.number("cpus")) : "N/A",
                                step.number("tasks"),
                                step.has("name") ? step.text("name") : "(null)"));
    }
}
