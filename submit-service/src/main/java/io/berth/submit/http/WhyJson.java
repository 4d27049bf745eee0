package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.JobId;
import io.berth.contracts.PrivateData;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.core.engine.Unplanned;
import io.berth.core.placement.Verdict;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.placement.Verdict.Dividing;
import io.berth.core.placement.Verdict.Draining;
import io.berth.core.placement.Verdict.Preemption;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.placement.Verdict.Together;
import io.berth.core.request.Sight;
import io.berth.submit.Explanation;
import io.berth.submit.Explanation.Holding;
import io.berth.submit.Job;
import io.berth.submit.Priority;
import java.math.BigDecimal;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// Why a job is in its state.
///
/// @param position in its partition's queue, from 1; left out for a job that does not wait
/// @param ahead jobs before it in that queue
/// @param first the first of them, in the order in which they are tried; left out if there is none
///   that he who asks may see
/// @param holders the first to end of those that hold what it waits for: on the nodes without room
///   on which it is expected, and expected to end by then; left out if there is none that he who
///   asks may see
/// @param plannedStart when it is expected to start at the latest, if nothing comes before it, in
///   epoch milliseconds; left out if it has no expected start
/// @param unplanned why it has no expected start: `PLAN`, the plan holds `count` jobs and does not
///   reach it yet; `SEARCH`, the search stopped after the `count` moments, or the nodes, that it
///   looks at; `LIMITS`, `DEADLINE`, `NEVER` or `NO_RESERVE`. Left out if it has one, and as the
///   stages are
/// @param stages what each question leaves of the cluster's nodes and of their free GPUs; left out
///   unless it waits for resources
/// @param changes the smallest change along each axis with which it would start now, each of them
///   tried; left out as the stages are
/// @param preemption whose place it needs, and who does not give way for it, and why; left out as
///   the stages are, where nobody gives way to anybody, and from those who may not see their jobs
/// @param dividing GPUs that are being divided into something that it asks for; left out if none is
/// @param draining GPUs in MIG mode that run empty, to be divided for it then; left out if none
///   does
/// @param together the heterogeneous job of which it is a component, and which component finds no
///   nodes now; left out of another job, and unless it waits for resources
/// @param packing the policy that chooses between nodes that are as good; left out as the stages
///   are
@Schema(name = "Why")
@JsonInclude(JsonInclude.Include.NON_NULL)
record WhyJson(
        long job,
        String state,
        String reason,
        String explanation,
        @Nullable Integer position,
        @Nullable Integer ahead,
        @Nullable List<FirstJson> first,
        @Nullable List<HolderJson> holders,
        PriorityJson priority,
        @Nullable Long plannedStart,
        @Nullable Unplanned unplanned,
        @Nullable List<Stage> stages,
        @Nullable List<Change> changes,
        @Nullable Preemption preemption,
        @Nullable List<Dividing> dividing,
        @Nullable List<Draining> draining,
        @Nullable TogetherJson together,
        @Nullable String packing) {

    /// A job that is tried before.
    @Schema(name = "WhyFirst")
    record FirstJson(long job, String user) {}

    /// A job that holds what is waited for.
    ///
    /// @param until when it is expected to end at the latest, in epoch milliseconds
    @Schema(name = "WhyHolder")
    record HolderJson(long job, String user, long until) {}

    /// @param job id of the first component
    /// @param size how many components there are
    /// @param unseated the component that finds no nodes now beside the others; left out if all do
    @Schema(name = "WhyTogether")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record TogetherJson(long job, int size, @Nullable Long unseated) {
        static TogetherJson of(Together set) {
            JobId unseated = set.unseated();
            return new TogetherJson(
                    set.first().value(), set.size(), unseated == null ? null : unseated.value());
        }
    }

    /// A priority in points, exact to the millionth.
    ///
    /// @param set by an operator, and then all there is; 0 if none did
    @Schema(name = "Priority")
    record PriorityJson(
            BigDecimal total,
            BigDecimal age,
            BigDecimal association,
            BigDecimal fairShare,
            BigDecimal jobSize,
            BigDecimal partition,
            BigDecimal qos,
            BigDecimal tres,
            BigDecimal site,
            BigDecimal nice,
            BigDecimal set) {
        static PriorityJson of(Priority priority) {
            return new PriorityJson(
                    points(priority.total()),
                    points(priority.age()),
                    points(priority.association()),
                    points(priority.fairShare()),
                    points(priority.jobSize()),
                    points(priority.partition()),
                    points(priority.qos()),
                    points(priority.tres()),
                    points(priority.site()),
                    points(priority.nice()),
                    points(priority.set()));
        }

        private static BigDecimal points(long micros) {
            BigDecimal points = BigDecimal.valueOf(micros, 6).stripTrailingZeros();
            return points.scale() < 0 ? points.setScale(0) : points;
        }
    }

    /// What he who asks may see of it.
    static WhyJson of(Explanation why, Sight sight) {
        Integer ahead = why.ahead();
        Verdict verdict = why.verdict();
        Planned planned = verdict == null ? null : verdict.planned();
        Verdict ofNodes = sight.hides(PrivateData.NODES) ? null : verdict;
        return new WhyJson(
                why.job().id().value(),
                why.job().state().name(),
                why.job().reason().slurmName(),
                why.text(),
                ahead == null ? null : ahead + 1,
                ahead,
                why.first().isEmpty() ? null : why.first().stream().map(WhyJson::first).toList(),
                why.holders().isEmpty()
                        ? null
                        : why.holders().stream().map(WhyJson::holder).toList(),
                PriorityJson.of(why.priority()),
                planned == null ? null : planned.start(),
                verdict == null ? null : verdict.unplanned(),
                verdict == null ? null : verdict.stages(),
                verdict == null ? null : verdict.changes(),
                verdict == null || sight.hides(PrivateData.JOBS) ? null : verdict.preemption(),
                ofNodes == null || ofNodes.dividing().isEmpty() ? null : ofNodes.dividing(),
                ofNodes == null || ofNodes.draining().isEmpty() ? null : ofNodes.draining(),
                verdict == null || verdict.together() == null
                        ? null
                        : TogetherJson.of(verdict.together()),
                verdict == null ? null : verdict.packing());
    }

    private static FirstJson first(Job it) {
        return new FirstJson(it.id().value(), it.user());
    }

    private static HolderJson holder(Holding it) {
        return new HolderJson(it.job().id().value(), it.job().user(), it.until());
    }
}
