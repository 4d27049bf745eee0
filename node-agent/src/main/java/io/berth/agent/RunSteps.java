package io.berth.agent;

import io.berth.agent.group.Group;
import io.berth.agent.group.StepLimits;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StepUse;
import io.berth.agent.launch.StepUse.StepUses;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.StepUsage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The groups of a run's steps, within the run's own: made as each `srun` asks, with the limits of
/// its step; measured and removed when it says that the step is over, or is gone. What the tasks
/// left behind ends with it. Confined to the run's thread.
///
/// An `srun` asks by a file in a folder that belongs to the run's user, and goes on when the answer
/// is there. So no more is believed of it than what can do no harm: its process must be in the
/// run's group, and all that its step may use is within what the run may.
///
/// ```
/// asks/begin.<step>   <process> <its start time> <tasks> <MiB, or 0> <CPUs, or ->
/// asks/end.<step>     <process> <its start time>
/// told/<the same>     nothing; or, one line, why not, or what there is to say
/// ```
final class RunSteps {

    private static final Logger LOG = LoggerFactory.getLogger(RunSteps.class);

    /// Groups at a time: they are the kernel's memory.
    private static final int MOST = 256;

    private static final int MOST_BYTES = 8192;
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int KILL_TRIES = 100;
    private static final long KILL_PAUSE_MILLIS = 2;

    private static final Pattern ASK = Pattern.compile("(begin|end)\\.([0-9]{1,6})");
    private static final Pattern PROCESS = Pattern.compile("([0-9]{1,10}) ([0-9]{1,18})\\n?");
    private static final Pattern BEGIN =
            Pattern.compile(
                    "([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,6}) ([0-9]{1,12}) (-|[0-9,-]{1,6000})\\n?");

    /// The `srun` of a step.
    ///
    /// @param tasks of the step here, as it says
    /// @param limited whether the step has less memory than the run
    record Holder(long pid, long startTime, int tasks, boolean limited) {
        LiveProcess process() {
            return new LiveProcess(pid, startTime);
        }
    }

    /// Those whose steps have groups, by number, for an agent that takes over.
    record Holders(Map<Integer, Holder> each) {
        static final String NAME = "step-groups";
    }

    private final Allocation here;
    private final RunFiles files;
    private final Group group;
    private final Map<Integer, Holder> holders;
    private final Map<Integer, StepUse> uses = new TreeMap<>();
    private final Map<Integer, LiveProcess> leaving = new TreeMap<>();
    private long sweptAt = System.nanoTime();

    /// Goes on from where an earlier agent left it.
    RunSteps(Allocation here, RunFiles files, Group group) throws IOException {
        this.here = here;
        this.files = files;
        this.group = group;
        this.holders = new TreeMap<>(kept(files));
        files.kept(StepUses.NAME, StepUses.class)
                .ifPresent(kept -> kept.each().forEach(use -> uses.put(use.number(), use)));
    }

    /// What the steps that run now have used.
    static List<StepUsage> now(RunFiles files, Group group) throws IOException {
        var used = new ArrayList<StepUsage>();
        for (Map.Entry<Integer, Holder> each : kept(files).entrySet()) {
            Optional<Group> step = group.step(each.getKey());
            if (step.isPresent()) {
                Consumption use = step.get().usage();
                used.add(
                        new StepUsage(
                                each.getKey(),
                                each.getValue().tasks(),
                                use.cpuMillis(),
                                use.maxMemoryMib()));
            }
        }
        return used;
    }

    private static Map<Integer, Holder> kept(RunFiles files) throws IOException {
        return files.kept(Holders.NAME, Holders.class).map(Holders::each).orElse(Map.of());
    }

    /// Answers those who ask, and looks now and then for steps whose `srun` is gone.
    void look() throws InterruptedException {
        try {
            answer();
            if (System.nanoTime() - sweptAt > SWEEP_NANOS) {
                sweptAt = System.nanoTime();
                sweep();
            }
        } catch (IOException e) {
            // A run does not end for that.
            LOG.atWarn().setCause(e).addKeyValue("folder", files.folder()).log("Steps not heard");
        }
    }

    private void answer() throws IOException, InterruptedException {
        for (String name : files.asks(MOST)) {
            String text = files.ask(name, MOST_BYTES);
            Matcher ask = ASK.matcher(name);
            if (ask.matches()) {
                int number = Integer.parseInt(ask.group(2));
                String answer =
                        ask.group(1).equals("begin") ? begin(number, text) : end(number, text);
                files.answer(name, answer);
            }
        }
    }

    private void sweep() throws IOException, InterruptedException {
        for (Map.Entry<Integer, Holder> each : Map.copyOf(holders).entrySet()) {
            if (!each.getValue().process().alive()) {
                close(each.getKey());
                files.forget("begin." + each.getKey());
            }
        }
        for (Map.Entry<Integer, LiveProcess> each : Map.copyOf(leaving).entrySet()) {
            if (!each.getValue().alive()) {
                leaving.remove(each.getKey());
                files.forget("begin." + each.getKey());
                files.forget("end." + each.getKey());
            }
        }
    }

    /// Measures what is left when nothing is in the run's group any more.
    void over() throws InterruptedException {
        try {
            for (int number : group.steps()) {
                close(number);
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("folder", files.folder())
                    .log("Steps not measured");
        }
    }

    /// Whether the kernel killed one of a step that had no less memory than its run, for want of
    /// that.
    boolean outOfMemory() {
        return uses.values().stream().anyMatch(use -> use.outOfMemory() && !use.limited());
    }

    private String begin(int number, String text) throws IOException {
        Matcher words = BEGIN.matcher(text);
        if (!words.matches() || holders.containsKey(number) || holders.size() >= MOST) {
            return "";
        }
        long memory = Long.parseLong(words.group(4));
        if (memory > here.memoryMib()) {
            return "Unable to create step: its memory, %d MiB, is more than the job has here, %d MiB"
                    .formatted(memory, here.memoryMib());
        }
        var holder =
                new Holder(
                        Long.parseLong(words.group(1)),
                        Long.parseLong(words.group(2)),
                        Integer.parseInt(words.group(3)),
                        memory > 0);
        if (!holder.process().alive() || !group.members().contains(holder.pid())) {
            return "";
        }
        try {
            Group step = group.makeStep(number, new StepLimits(cpus(words.group(5)), memory));
            holders.put(number, holder);
            files.note(Holders.NAME, new Holders(holders));
            step.take(holder.pid());
        } catch (IOException | UnsupportedOperationException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("folder", files.folder())
                    .addKeyValue("step", number)
                    .log("Step has no group");
        }
        return "";
    }

    /// Of the host's CPUs those that the step may have; all of the run's if these are none.
    private static IndexSet cpus(String words) {
        if (words.equals("-")) {
            return IndexSet.EMPTY;
        }
        try {
            return IndexSet.parse(words);
        } catch (IllegalArgumentException e) {
            return IndexSet.EMPTY;
        }
    }

    private String end(int number, String text) throws IOException, InterruptedException {
        Matcher words = PROCESS.matcher(text);
        Holder holder = holders.get(number);
        if (!words.matches() || holder == null) {
            return "";
        }
        close(number);
        leaving.put(number, holder.process());
        StepUse use = uses.get(number);
        return use != null && use.outOfMemory()
                ? "Detected an oom_kill event: some of the step's tasks have been killed for want of memory"
                : "";
    }

    /// Ends what is left of a step but its `srun`, which leaves, and removes its group.
    private void close(int number) throws IOException, InterruptedException {
        Holder holder = holders.get(number);
        Group step = group.step(number).orElse(null);
        if (step == null) {
            return;
        }
        if (holder != null && step.members().contains(holder.pid())) {
            group.take(holder.pid());
        }
        for (int tries = 0; !step.members().isEmpty(); tries++) {
            if (tries == KILL_TRIES) {
                // It hangs in the kernel; the next sweep tries again.
                return;
            }
            step.kill();
            Thread.sleep(KILL_PAUSE_MILLIS);
        }
        if (group.steps().contains(number)) {
            Consumption used = step.usage();
            boolean limited = holder != null && holder.limited();
            uses.put(
                    number,
                    new StepUse(
                            number,
                            used.cpuMillis(),
                            used.maxMemoryMib(),
                            step.outOfMemory(),
                            limited));
            step.remove();
            files.note(StepUses.NAME, new StepUses(List.copyOf(uses.values())));
        }
        holders.remove(number);
        files.note(Holders.NAME, new Holders(holders));
    }
}
