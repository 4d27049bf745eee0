package io.berth.agent;

import io.berth.agent.StepGroups.Holder;
import io.berth.agent.group.Bindings;
import io.berth.agent.group.ChildLimits;
import io.berth.agent.group.Group;
import io.berth.agent.group.Taking;
import io.berth.agent.host.LiveProcess;
import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.TasksUsage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The groups of a step's tasks, within the step's own: each is bound to the GPUs and CPUs that are
/// its own, and counted for itself where that costs no group more. They are made once, while the
/// tasks wait to begin, and go with the step's.
///
/// `srun-tasks` asks for them by a line for each task:
///
/// ```
/// <rank> <process> <CPUs, or -> <GPUs, or ->
/// ```
final class StepTasks {

    /// Of what is asked.
    static final int MOST_BYTES = 1 << 18;

    private static final Logger LOG = LoggerFactory.getLogger(StepTasks.class);

    /// Of a run at a time: they are the kernel's memory.
    static final int MOST = 512;

    private static final Pattern TASK =
            Pattern.compile("([0-9]{1,7}) ([0-9]{1,10}) (-|[0-9,-]{1,6000}) ([!-~]{1,4000})");

    /// What a task may use, by what is its own.
    interface Shares {
        /// The rules for who has these GPUs; none if that is to be as it is.
        List<String> devices(String gpus) throws IOException;

        /// The NUMA nodes of the memory of who has these CPUs; none if that is to be as it is.
        IndexSet memoryNodes(IndexSet cpus);
    }

    private StepTasks() {}

    /// A task that waits to begin.
    ///
    /// @param cpus none is all of the step's
    /// @param gpus as it names them
    private record Task(int rank, LiveProcess process, IndexSet cpus, String gpus) {

        static Task of(Matcher words, LiveProcess process) {
            return new Task(
                    Integer.parseInt(words.group(1)),
                    process,
                    StepTasks.cpus(words.group(3)),
                    words.group(4));
        }
    }

    /// Makes them, and moves the tasks there. What there is to say; nothing if all is well.
    ///
    /// @param step null of one that has no group itself
    /// @param most groups that may be made
    /// @param askedAt epoch milliseconds
    static String hold(@Nullable Group step, String text, Shares shares, int most, long askedAt) {
        var asked = new ArrayList<Matcher>();
        for (String line : text.lines().toList()) {
            Matcher task = TASK.matcher(line);
            if (!task.matches()) {
                return "what the tasks ask for cannot be read";
            }
            asked.add(task);
        }
        // Whoever has the number of one of them by now began at another time.
        Map<Long, LiveProcess> began = step == null ? Map.of() : processes(step);
        Set<Long> there = step == null ? Set.of() : members(step);
        Made made = step == null ? null : new Made(step, shares, most);
        int unbound = 0;
        for (Matcher words : asked) {
            LiveProcess process = began.get(Long.valueOf(words.group(2)));
            boolean bound =
                    made != null
                            && process != null
                            && !RunSteps.late(askedAt)
                            && there.contains(process.pid())
                            && made.hold(Task.of(words, process));
            unbound += bound || words.group(4).equals("-") ? 0 : 1;
        }
        return unbound == 0
                ? ""
                : "%d tasks can open the GPUs of all in the step: the node could make no groups for them"
                        .formatted(unbound);
    }

    /// Those in a step's group, however many are asked for.
    private static Map<Long, LiveProcess> processes(Group step) {
        var began = new HashMap<Long, LiveProcess>();
        for (long pid : members(step)) {
            LiveProcess.stat(pid)
                    .ifPresent(stat -> began.put(pid, new LiveProcess(pid, stat.startTime())));
        }
        return began;
    }

    private static Set<Long> members(Group step) {
        try {
            return step.members();
        } catch (IOException e) {
            LOG.atDebug()
                    .setCause(e)
                    .addKeyValue("run", Bindings.run(step))
                    .addKeyValue("groups", step.folders())
                    .log("Step not read");
            return Set.of();
        }
    }

    /// The groups that are made for a step's tasks. Where they are not counted for themselves,
    /// tasks that are bound to the same have one together: to make and to remove one costs more
    /// than all else that is done for a task.
    private static final class Made {
        private final Group step;
        private final Shares shares;
        private final int most;
        private final Map<String, List<String>> devices = new HashMap<>();
        private final Map<ChildLimits, Group> together = new HashMap<>();
        private int count;

        Made(Group step, Shares shares, int most) {
            this.step = step;
            this.shares = shares;
            this.most = most;
        }

        /// Whether the task is in a group that bounds it to its GPUs.
        boolean hold(Task task) {
            try {
                ChildLimits limits = limits(task);
                Group group = together.get(limits);
                if (group == null) {
                    group = make(task, limits);
                } else {
                    take(group, task);
                }
                Bindings.task(group, limits, task.gpus(), task.rank(), task.process().pid());
                return limits.devices().isEmpty() || group.enforced().contains(Isolation.DEVICES);
            } catch (IOException e) {
                // It goes on in the step's. The account may ask for what cannot be, such as CPUs
                // that are not there.
                LOG.atDebug()
                        .setCause(e)
                        .addKeyValue("run", Bindings.run(step))
                        .addKeyValue("groups", step.folders())
                        .addKeyValue("task", task.rank())
                        .log("Task has no group");
                return false;
            }
        }

        private ChildLimits limits(Task task) throws IOException {
            List<String> rules = devices.get(task.gpus());
            if (rules == null) {
                rules = shares.devices(task.gpus());
                devices.put(task.gpus(), rules);
            }
            return new ChildLimits(task.cpus(), 0, rules, shares.memoryNodes(task.cpus()));
        }

        private Group make(Task task, ChildLimits limits) throws IOException {
            if (count == most) {
                throw new IOException("the job has as many groups of tasks as may be");
            }
            Group group = step.makeChild(task.rank(), limits);
            try {
                take(group, task);
            } catch (IOException e) {
                group.remove();
                throw e;
            }
            count++;
            if (!step.countsChildren()) {
                together.put(limits, group);
            }
            return group;
        }

        private static void take(Group group, Task task) throws IOException {
            if (!Taking.take(group, task.process())) {
                throw new IOException("the task has ended");
            }
        }
    }

    /// Of the host's CPUs those that are listed; none, which is all that there are, if it is no
    /// list.
    static IndexSet cpus(String words) {
        if (words.equals("-")) {
            return IndexSet.EMPTY;
        }
        try {
            return IndexSet.parse(words);
        } catch (IllegalArgumentException e) {
            return IndexSet.EMPTY;
        }
    }

    /// What the tasks of a step have used; null if nobody counts them.
    ///
    /// @param used by the step: what a single task is told to have used
    static @Nullable TasksUsage used(Group step, Consumption used, @Nullable Holder holder)
            throws IOException {
        Map<Integer, Consumption> each = new TreeMap<>();
        for (int rank : step.countsChildren() ? step.children() : Set.<Integer>of()) {
            each.put(rank, step.child(rank).orElseThrow().usage());
        }
        if (each.isEmpty() && holder != null && holder.tasks() == 1 && holder.rank() != null) {
            each.put(holder.rank(), used);
        }
        return each.isEmpty() ? null : TasksUsage.of(each);
    }
}
