package io.berth.agent.group;

import io.berth.contracts.IndexSet;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/// Tells the log, in a category of its own and at DEBUG, what runs, steps and tasks are bound to:
/// as `DebugFlags=Gres,CPU_Bind` of slurm.conf(5) does.
public final class Bindings {

    /// The category.
    static final String CATEGORY = "berth.bindings";

    private static final Logger LOG = LoggerFactory.getLogger(CATEGORY);
    private static final String NOBODY = "-";

    private Bindings() {}

    /// A run's part.
    ///
    /// @param gpus their UUIDs
    public static void run(Group group, Limits limits, Collection<String> gpus) {
        var same =
                new ChildLimits(
                        limits.cpus(), limits.memoryMib(), limits.devices(), IndexSet.EMPTY);
        bound(group, same, gpus.isEmpty() ? "none" : String.join(",", gpus)).log("Run bound");
    }

    /// A step's part, of which only that is told that is less than the run's.
    ///
    /// @param gpus as the step names them
    public static void step(Group group, ChildLimits limits, String gpus) {
        bound(group, limits, gpus).log("Step bound");
    }

    /// A task that is bound to less than its step. Tasks that are bound to the same may be in one
    /// group.
    ///
    /// @param gpus as the task names them
    public static void task(Group group, ChildLimits limits, String gpus, int rank, long process) {
        bound(group, limits, gpus)
                .addKeyValue("task", rank)
                .addKeyValue("process", process)
                .log("Task bound");
    }

    private static LoggingEventBuilder bound(Group group, ChildLimits limits, String gpus) {
        LoggingEventBuilder line = LOG.atDebug();
        if (!LOG.isDebugEnabled()) {
            return line;
        }
        return line.addKeyValue("run", run(group))
                .addKeyValue("group", name(group.folders()))
                .addKeyValue("cpus", limits.cpus().isEmpty() ? NOBODY : limits.cpus())
                .addKeyValue("gpus", gpus)
                .addKeyValue("memoryMib", limits.memoryMib() == 0 ? NOBODY : limits.memoryMib())
                .addKeyValue(
                        "memoryNodes",
                        limits.memoryNodes().isEmpty() ? NOBODY : limits.memoryNodes())
                .addKeyValue(
                        "devices",
                        limits.devices().isEmpty() ? NOBODY : String.join(", ", limits.devices()))
                .addKeyValue("enforced", group.enforced());
    }

    /// The run that a group is of, or is a part of.
    public static String run(Group group) {
        return name(group.folders()).replaceFirst("/.*", "");
    }

    /// From the run's folder on, such as `17.1/step_0/task_3`.
    private static String name(List<Path> folders) {
        for (Path folder : folders) {
            for (int from = 0; from < folder.getNameCount(); from++) {
                if (folder.getName(from).toString().matches("[0-9]+\\.[0-9]+")) {
                    return folder.subpath(from, folder.getNameCount()).toString();
                }
            }
        }
        return NOBODY;
    }
}
