package io.berth.slurm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How many nodes and tasks a job asks for; null where it does not say.
record TaskShape(@Nullable Integer nodes, @Nullable Integer tasks, @Nullable Integer tasksPerNode) {

    TaskShape withNodes(int count) {
        return new TaskShape(count, tasks, tasksPerNode);
    }

    TaskShape withTasks(int count) {
        return new TaskShape(nodes, count, tasksPerNode);
    }

    /// The shape with at most one of `tasks` and `tasksPerNode`, and no node without a task. With
    /// both given, tasks per node is a maximum, dropped with a warning if it cannot be kept.
    TaskShape settled(List<String> warnings) {
        if (tasks == null) {
            return this;
        }
        if (nodes == null) {
            return new TaskShape(
                    tasksPerNode == null ? null : Math.ceilDiv(tasks, tasksPerNode), tasks, null);
        }
        if (tasks < nodes) {
            warnings.add(
                    "Warning: can't run "
                            + tasks
                            + " processes on "
                            + nodes
                            + " nodes, setting nnodes to "
                            + tasks);
            return new TaskShape(tasks, tasks, null);
        }
        if (tasksPerNode != null && Math.ceilDiv(tasks, nodes) > tasksPerNode) {
            warnings.add(
                    "Warning: can't honor --ntasks-per-node set to "
                            + tasksPerNode
                            + " which doesn't match the requested tasks "
                            + tasks
                            + " with the number of requested nodes "
                            + nodes
                            + ". Ignoring --ntasks-per-node.");
        }
        return new TaskShape(nodes, tasks, null);
    }
}
