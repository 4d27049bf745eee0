package io.berth.agent;

import io.berth.agent.container.OciConfig.Console;
import io.berth.agent.group.Group;
import io.berth.agent.group.StepLimits;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StartScript;
import io.berth.agent.launch.StepCommand;
import io.berth.agent.launch.StepLog;
import io.berth.agent.launch.StepUse;
import io.berth.agent.launch.StepUse.StepUses;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.StepUsage;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
/// asks/container.<process>-<its start time>   <process> <its start time> <rows>x<columns of its terminal, or 0x0> <the container's path>
/// told/<the same>     nothing; or, one line, why not, or what there is to say; of a container the
///                     shell text by which its srun gets there
/// ```
final class RunSteps {

    private static final Logger LOG = LoggerFactory.getLogger(RunSteps.class);

    /// Groups at a time: they are the kernel's memory.
    private static final int MOST = 256;

    /// After how long a look leaves the rest to the next one: the end of the run does not wait for
    /// what its steps ask.
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int MOST_BYTES = 8192;

    /// How old what is asked may be when it is done: an `srun` waits for two seconds, and what it
    /// starts then would not be in the group.
    private static final long PATIENCE_MILLIS = 1500;

    /// How long an answer stays, which is read within those two seconds.
    private static final long ANSWER_MILLIS = 5000;

    /// There if a step beyond those whose use is kept was killed for want of its run's memory.
    private static final String OTHER_OUT_OF_MEMORY = "step-out-of-memory";

    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int KILL_TRIES = 100;
    private static final long KILL_PAUSE_MILLIS = 2;

    private static final Pattern ASK =
            Pattern.compile("(begin|end)\\.([0-9]{1,6})|container\\.[0-9]{1,10}-[0-9]{1,18}");
    private static final Pattern PROCESS = Pattern.compile("([0-9]{1,10}) ([0-9]{1,18})\\n?");
    private static final Pattern BEGIN =
            Pattern.compile(
                    "([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,6}) ([0-9]{1,18}) (-|[0-9,-]{1,6000})\\n?");

    private static final Pattern CONTAINER =
            Pattern.compile("([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,4})x([0-9]{1,4}) (/[^\\n]*)\\n?");

    /// How steps come into containers.
    @FunctionalInterface
    interface IntoContainer {
        /// The shell text by which an `srun` turns into what runs it again in a container.
        ///
        /// @throws LaunchRefused if it cannot; it says why
        String by(Path container, StepCommand srun)
                throws LaunchRefused, IOException, InterruptedException;
    }

    /// The `srun` of a step.
    ///
    /// @param tasks of the step here, as it says
    /// @param limited whether the step has less memory than the run
    /// @param name of the step, as it says
    /// @param beganAt epoch milliseconds
    record Holder(
            long pid,
            long startTime,
            int tasks,
            boolean limited,
            @Nullable String name,
            @Nullable Long beganAt) {

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
    private final IntoContainer intoContainer;
    private final TreeMap<Integer, Holder> holders;
    private final Map<Integer, StepUse> uses = new TreeMap<>();
    private final LongSupplier clock;
    private long sweptAt;

    /// The step at which the last sweep came to its end.
    private int sweptTo = -1;

    /// Goes on from where an earlier agent left it.
    RunSteps(Allocation here, RunFiles files, Group group, IntoContainer intoContainer)
            throws IOException {
        this(here, files, group, intoContainer, System::nanoTime);
    }

    /// @param clock nanoseconds
    RunSteps(
            Allocation here,
            RunFiles files,
            Group group,
            IntoContainer intoContainer,
            LongSupplier clock)
            throws IOException {
        this.here = here;
        this.files = files;
        this.group = group;
        this.intoContainer = intoContainer;
        this.clock = clock;
        this.sweptAt = clock.getAsLong();
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
                Holder holder = each.getValue();
                used.add(
                        new StepUsage(
                                each.getKey(),
                                holder.tasks(),
                                use.cpuMillis(),
                                use.maxMemoryMib(),
                                holder.name(),
                                holder.beganAt()));
            }
        }
        return used;
    }

    private static Map<Integer, Holder> kept(RunFiles files) throws IOException {
        return files.kept(Holders.NAME, Holders.class).map(Holders::each).orElse(Map.of());
    }

    /// Answers those who ask, and looks now and then for steps whose `srun` is gone. Whether that
    /// is done; if not, its time was over.
    boolean look() throws InterruptedException {
        long until = clock.getAsLong() + LOOK_NANOS;
        try {
            if (!answer(until)) {
                return false;
            }
            if (clock.getAsLong() - sweptAt > SWEEP_NANOS) {
                sweptAt = clock.getAsLong();
                sweep(until);
            }
        } catch (IOException | RuntimeException e) {
            // A run does not end for that.
            LOG.atWarn().setCause(e).addKeyValue("folder", files.folder()).log("Steps not heard");
        }
        return true;
    }

    private boolean before(long until) {
        return clock.getAsLong() - until < 0;
    }

    private boolean answer(long until) throws IOException, InterruptedException {
        for (String name : files.asks(MOST)) {
            if (!before(until)) {
                return false;
            }
            long askedAt = files.askedAt(name);
            String text = files.ask(name, MOST_BYTES);
            Matcher ask = ASK.matcher(name);
            if (ask.matches()) {
                files.answer(name, answer(ask, text, askedAt));
            }
        }
        return true;
    }

    private String answer(Matcher ask, String text, long askedAt)
            throws IOException, InterruptedException {
        if (ask.group(1) == null) {
            return container(text);
        }
        int number = Integer.parseInt(ask.group(2));
        return ask.group(1).equals("begin") ? begin(number, text, askedAt) : end(number, text);
    }

    /// What is refused is said by the `srun`.
    private String container(String text) throws IOException, InterruptedException {
        Matcher words = CONTAINER.matcher(text);
        if (!words.matches()) {
            return StartScript.failing("the name of its container cannot be read");
        }
        var srun = new LiveProcess(Long.parseLong(words.group(1)), Long.parseLong(words.group(2)));
        try {
            if (!srun.alive() || !group.members().contains(srun.pid())) {
                throw new LaunchRefused("its srun is not in the job");
            }
            int rows = Integer.parseInt(words.group(3));
            int columns = Integer.parseInt(words.group(4));
            Console console = rows * columns == 0 ? null : new Console(rows, columns);
            return intoContainer.by(Path.of(words.group(5)), StepCommand.of(srun.pid(), console));
        } catch (InvalidPathException e) {
            return StartScript.failing("the name of its container is that of no file");
        } catch (LaunchRefused e) {
            return StartScript.failing(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("process", srun.pid()).log("No container");
            return StartScript.failing("the node cannot prepare its container");
        }
    }

    /// The next begins with what it does not come to: a step that hangs in the kernel takes all the
    /// time that there is.
    private void sweep(long until) throws IOException, InterruptedException {
        var inTurn = new LinkedHashMap<>(holders.tailMap(sweptTo, false));
        inTurn.putAll(holders.headMap(sweptTo, true));
        for (Map.Entry<Integer, Holder> each : inTurn.entrySet()) {
            if (!before(until)) {
                break;
            }
            sweptTo = each.getKey();
            if (!each.getValue().process().alive()) {
                close(each.getKey());
            }
        }
        files.forgetAnswers(System.currentTimeMillis() - ANSWER_MILLIS);
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
        return files.has(OTHER_OUT_OF_MEMORY)
                || uses.values().stream().anyMatch(use -> use.outOfMemory() && !use.limited());
    }

    /// A step without a group is as good as one with it, but for the memory that it must not take.
    private String begin(int number, String text, long askedAt) throws IOException {
        Matcher words = BEGIN.matcher(text);
        if (!words.matches()) {
            return "Unable to create step: what it asks for cannot be read";
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
                        memory > 0,
                        StepLog.name(files, number),
                        System.currentTimeMillis());
        String why = hold(number, holder, new StepLimits(cpus(words.group(5)), memory), askedAt);
        return why.isEmpty() || memory == 0
                ? ""
                : "Unable to create step: its memory cannot be limited to %d MiB: %s"
                        .formatted(memory, why);
    }

    /// Makes the group of a step, with its limits and the process that holds it. Why there is none;
    /// nothing if there is.
    private String hold(int number, Holder holder, StepLimits limits, long askedAt)
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
            return "its srun is not in the job";
        }
        try {
            Group step = group.makeStep(number, limits);
            boolean open = holder.limited() && !step.enforced().contains(Isolation.MEMORY);
            boolean late = System.currentTimeMillis() - askedAt > PATIENCE_MILLIS;
            if (open || late) {
                step.remove();
                return open ? "the node cannot limit memory" : "the node's agent was too slow";
            }
            holders.put(number, holder);
            files.note(Holders.NAME, new Holders(holders));
            step.take(holder.pid());
            return "";
        } catch (IOException | UnsupportedOperationException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("folder", files.folder())
                    .addKeyValue("step", number)
                    .log("Step has no group");
            return "the node could make no group for it";
        }
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
        return close(number)
                ? "Detected an oom_kill event: some of the step's tasks have been killed for want of memory"
                : "";
    }

    /// Ends what is left of a step but its `srun`, which leaves, and removes its group. Whether the
    /// kernel killed one of it for want of memory.
    private boolean close(int number) throws IOException, InterruptedException {
        Holder holder = holders.get(number);
        Group step = group.step(number).orElse(null);
        if (step == null) {
            return false;
        }
        if (holder != null && step.has(holder.pid())) {
            group.take(holder.pid());
        }
        for (int tries = 0; !step.members().isEmpty(); tries++) {
            if (tries == KILL_TRIES) {
                // It hangs in the kernel; a later sweep tries again.
                return false;
            }
            step.kill();
            Thread.sleep(KILL_PAUSE_MILLIS);
        }
        boolean outOfMemory = false;
        if (group.steps().contains(number)) {
            outOfMemory = step.outOfMemory();
            used(number, step.usage(), outOfMemory, holder != null && holder.limited());
            step.remove();
        }
        holders.remove(number);
        files.note(Holders.NAME, new Holders(holders));
        return outOfMemory;
    }

    /// Keeps it, for as many steps as are told one by one.
    private void used(int number, Consumption used, boolean outOfMemory, boolean limited)
            throws IOException {
        if (number < StepLog.MOST) {
            uses.put(
                    number,
                    new StepUse(
                            number, used.cpuMillis(), used.maxMemoryMib(), outOfMemory, limited));
            files.note(StepUses.NAME, new StepUses(List.copyOf(uses.values())));
        } else if (outOfMemory && !limited) {
            files.write(OTHER_OUT_OF_MEMORY, "");
        }
    }
}
