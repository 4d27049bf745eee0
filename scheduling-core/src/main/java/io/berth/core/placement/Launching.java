package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.core.state.Draft;
import io.berth.core.state.Transitions;
import java.util.List;
import java.util.Objects;

/// Orders nodes to launch the parts of a run.
public final class Launching {

    private Launching() {}

    /// Writes the Launch of the part at that place of the job's current run, and notes its number
    /// in the part.
    public static void order(Draft draft, JobStatus job, int index) {
        Run run =
                Objects.requireNonNull(
                        job.run(), () -> "launch job " + job.job() + ": it has no run");
        List<Allocation> allocations = run.allocations();
        long over =
                Partitions.overTimeSeconds(
                        draft.state().configuration().orElse(null), job.description());
        NodeName node = allocations.get(index).node();
        draft.order(
                node,
                (epoch, number) ->
                        new Order.Launch(
                                node,
                                epoch,
                                number,
                                new RunId(job.job(), run.lease()),
                                job.spec(),
                                job.description().launch(),
                                allocations.size() > 1,
                                allocations,
                                job.description().timeLimitSeconds(),
                                job.description(),
                                over == 0 ? null : (Long) over,
                                List.of()));
        NodeStatus ordered = draft.node(node);
        draft.change(
                Transitions.running(
                        draft.job(job.job()),
                        Transitions.withPart(
                                Objects.requireNonNull(draft.job(job.job()).run()),
                                index,
                                part -> part.launchedBy(ordered.epoch(), ordered.number()))));
    }
}
