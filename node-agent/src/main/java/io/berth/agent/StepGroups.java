package io.berth.agent;

import io.berth.agent.group.Bindings;
import io.berth.agent.group.ChildLimits;
import io.berth.agent.group.Group;
import io.berth.agent.group.Taking;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StepLog;
import io.berth.agent.launch.StepUse;
import io.berth.agent.launch.StepUse.StepUses;
import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import io.berth.contracts.StepUsage;
import io.berth.contracts.TasksUsage;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The groups of a run's steps, within the run's own: made with the limits of each step; measured
/// and removed when its `srun` says that it is over, or is gone. What the tasks left behind ends
/// with it. Confined to the run's thread.
final class StepGroups {

    /// At a time: they are the kernel's memory.
    static final int MOST = 256;

    private static final Logger LOG = LoggerFactory.getLogger(StepGroups.class);

    /// There if a step beyond those whose use is kept was killed for want of its run's memory.
    private static final String OTHER_OUT_OF_MEMORY = "step-out-of-memory";

    private static final String GONE = "its srun is not in the job";

    private static final int KILL_TRIES = 100;
    private static final long KILL_PAUSE_MILLIS = 2;

    /// The `srun` of a step.
    ///
    /// @param tasks of the step here, as it says
    /// @param limited whether the step has less memory than the run
    /// @param name of the step, as it says
    /// @param beganAt epoch milliseconds
    /// @param rank of its first task here; null if it does not say
    /// @param local true if its tasks have their memory of the NUMA nodes that their CPUs are in;
    ///   null if not
    record Holder(
            long pid,
            long startTime,
            int tasks,
            boolean limited,
            @Nullable String name,
            @Nullable Long beganAt,
            @Nullable Integer rank,
            @Nullable Boolean local) {

        LiveProcess process() {
            return new LiveProcess(pid, startTime);
        }
    }

    /// Those whose steps have groups, by number, for an agent that takes over.
    record Holders(Map<Integer, Holder> each) {
        static final String NAME = "step-groups";
    }

    /// Hears of the end of a step before it is measured.
    @FunctionalInterface
    interface Ending {
        /// @param outOfMemory whether the kernel killed one of it for want of memory
        void known(boolean outOfMemory) throws IOException;
    }

    private final RunFiles files;
    private final Group group;
    private final TreeMap<Integer, Holder> holders;
    private final Map<Integer, StepUse> uses = new TreeMap<>();

    /// The step at which the last sweep came to its end.
    private int sweptTo = -1;

    /// Goes on from where an earlier agent left it.
    StepGroups(RunFiles files, Group group) throws IOException {
        this.files = files;
        this.group = group;
        this.holders = new TreeMap<>(kept(files));
        files.kept(StepUses.NAME, StepUses.class)
                .ifPresent(kept -> kept.each().forEach(use -> uses.put(use.number(), use)));
    }

    /// What the steps that run now have used.
    ///
    /// @param tasks that have no groups
    static List<StepUsage> now(RunFiles files, Group group, LiveTasks tasks) throws IOException {
        var used = new TreeMap<Integer, StepUsage>();
        var kept = new TreeMap<>(kept(files));
        tasks.begin(kept.keySet());
        for (Map.Entry<Integer, Holder> each : behind(tasks.readTo(), kept).entrySet()) {
            Optional<Group> step = group.child(each.getKey());
            if (step.isPresent()) {
                Consumption use = step.get().usage();
                Holder holder = each.getValue();
                TasksUsage ofTasks = StepTasks.used(step.get(), use, holder);
                used.put(
                        each.getKey(),
                        new StepUsage(
                                each.getKey(),
                                holder.tasks(),
                                use.cpuMillis(),
                                use.maxMemoryMib(),
                                holder.name(),
                                holder.beganAt(),
                                ofTasks == null
                                        ? tasks.used(each.getKey(), step.get(), use)
                                        : ofTasks));
            }
        }
        return List.copyOf(used.values());
    }

    /// All of them, those behind that step first.
    private static Map<Integer, Holder> behind(int step, TreeMap<Integer, Holder> holders) {
        var inTurn = new LinkedHashMap<>(holders.tailMap(step, false));
        inTurn.putAll(holders.headMap(step, true));
        return inTurn;
    }

    static Map<Integer, Holder> kept(RunFiles files) throws IOException {
        return files.kept(Holders.NAME, Holders.class).map(Holders::each).orElse(Map.of());
    }

    /// Makes the group of a step, with its limits and the process that holds it. Why there is none;
    /// nothing if there is.
    ///
    /// @param gpus of the step, as it names them
    /// @param askedAt epoch milliseconds
    String hold(int number, Holder holder, ChildLimits limits, String gpus, long askedAt)
            throws IOException {
        if (holders.containsKey(number)) {
            return holders.get(number).process().equals(holder.process())
                    ? ""
                    : "another step has its number";
        }
        if (holders.size() >= MOST) {
            return "%d steps of the job run here, the most that can be limited".formatted(MOST);
        }
        if (!holder.process().alive() || !group.has(holder.pid())) {
            return GONE;
        }
        try {
            Group step = group.makeChild(number, limits);
            boolean open = holder.limited() && !step.enforced().contains(Isolation.MEMORY);
            boolean late = RunSteps.late(askedAt);
            if (open || late) {
                step.remove();
                return open ? "the node cannot limit memory" : "the node's agent was too slow";
            }
            holders.put(number, holder);
            files.note(Holders.NAME, new Holders(holders));
            if (!Taking.take(step, holder.process())) {
                return GONE;
            }
            Bindings.step(step, limits, gpus);
            return "";
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("run", files.run())
                    .addKeyValue("step", number)
                    .log("Step has no group");
            return "the node could make no group for it";
        }
    }

    /// The group of a step that runs; null if it has none.
    @Nullable Group of(int number) {
        return holders.containsKey(number) ? group.child(number).orElse(null) : null;
    }

    /// Whether the tasks of a step that has a group have their memory of the NUMA nodes that their
    /// CPUs are in.
    boolean local(int number) {
        Holder holder = holders.get(number);
        return holder != null && holder.local() != null;
    }

    /// How many tasks of all steps have groups.
    int tasks() throws IOException {
        int tasks = 0;
        for (int number : holders.keySet()) {
            tasks += group.child(number).orElseThrow().children().size();
        }
        return tasks;
    }

    /// Closes the steps whose `srun` is gone. The next sweep begins with what this one does not
    /// come to: a step that hangs in the kernel takes all the time that there is.
    ///
    /// @param more whether there is time for another one
    void sweep(BooleanSupplier more) throws IOException, InterruptedException {
        for (Map.Entry<Integer, Holder> each : behind(sweptTo, holders).entrySet()) {
            if (!more.getAsBoolean()) {
                break;
            }
            sweptTo = each.getKey();
            if (!each.getValue().process().alive()) {
                close(each.getKey(), _ -> {});
            }
        }
    }

    /// Measures what is left when nothing is in the run's group any more.
    void over() throws InterruptedException {
        try {
            for (int number : group.children()) {
                close(number, _ -> {});
            }
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Steps not measured");
        }
    }

    /// Whether the kernel killed one of a step that had no less memory than its run, for want of
    /// that.
    boolean outOfMemory() {
        return files.has(OTHER_OUT_OF_MEMORY)
                || uses.values().stream().anyMatch(use -> use.outOfMemory() && !use.limited());
    }

    /// Ends what is left of a step, and removes its group. One that cannot be ended is left to a
    /// later sweep.
    void close(int number, Ending told) throws IOException, InterruptedException {
        Holder holder = holders.get(number);
        Group step = group.child(number).orElse(null);
        if (step == null || !emptied(step, holder)) {
            told.known(false);
            return;
        }
        boolean outOfMemory = step.outOfMemory();
        told.known(outOfMemory);
        remove(number, step, holder, outOfMemory);
    }

    /// Ends what is left of a step but its `srun`, which leaves. Whether nothing is: what hangs in
    /// the kernel is left to a later sweep.
    private boolean emptied(Group step, @Nullable Holder holder)
            throws IOException, InterruptedException {
        if (holder != null && step.has(holder.pid())) {
            var unused = Taking.take(group, holder.process());
        }
        for (int tries = 0; !step.isEmpty(); tries++) {
            if (tries == KILL_TRIES) {
                return false;
            }
            step.kill();
            Thread.sleep(KILL_PAUSE_MILLIS);
        }
        return true;
    }

    private void remove(int number, Group step, @Nullable Holder holder, boolean outOfMemory)
            throws IOException {
        if (group.children().contains(number)) {
            used(number, step, outOfMemory, holder);
            step.remove();
        }
        holders.remove(number);
        files.note(Holders.NAME, new Holders(holders));
    }

    /// Keeps it, for as many steps as are told one by one.
    private void used(int number, Group step, boolean outOfMemory, @Nullable Holder holder)
            throws IOException {
        boolean limited = holder != null && holder.limited();
        if (number < StepLog.MOST) {
            Consumption used = step.usage();
            uses.put(
                    number,
                    new StepUse(
                            number,
                            used.cpuMillis(),
                            used.maxMemoryMib(),
                            outOfMemory,
                            limited,
                            StepTasks.used(step, used, holder)));
            files.note(StepUses.NAME, new StepUses(List.copyOf(uses.values())));
        } else if (outOfMemory && !limited) {
            files.write(OTHER_OUT_OF_MEMORY, "");
        }
    }
}
