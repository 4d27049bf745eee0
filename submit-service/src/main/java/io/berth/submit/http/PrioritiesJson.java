package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobState;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.PriorityRules;
import io.berth.core.request.Sight;
import io.berth.submit.Job;
import io.berth.submit.Picture;
import io.berth.submit.Priority;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The priorities of all waiting jobs, taken apart, and the weights that they were made with.
@Schema(name = "Priorities")
record PrioritiesJson(@Nullable WeightsJson weights, List<JobPriorityJson> jobs) {

    /// Points for a factor of 1.
    @Schema(name = "PriorityWeights")
    record WeightsJson(
            int age,
            int association,
            int fairShare,
            int jobSize,
            int partition,
            int qos,
            Map<String, Long> tres) {}

    /// One job's in one of the partitions in which it may start.
    ///
    /// @param arrayJob id of the array that it is a task of; null for none
    /// @param hetJob the first component of the heterogeneous job that it is one of; null for none
    /// @param points the whole, rounded
    @Schema(name = "JobPriority")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record JobPriorityJson(
            long job,
            @Nullable Long arrayJob,
            @Nullable Integer arrayTask,
            @Nullable Long hetJob,
            String partition,
            String user,
            String account,
            String qos,
            long points,
            WhyJson.PriorityJson priority) {}

    /// Of those that he who asks may see.
    static PrioritiesJson of(Picture picture, Sight sight, long now) {
        return new PrioritiesJson(
                picture.configuration().map(PrioritiesJson::weights).orElse(null),
                picture.jobs(now)
                        .filter(job -> job.state() == JobState.PENDING && job.seenBy(sight))
                        .flatMap(job ->
                                job.partitions().stream().map(it -> of(job, it, picture, now)))
                        .toList());
    }

    private static WeightsJson weights(Configuration configuration) {
        Weights weights = configuration.cluster().weights();
        PriorityRules rules = configuration.cluster().priorityRules();
        return new WeightsJson(
                weights.age(),
                rules.associationWeight(),
                weights.fairShare(),
                weights.jobSize(),
                weights.partition(),
                weights.qos(),
                rules.tresWeights());
    }

    private static JobPriorityJson of(Job job, String partition, Picture picture, long now) {
        ArrayTask task = job.description().array();
        HetComponent het = job.description().het();
        Priority priority = Priority.of(job, partition, picture, now);
        return new JobPriorityJson(
                job.id().value(),
                task == null ? null : task.array().value(),
                task == null ? null : task.task(),
                het == null ? null : het.first().value(),
                partition,
                job.user(),
                job.description().account(),
                job.description().qos(),
                priority.points(),
                WhyJson.PriorityJson.of(priority));
    }
}
