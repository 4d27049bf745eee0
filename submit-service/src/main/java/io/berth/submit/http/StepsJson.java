package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.LaunchMode;
import io.berth.core.request.Sight;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.JobUsage;
import io.berth.submit.Picture;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The steps that run, as their nodes told it last.
@Schema(name = "Steps")
record StepsJson(List<StepJson> steps) {

    /// A step that runs.
    ///
    /// @param job its job
    /// @param name of its program; left out if no node told it
    /// @param tasks on all of its nodes
    /// @param beganAt epoch milliseconds by the clock of its first node; left out if none told it
    @Schema(name = "Step")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record StepJson(
            long job,
            int step,
            @Nullable String name,
            int tasks,
            @Nullable Long beganAt,
            List<String> nodes) {

        StepJson and(StepJson more) {
            var all = new ArrayList<>(nodes);
            all.addAll(more.nodes);
            Long first =
                    beganAt == null || (more.beganAt != null && more.beganAt < beganAt)
                            ? more.beganAt
                            : beganAt;
            return new StepJson(
                    job, step, name == null ? more.name : name, tasks + more.tasks, first, all);
        }
    }

    /// Those of jobs that may be seen, by job and number.
    ///
    /// @param jobs whose steps are asked for; none is all
    static StepsJson of(Picture picture, Sight sight, List<JobName> jobs) {
        return new StepsJson(
                picture.holding()
                        .filter(job -> job.seenBy(sight))
                        .filter(job ->
                                jobs.isEmpty() || jobs.stream().anyMatch(it -> it.names(job)))
                        .flatMap(job -> of(job, picture.usage(job)))
                        .toList());
    }

    private static Stream<StepJson> of(Job job, List<JobUsage> nodes) {
        Stream<StepJson> all =
                nodes.stream()
                        .flatMap(usage ->
                                usage.steps().stream()
                                        .map(step ->
                                                new StepJson(
                                                        job.id().value(),
                                                        step.number(),
                                                        step.name(),
                                                        step.tasks(),
                                                        step.beganAt(),
                                                        List.of(usage.node().value()))));
        if (job.description().launch() == LaunchMode.PER_NODE) {
            // Each of its scripts numbers its own steps.
            return all;
        }
        var steps = new TreeMap<Integer, StepJson>();
        all.forEach(step -> steps.merge(step.step(), step, StepJson::and));
        return steps.values().stream();
    }
}
