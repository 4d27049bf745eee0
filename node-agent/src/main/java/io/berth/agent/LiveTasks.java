package io.berth.agent;

import io.berth.agent.group.Group;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.host.LiveProcess.Stat;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Consumption;
import io.berth.contracts.TasksUsage;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the tasks of a step have used so far that have no groups of their own: each is its process,
/// and what comes from that, in the group of the step. Which processes they are `srun-tasks` says
/// beside the step's file, by a line for each: `task <rank> <process>`. That is the user's word,
/// brought within what the step has used. Confined to the thread of the heartbeats, which reads so
/// many of a run in a beat and no more.
final class LiveTasks {

    private static final List<String> FILES =
            List.of("steps/step.%d.tasks.now", "steps/step.part-%d.tasks.now");
    private static final int MOST_BYTES = 1 << 16;

    /// Of a step with more of them it is not told: two files of each are read.
    private static final int MOST_PROCESSES = 512;

    private static final Pattern TASK = Pattern.compile("task ([0-9]{1,7}) ([0-9]{1,10})");
    private static final int MILLIS_IN_TICK = 10;
    private static final int KIB_IN_MIB = 10;

    /// Processes that are read in a beat; those of other steps are read in a later one.
    static final int MOST_IN_A_BEAT = 2 * MOST_PROCESSES;

    private final RunFiles files;
    private final Map<Integer, TasksUsage> told = new HashMap<>();
    private int left;
    private int readTo = -1;

    LiveTasks(RunFiles files) {
        this.files = files;
    }

    /// Begins a beat.
    ///
    /// @param steps that run now
    void begin(Set<Integer> steps) {
        told.keySet().retainAll(steps);
        left = MOST_IN_A_BEAT;
    }

    /// The last step that was read: who begins behind it comes to all in turn.
    int readTo() {
        return readTo;
    }

    /// As it was told last, if this beat has read as much as it may.
    ///
    /// @return null if nobody says which they are, none of them is in the group, there are too
    ///   many, or none of them was read yet
    @Nullable TasksUsage used(int step, Group group, Consumption use) throws IOException {
        if (left == 0) {
            return told.get(step);
        }
        Map<Long, Integer> ranks = ranks(files, step);
        Set<Long> members = ranks.isEmpty() ? Set.of() : group.members();
        if (members.size() > left && members.size() <= MOST_PROCESSES) {
            left = 0;
            return told.get(step);
        }
        readTo = step;
        TasksUsage used = null;
        if (members.size() <= MOST_PROCESSES) {
            left -= members.size();
            used = used(ranks, processes(members), use);
        }
        told.remove(step);
        if (used != null) {
            told.put(step, used);
        }
        return used;
    }

    private static Map<Long, Integer> ranks(RunFiles files, int step) {
        var ranks = new HashMap<Long, Integer>();
        for (String file : FILES) {
            text(files, file.formatted(step))
                    .lines()
                    .forEach(line -> {
                        Matcher task = TASK.matcher(line);
                        if (task.matches()) {
                            ranks.put(Long.valueOf(task.group(2)), Integer.valueOf(task.group(1)));
                        }
                    });
        }
        return ranks;
    }

    /// A link, a folder, a file that somebody holds: nobody says anything.
    private static String text(RunFiles files, String name) {
        try {
            return files.job().text(name, MOST_BYTES);
        } catch (IOException e) {
            return "";
        }
    }

    private static Map<Long, Stat> processes(Set<Long> members) {
        var processes = new HashMap<Long, Stat>();
        for (long pid : members) {
            LiveProcess.stat(pid).ifPresent(stat -> processes.put(pid, stat));
        }
        return processes;
    }

    private static @Nullable TasksUsage used(
            Map<Long, Integer> ranks, Map<Long, Stat> processes, Consumption use) {
        var millis = new TreeMap<Integer, Long>();
        var kib = new TreeMap<Integer, Long>();
        for (Stat process : processes.values()) {
            Integer rank = rank(process, ranks, processes);
            if (rank != null) {
                millis.merge(rank, process.ticks() * MILLIS_IN_TICK, Long::sum);
                kib.merge(rank, LiveProcess.peakKib(process.pid()), Long::sum);
            }
        }
        var each = new TreeMap<Integer, Consumption>();
        millis.forEach((rank, cpu) -> {
            long mib = kib.getOrDefault(rank, 0L) >> KIB_IN_MIB;
            each.put(
                    rank,
                    new Consumption(
                            Math.min(cpu, use.cpuMillis()), Math.min(mib, use.maxMemoryMib())));
        });
        return each.isEmpty() ? null : TasksUsage.of(each);
    }

    /// Of which task a process is; null of none.
    private static @Nullable Integer rank(
            Stat process, Map<Long, Integer> ranks, Map<Long, Stat> processes) {
        Stat up = process;
        // Numbers may be given anew while they are read: no more steps than there are processes.
        for (int left = processes.size(); up != null && left > 0; left--) {
            Integer rank = ranks.get(up.pid());
            if (rank != null) {
                return rank;
            }
            up = processes.get(up.parent());
        }
        return null;
    }
}
