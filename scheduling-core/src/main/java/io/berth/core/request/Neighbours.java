package io.berth.core.request;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Sharing;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Which jobs may come to a node that others are on, in one pass: `--exclusive` suffers no other
/// job beside it, `--exclusive=user` none of another user. Confined to that pass.
public final class Neighbours {

    private final CellState state;
    private final TreeMap<NodeName, List<JobDescription>> came = new TreeMap<>();

    public Neighbours(CellState state) {
        this.state = state;
    }

    /// Whether all that are on the node, and the job itself, suffer one another.
    public boolean admit(NodeName node, JobDescription job) {
        for (JobId id : state.jobsOn(node)) {
            if (!together(state.knownJob(id).description(), job)) {
                return false;
            }
        }
        return came.getOrDefault(node, List.of()).stream().allMatch(it -> together(it, job));
    }

    /// Takes note that the pass starts the job on that node.
    public void came(NodeName node, JobDescription job) {
        came.computeIfAbsent(node, _ -> new ArrayList<>()).add(job);
    }

    /// Whether two jobs may be on one node together.
    public static boolean together(JobDescription one, JobDescription other) {
        Sharing a = one.request().where().sharing();
        Sharing b = other.request().where().sharing();
        if (a == Sharing.NODE || b == Sharing.NODE) {
            return false;
        }
        boolean free = a == Sharing.SHARED && b == Sharing.SHARED;
        return free || one.user().equals(other.user());
    }
}
