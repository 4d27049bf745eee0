package io.berth.slurm;

import org.jspecify.annotations.Nullable;

/// How a job's GPUs are spread: in total, per node, per task; null where it does not say. At most
/// one of them is given unless they contradict the nodes or tasks asked for.
///
/// @param types how many GPUs are of each of several types, of those per task, per node, or else in
///   total
/// @param layout nodes and tasks, with those that follow from the GPUs
record GpuShape(
        @Nullable Integer total,
        @Nullable Integer perNode,
        @Nullable Integer perTask,
        @Nullable String type,
        @Nullable String types,
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
                        severalTypes(total, perNode, perTask),
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
                throw InvalidOption.refused(
                        "%s: GPUs of type %s and of type %s, counted in two ways"
                                .formatted(INVALID, type, spec.type()));
            }
            type = spec.type();
        }
        return type;
    }

    /// Those of each task, of each node, or else in total; null for one type, or any.
    ///
    /// @throws InvalidOption if they are counted otherwise too, but in total without a type
    private static @Nullable String severalTypes(
            @Nullable GpuSpec total, @Nullable GpuSpec perNode, @Nullable GpuSpec perTask)
            throws InvalidOption {
        String ofTask = perTask == null ? null : perTask.typesText();
        String ofNode = perNode == null ? null : perNode.typesText();
        String inAll = total == null ? null : total.typesText();
        String types = ofTask != null ? ofTask : ofNode != null ? ofNode : inAll;
        boolean plainTotal = total == null || (total.type() == null && inAll == null);
        boolean once =
                (ofTask != null || count(perTask) == null)
                        && (ofNode != null || count(perNode) == null)
                        && (ofTask == null || ofNode == null)
                        && (plainTotal || (ofTask == null && ofNode == null));
        if (types != null && !once) {
            throw InvalidOption.refused(
                    "%s: GPUs of several types (%s) are counted in one way: per task, per node or in all"
                            .formatted(INVALID, types));
        }
        return types;
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
            return new GpuShape(null, perNode, perTask, type, types, layout.withNodes(nodes));
        }
        return layout.nodes() == nodes
                ? new GpuShape(null, perNode, perTask, type, types, layout)
                : this;
    }

    private GpuShape spreadOverTasks() {
        if (total == null || perTask == null) {
            return this;
        }
        int tasks = total / perTask;
        if (layout.tasks() == null && layout.tasksPerNode() == null) {
            return new GpuShape(null, perNode, perTask, type, types, layout.withTasks(tasks));
        }
        return layout.tasks() != null && layout.tasks() == tasks
                ? new GpuShape(null, perNode, perTask, type, types, layout)
                : this;
    }
}
