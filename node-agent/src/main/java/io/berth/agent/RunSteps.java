package io.berth.agent;

import io.berth.agent.container.OciConfig.Console;
import io.berth.agent.group.ChildLimits;
import io.berth.agent.group.Group;
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
import io.berth.contracts.Isolation;
import io.berth.contracts.StepUsage;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
/// asks/begin.<step>   <process> <its start time> <tasks> <MiB, or 0> <CPUs, or -> <GPUs, or -> <the first task's rank>
/// asks/tasks.<step>   a line for each task that waits to begin, see StepTasks
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

    private static final int MOST_BYTES = 16_384;

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
            Pattern.compile("(begin|tasks|end)\\.([0-9]{1,6})|container\\.[0-9]{1,10}-[0-9]{1,18}");
    private static final Pattern PROCESS = Pattern.compile("([0-9]{1,10}) ([0-9]{1,18})\\n?");
    private static final Pattern BEGIN =
            Pattern.compile(
                    "([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,6}) ([0-9]{1,18}) (-|[0-9,-]{1,6000})(?: ([!-~]{1,4000}) ([0-9]{1,7}))?\\n?");

    private static final Pattern CONTAINER =
            Pattern.compile("([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,4})x([0-9]{1,4}) (/[^\\n]*)\\n?");

    /// What of a run's launch its steps need.
    interface Launching {
        /// The shell text by which an `srun` turns into what runs it again in a container.
        ///
        /// @throws LaunchRefused if it cannot; it says why
        String intoContainer(Path container, StepCommand srun)
                throws LaunchRefused, IOException, InterruptedException;

        /// The device files that who has these GPUs of the run's may open; none if those are not
        /// fewer than the run's.
        List<String> devices(Set<String> gpus) throws LaunchRefused, IOException;
    }

    /// The `srun` of a step.
    ///
    /// @param tasks of the step here, as it says
    /// @param limited whether the step has less memory than the run
    /// @param name of the step, as it says
    /// @param beganAt epoch milliseconds
    /// @param rank of its first task here; null if it does not say
    record Holder(
            long pid,
            long startTime,
            int tasks,
            boolean limited,
            @Nullable String name,
            @Nullable Long beganAt,
            @Nullable Integer rank) {

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
    private final Launching launching;
    private final TreeMap<Integer, Holder> holders;
    private final Map<Integer, StepUse> uses = new TreeMap<>();
    private final LongSupplier clock;
    private long sweptAt;

    /// The step at which the last sweep came to its end.
    private int sweptTo = -1;

    /// Goes on from where an earlier agent left it.
    RunSteps(Allocation here, RunFiles files, Group group, Launching launching) throws IOException {
        this(here, files, group, launching, System::nanoTime);
    }

    /// @param clock nanoseconds
    RunSteps(Allocation here, RunFiles files, Group group, Launching launching, LongSupplier clock)
            throws IOException {
        this.here = here;
        this.files = files;
        this.group = group;
        this.launching = launching;
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
            Optional<Group> step = group.child(each.getKey());
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
                                holder.beganAt(),
                                StepTasks.used(step.get(), use, holder)));
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
            Matcher ask = ASK.matcher(name);
            String text =
                    files.ask(name, name.startsWith("tasks") ? StepTasks.MOST_BYTES : MOST_BYTES);
            if (!ask.matches()) {
                continue;
            }
            if (name.startsWith("end")) {
                end(name, Integer.parseInt(ask.group(2)), text);
            } else {
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
        return ask.group(1).equals("begin")
                ? begin(number, text, askedAt)
                : tasks(number, text, askedAt);
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
            return launching.intoContainer(
                    Path.of(words.group(5)), StepCommand.of(srun.pid(), console));
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
            for (int number : group.children()) {
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
                        System.currentTimeMillis(),
                        words.group(7) == null ? null : Integer.valueOf(words.group(7)));
        var limits =
                new ChildLimits(StepTasks.cpus(words.group(5)), memory, devices(words.group(6)));
        String why = hold(number, holder, limits, askedAt);
        return why.isEmpty() || memory == 0
                ? ""
                : "Unable to create step: its memory cannot be limited to %d MiB: %s"
                        .formatted(memory, why);
    }

    /// Makes the group of a step, with its limits and the process that holds it. Why there is none;
    /// nothing if there is.
    private String hold(int number, Holder holder, ChildLimits limits, long askedAt)
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
            Group step = group.makeChild(number, limits);
            boolean open = holder.limited() && !step.enforced().contains(Isolation.MEMORY);
            boolean late = late(askedAt);
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

    static boolean late(long askedAt) {
        return System.currentTimeMillis() - askedAt > PATIENCE_MILLIS;
    }

    private String tasks(int number, String text, long askedAt) throws IOException {
        Group step = holders.containsKey(number) ? group.child(number).orElse(null) : null;
        if (step == null) {
            return "";
        }
        int room = StepTasks.MOST;
        for (int other : holders.keySet()) {
            room -= group.child(other).orElseThrow().children().size();
        }
        return StepTasks.hold(step, text, this::devices, room, askedAt);
    }

    /// The rules for who has these GPUs; none if that is to be as it is.
    private List<String> devices(@Nullable String gpus) throws IOException {
        if (gpus == null || gpus.equals("-")) {
            return List.of();
        }
        try {
            return launching.devices(
                    gpus.equals("none") ? Set.of() : Set.copyOf(List.of(gpus.split(","))));
        } catch (LaunchRefused e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /// Its `srun` waits only for what it is told: the step is measured after that.
    private void end(String name, int number, String text)
            throws IOException, InterruptedException {
        Holder holder = holders.get(number);
        Group step = group.child(number).orElse(null);
        boolean over =
                PROCESS.matcher(text).matches()
                        && holder != null
                        && step != null
                        && emptied(step, holder);
        boolean outOfMemory = over && Objects.requireNonNull(step).outOfMemory();
        files.answer(
                name,
                outOfMemory
                        ? "Detected an oom_kill event: some of the step's tasks have been killed for want of memory"
                        : "");
        if (over) {
            remove(number, Objects.requireNonNull(step), holder, outOfMemory);
        }
    }

    /// Ends what is left of a step, and removes its group.
    private void close(int number) throws IOException, InterruptedException {
        Holder holder = holders.get(number);
        Group step = group.child(number).orElse(null);
        if (step != null && emptied(step, holder)) {
            remove(number, step, holder, step.outOfMemory());
        }
    }

    /// Ends what is left of a step but its `srun`, which leaves. Whether nothing is: what hangs in
    /// the kernel is left to a later sweep.
    private boolean emptied(Group step, @Nullable Holder holder)
            throws IOException, InterruptedException {
        if (holder != null && step.has(holder.pid())) {
            group.take(holder.pid());
        }
        for (int tries = 0; !step.members().isEmpty(); tries++) {
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
