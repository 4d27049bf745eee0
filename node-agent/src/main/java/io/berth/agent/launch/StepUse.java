package io.berth.agent.launch;

import io.berth.contracts.TasksUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a step that is over used on a node, as the kernel counted it for the step's group.
///
/// @param outOfMemory whether the kernel killed one of it for want of memory
/// @param limited whether it had less memory than its run
/// @param each what its tasks used one by one; null if that was not counted
public record StepUse(
        int number,
        long cpuMillis,
        long maxMemoryMib,
        boolean outOfMemory,
        boolean limited,
        @Nullable TasksUsage each) {

    /// Those of a run, in its folder.
    public record StepUses(List<StepUse> each) {

        public static final String NAME = "step-use";

        public StepUses {
            each = List.copyOf(each);
        }
    }
}
