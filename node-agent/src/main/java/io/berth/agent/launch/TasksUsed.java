package io.berth.agent.launch;

import io.berth.contracts.Step;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.TasksUsage.OfTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What `srun-tasks` says that the tasks of a step used, as the kernel told it of each when it
/// ended. It is the user's word, and brought within what the kernel counted of the step.
///
/// ```
/// <tasks> <CPU milliseconds> <KiB> <blocks read> <blocks written>, of all
/// <rank> <the least CPU> <rank> <the most KiB> <rank> <the most read> <rank> <the most written>
/// ```
///
/// All in one line; a block has 512 bytes. Source: getrusage(2).
final class TasksUsed {

    private static final int SUMS = 5;
    private static final int EXTREMES = 4;
    private static final int KIB_IN_MIB = 10;
    private static final int BLOCKS_IN_MIB = 11;
    private static final Pattern LINE =
            Pattern.compile(
                    "[0-9]{1,6}( [0-9]{1,15}){%d}( [0-9]{1,7} [0-9]{1,15}){%d}"
                            .formatted(SUMS - 1, EXTREMES));

    private final long[] numbers;

    private TasksUsed(String line) {
        String[] words = line.split(" ");
        numbers = new long[words.length];
        for (int i = 0; i < words.length; i++) {
            numbers[i] = Long.parseLong(words[i]);
        }
    }

    /// @param line null if there is none
    /// @return null if nothing is said that can be
    static @Nullable TasksUsage read(@Nullable String line, Step step, StepUse use) {
        if (line == null) {
            return null;
        }
        Matcher words = LINE.matcher(line);
        return words.matches() ? new TasksUsed(line).within(step, use) : null;
    }

    private @Nullable TasksUsage within(Step step, StepUse use) {
        int tasks = (int) Math.min(numbers[0], step.tasks());
        if (tasks == 0) {
            return null;
        }
        return new TasksUsage(
                tasks,
                Math.min(numbers[1], use.cpuMillis()),
                Math.min(numbers[2] >> KIB_IN_MIB, tasks * use.maxMemoryMib()),
                numbers[3] >> BLOCKS_IN_MIB,
                numbers[4] >> BLOCKS_IN_MIB,
                extreme(0, 0, use.cpuMillis()),
                extreme(1, KIB_IN_MIB, use.maxMemoryMib()),
                extreme(2, BLOCKS_IN_MIB, Long.MAX_VALUE),
                extreme(3, BLOCKS_IN_MIB, Long.MAX_VALUE));
    }

    private OfTask extreme(int which, int shift, long most) {
        int at = SUMS + 2 * which;
        return new OfTask((int) numbers[at], Math.min(numbers[at + 1] >> shift, most));
    }
}
