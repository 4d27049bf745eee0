package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Progress;
import io.berth.slurm.HostList;
import io.berth.submit.Picture;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A trigger as it is answered.
///
/// @param occasion `fini`, `time`, `down`, `up`, `drained`, `idle` or `fail`
/// @param job of an occasion of jobs; else left out, as its name
/// @param jobName the job as people name it: `17`, or `17_4` for a task of an array
/// @param nodes of an occasion of nodes, a host list, or `*` for every node; else left out
/// @param setAt epoch milliseconds
/// @param runs how often its program was run
@Schema(name = "Trigger")
@JsonInclude(JsonInclude.Include.NON_NULL)
record TriggerJson(
        long id,
        String user,
        String occasion,
        @Nullable Long job,
        @Nullable String jobName,
        @Nullable String nodes,
        long offsetSeconds,
        boolean permanent,
        List<String> program,
        long setAt,
        int runs) {

    /// All that there are, under their name.
    @Schema(name = "Triggers")
    record All(List<TriggerJson> triggers) {}

    static TriggerJson of(Asked it, Picture picture, long now) {
        Progress progress = picture.triggers().of(it);
        return new TriggerJson(
                it.number(),
                it.user(),
                it.occasion().name().toLowerCase(Locale.ROOT),
                it.job() == null ? null : it.job().value(),
                it.job() == null ? null : name(it.job(), picture, now),
                it.job() != null ? null : nodes(it.nodes()),
                it.offsetSeconds(),
                it.permanent(),
                it.program(),
                it.at(),
                progress == null ? 0 : progress.runs());
    }

    private static String name(JobId job, Picture picture, long now) {
        return picture.job(job, now)
                .map(it -> it.description().array())
                .map(ArrayTask::toString)
                .orElse(job.toString());
    }

    private static String nodes(List<NodeName> nodes) {
        return nodes.isEmpty()
                ? "*"
                : HostList.compress(nodes.stream().map(NodeName::value).toList());
    }
}
