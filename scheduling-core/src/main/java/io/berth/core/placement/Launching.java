package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Order.HetGroup;
import io.berth.core.state.Draft;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Orders nodes to launch the parts of a run.
public final class Launching {

    private Launching() {}

    /// Whether a run's code starts only at the word to go: of one that has several nodes, or starts
    /// together with others.
    public static boolean awaitsGo(JobStatus job, Run run) {
        return run.parts().size() > 1 || job.description().het() != null;
    }

    /// What the script of a heterogeneous job is told of its components; none elsewhere.
    private static List<HetGroup> groups(Draft draft, JobStatus job, int index) {
        HetComponent set = job.description().het();
        if (set == null
                || !set.first().equals(job.job())
                || !job.description().launch().runsScriptOn(index)) {
            return List.of();
        }
        var groups = new ArrayList<HetGroup>();
        for (JobId id : set.jobs()) {
            JobStatus component = draft.job(id);
            Run run =
                    Objects.requireNonNull(
                            component.run(),
                            () -> "launch job " + job.job() + ": component " + id + " has no run");
            groups.add(
                    new HetGroup(
                            new RunId(id, run.lease()),
                            component.description(),
                            run.allocations()));
        }
        return groups;
    }

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
        List<HetGroup> groups = groups(draft, job, index);
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
                                awaitsGo(job, run),
                                allocations,
                                job.description().timeLimitSeconds(),
                                job.description(),
                                over == 0 ? null : (Long) over,
                                groups));
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
