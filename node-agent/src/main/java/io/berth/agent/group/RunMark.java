package io.berth.agent.group;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.util.List;

/// The variables by which the processes of a run's part are known, as `NAME=value`.
public final class RunMark {

    private RunMark() {}

    public static List<String> of(NodeName node, RunId run) {
        return List.of(
                "SLURM_JOB_ID=" + run.job(),
                "BERTH_LEASE=" + run.lease(),
                "SLURMD_NODENAME=" + node);
    }
}
