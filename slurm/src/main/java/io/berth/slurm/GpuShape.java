package io.berth.slurm;

import org.jspecify.annotations.Nullable;

/// How a job's GPUs are spread: in total, per node, per task; null where it does not say. At most
/// one of them is given unless they contradict the nodes or tasks asked for.
///
/// @param layout nodes and tasks, with those that follow from the GPUs
record GpuShape(
        @Nullable Integer total,
        @Nullable Integer perNode,
        @Nullable Integer perTask,
        @Nullable String type,
        TaskShape layout) {

    static final String INVALID = "Invalid generic resource (gres) specification";

    private static final String FAILED = "Failed to validate job spec";

    boolean isEmpty() {
        return total == null && perNode == null && perTask == null;
    }

    static GpuShape of(
            @Nullable GpuSpec total,
            @Nullable GpuSpec perNode,
            @Nullable GpuSpec perTask,
            TaskShape layout)
            throws InvalidOption {
        var shape =
                new GpuShape(
                        count(total),
                        count(perNode),
                        count(perTask),
                        oneType(total, perNode, perTask),
                        layout);
        return shape.checked().spreadOverNodes().spreadOverTasks();
    }

    private static @Nullable Integer count(@Nullable GpuSpec gpus) {
        return gpus == null || gpus.count() == 0 ? null : gpus.count();
    }

    private static @Nullable String oneType(@Nullable GpuSpec... specs) throws InvalidOption {
        String type = null;
        for (GpuSpec spec : specs) {
            if (spec == null || spec.type() == null) {
                continue;
            }
            if (type != null && !type.equals(spec.type())) {
                throw InvalidOption.refused("GPUs of two types in one job are not supported yet");
            }
            type = spec.type();
        }
        return type;
    }

    private GpuShape checked() throws InvalidOption {
        if (perTask != null
                && total == null
                && layout.tasks() == null
                && layout.tasksPerNode() == null) {
            throw failed(
                    ". --gpus-per-task used without either --gpus or -n/--ntasks is not allowed.");
        }
        if (total != null && perNode != null && total % perNode != 0) {
            throw failed(", --gpus is not multiple of --gres=gpu/--gpus-per-node");
        }
        if (total != null && perTask != null && total % perTask != 0) {
            throw failed(", --gpus not multiple of --gpus-per-task");
        }
        return this;
    }

    private static InvalidOption failed(String why) {
        return InvalidOption.refused(FAILED + why + "\n" + INVALID);
    }

    private GpuShape spreadOverNodes() {
        if (total == null || perNode == null) {
            return this;
        }
        int nodes = total / perNode;
        if (layout.nodes() == null) {
            return new GpuShape(null, perNode, perTask, type, layout.withNodes(nodes));
        }
        return layout.nodes() == nodes ? new GpuShape(null, perNode, perTask, type, layout) : this;
    }

    private GpuShape spreadOverTasks() {
        if (total == null || perTask == null) {
            return this;
        }
        int tasks = total / perTask;
        if (layout.tasks() == null && layout.tasksPerNode() == null) {
            return new GpuShape(null, perNode, perTask, type, layout.withTasks(tasks));
        }
        return layout.tasks() != null && layout.tasks() == tasks
                ? new GpuShape(null, perNode, perTask, type, layout)
                : this;
    }
}
