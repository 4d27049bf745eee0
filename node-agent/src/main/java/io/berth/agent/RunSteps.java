package io.berth.agent;

import io.berth.agent.StepGroups.Holder;
import io.berth.agent.container.OciConfig.Console;
import io.berth.agent.group.ChildLimits;
import io.berth.agent.group.Group;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StartScript;
import io.berth.agent.launch.StepCommand;
import io.berth.agent.launch.StepCommands;
import io.berth.agent.launch.StepLog;
import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the steps of a run ask of the agent: [groups][StepGroups] of their own, and to run in a
/// container. Confined to the run's thread.
///
/// An `srun` asks by a file in a folder that belongs to the run's user, and goes on when the answer
/// is there. So no more is believed of it than what can do no harm: its process must be in the
/// run's group, and all that its step may use is within what the run may.
///
/// ```
/// asks/begin.<step>   <process> <its start time> <tasks> <MiB, or 0> <CPUs, or -> <GPUs, or -> <the first task's rank>[ local]
/// asks/tasks.<step>   a line for each task that waits to begin, see StepTasks
/// asks/end.<step>     <process> <its start time>
/// asks/container.<process>-<its start time>   <process> <its start time> <rows>x<columns of its terminal, or 0x0> <the container's path>
/// asks/outside.<process>-<its start time>     <process> <its start time>
/// told/<the same>     nothing; or, one line, why not, or what there is to say: to a step that
///                     begins all the same after `warning: `; of a container the shell text by
///                     which its srun gets there
/// ```
final class RunSteps {

    private static final Logger LOG = LoggerFactory.getLogger(RunSteps.class);

    /// After how long a look leaves the rest to the next one: the end of the run does not wait for
    /// what its steps ask.
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// How much is heard in a second, asks and KiB of them, and how often is looked: who asks for
    /// more, or only seems to ask, is not to keep the node busy.
    static final int MOST_IN_A_SECOND = 1000;

    private static final int KIB = 1024;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_BYTES = 16_384;

    /// How old what is asked may be when it is done: an `srun` waits for two seconds, and what it
    /// starts then would not be in the group.
    private static final long PATIENCE_MILLIS = 1500;

    /// How long an answer stays, which is read within those two seconds.
    private static final long ANSWER_MILLIS = 5000;

    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Pattern ASK =
            Pattern.compile(
                    "(begin|tasks|end)\\.([0-9]{1,6})|(?:container|outside)\\.[0-9]{1,10}-[0-9]{1,18}");
    static final Pattern PROCESS = Pattern.compile("([0-9]{1,10}) ([0-9]{1,18})\\n?");
    private static final Pattern BEGIN =
            Pattern.compile(
                    "([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,6}) ([0-9]{1,18}) (-|[0-9,-]{1,6000})(?: ([!-~]{1,4000}) ([0-9]{1,7})( local)?)?\\n?");

    private static final Pattern CONTAINER =
            Pattern.compile("([0-9]{1,10}) ([0-9]{1,18}) ([0-9]{1,4})x([0-9]{1,4}) (/[^\\n]*)\\n?");

    /// What of a run's launch its steps need.
    interface Launching {
        /// The shell text by which an `srun` turns into what runs it again in a container.
        ///
        /// @throws LaunchRefused if it cannot; it says why
        String intoContainer(Path container, StepCommand srun)
                throws LaunchRefused, IOException, InterruptedException;

        /// Starts what starts a step on several nodes, outside of the container in which its `srun`
        /// runs.
        ///
        /// @throws LaunchRefused if it cannot; it says why
        void outside(StepCommand srun) throws LaunchRefused, IOException, InterruptedException;

        /// The device files that who has these GPUs of the run's may open; none if those are not
        /// fewer than the run's.
        List<String> devices(Set<String> gpus) throws LaunchRefused, IOException;

        /// The NUMA nodes with memory that some of the host's CPUs are in; none if that is not
        /// known.
        ///
        /// @param cpus none is the run's
        IndexSet memoryNodes(IndexSet cpus);
    }

    private final Allocation here;
    private final RunFiles files;
    private final Group group;
    private final Launching launching;
    private final StepGroups groups;
    private final LongSupplier clock;
    private final StepCommands commands = new StepCommands();
    private long sweptAt;
    private long secondBegan;
    private int heard;
    private int looks;
    private volatile boolean deaf;

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
        this.secondBegan = sweptAt;
        this.groups = new StepGroups(files, group);
    }

    /// Answers those who ask, and looks now and then for steps whose `srun` is gone. Whether that
    /// is done; if not, its time was over.
    boolean look() throws InterruptedException {
        long now = clock.getAsLong();
        long until = now + LOOK_NANOS;
        hearAgain(now);
        looks++;
        hear(0);
        try {
            if (!answer(until)) {
                return false;
            }
            if (clock.getAsLong() - sweptAt > SWEEP_NANOS) {
                sweptAt = clock.getAsLong();
                groups.sweep(() -> before(until));
                files.job().forgetAnswers(System.currentTimeMillis() - ANSWER_MILLIS);
            }
        } catch (IOException | RuntimeException e) {
            // A run does not end for that.
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Steps not heard");
        }
        return true;
    }

    /// Whether so much was asked within a second that nothing is heard until that is over. Any
    /// thread may ask.
    boolean deaf() {
        return deaf;
    }

    private void hearAgain(long now) {
        if (now - secondBegan >= SECOND_NANOS) {
            secondBegan = now;
            heard = 0;
            looks = 0;
            deaf = false;
        }
    }

    private void hear(int more) {
        heard += more;
        deaf = Math.max(heard, looks) >= MOST_IN_A_SECOND;
    }

    private boolean before(long until) {
        return clock.getAsLong() - until < 0;
    }

    private boolean answer(long until) throws IOException, InterruptedException {
        for (String name : deaf ? List.<String>of() : files.job().asks(StepGroups.MOST)) {
            if (deaf) {
                return true;
            }
            if (!before(until)) {
                return false;
            }
            long askedAt = files.job().askedAt(name);
            Matcher ask = ASK.matcher(name);
            String text =
                    files.job()
                            .ask(
                                    name,
                                    name.startsWith("tasks") ? StepTasks.MOST_BYTES : MOST_BYTES);
            hear(1 + text.length() / KIB);
            if (!ask.matches()) {
                continue;
            }
            if (name.startsWith("end")) {
                end(name, Integer.parseInt(ask.group(2)), PROCESS.matcher(text).matches());
            } else {
                files.job().answer(name, answer(ask, text, askedAt));
            }
        }
        return true;
    }

    private String answer(Matcher ask, String text, long askedAt)
            throws IOException, InterruptedException {
        if (ask.group(1) == null) {
            return ask.group().startsWith("outside") ? outside(text) : container(text);
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
            int rows = Integer.parseInt(words.group(3));
            int columns = Integer.parseInt(words.group(4));
            Console console = rows * columns == 0 ? null : new Console(rows, columns);
            return launching.intoContainer(Path.of(words.group(5)), command(srun, console));
        } catch (InvalidPathException e) {
            return StartScript.failing("the name of its container is that of no file");
        } catch (LaunchRefused e) {
            return StartScript.failing(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("run", files.run())
                    .addKeyValue("process", srun.pid())
                    .log("No container");
            return StartScript.failing("the node cannot prepare its container");
        }
    }

    /// What is refused is one line.
    private String outside(String text) throws IOException, InterruptedException {
        Matcher words = PROCESS.matcher(text);
        if (!words.matches()) {
            return "what the step asks for cannot be read";
        }
        var srun = new LiveProcess(Long.parseLong(words.group(1)), Long.parseLong(words.group(2)));
        try {
            launching.outside(command(srun, null));
            return "";
        } catch (LaunchRefused e) {
            return String.valueOf(e.getMessage());
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("run", files.run())
                    .addKeyValue("process", srun.pid())
                    .log("Step not started");
            return "the node cannot start the step";
        }
    }

    /// The `srun` of the job that has that process, which lives when all of it has been read: the
    /// number may be another's soon after.
    private StepCommand command(LiveProcess srun, @Nullable Console console)
            throws LaunchRefused, IOException, InterruptedException {
        mustBeHere(srun);
        StepCommand command = commands.read(srun.pid(), console);
        mustBeHere(srun);
        return command;
    }

    private void mustBeHere(LiveProcess srun) throws LaunchRefused, IOException {
        if (!srun.alive() || !group.members().contains(srun.pid())) {
            throw new LaunchRefused("its srun is not in the job");
        }
    }

    /// Measures what is left when nothing is in the run's group any more.
    void over() throws InterruptedException {
        groups.over();
    }

    /// Whether the kernel killed one of a step that had no less memory than its run, for want of
    /// that.
    boolean outOfMemory() {
        return groups.outOfMemory();
    }

    /// A step without a group is as good as one with it, but for the memory that it must not take,
    /// and the GPUs that others have, of which it is told.
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
                        words.group(7) == null ? null : Integer.valueOf(words.group(7)),
                        words.group(8) == null ? null : Boolean.TRUE);
        IndexSet cpus = StepTasks.cpus(words.group(5));
        IndexSet near = holder.local() == null ? IndexSet.EMPTY : launching.memoryNodes(cpus);
        var limits = new ChildLimits(cpus, memory, devices(words.group(6)), near);
        String why =
                groups.hold(
                        number,
                        holder,
                        limits,
                        words.group(6) == null ? "-" : words.group(6),
                        askedAt);
        if (why.isEmpty()) {
            return "";
        }
        if (memory > 0) {
            return "Unable to create step: its memory cannot be limited to %d MiB: %s"
                    .formatted(memory, why);
        }
        if (!limits.devices().isEmpty()) {
            return "warning: the step can open all GPUs of the job: " + why;
        }
        return near.isEmpty() ? "" : "warning: the step's memory is bound to no NUMA nodes: " + why;
    }

    /// Its `srun` waits only for what it is told: the step is measured after that.
    private void end(String name, int number, boolean readable)
            throws IOException, InterruptedException {
        StepGroups.Ending told =
                outOfMemory ->
                        files.job()
                                .answer(
                                        name,
                                        outOfMemory
                                                ? "Detected an oom_kill event: some of the step's tasks have been killed for want of memory"
                                                : "");
        if (readable && groups.of(number) != null) {
            groups.close(number, told);
        } else {
            told.known(false);
        }
    }

    static boolean late(long askedAt) {
        return System.currentTimeMillis() - askedAt > PATIENCE_MILLIS;
    }

    private String tasks(int number, String text, long askedAt) throws IOException {
        Group step = groups.of(number);
        if (step != null && !step.children().isEmpty()) {
            return "";
        }
        int room = StepTasks.MOST - groups.tasks();
        boolean local = groups.local(number);
        var shares =
                new StepTasks.Shares() {
                    @Override
                    public List<String> devices(String gpus) throws IOException {
                        return RunSteps.this.devices(gpus);
                    }

                    @Override
                    public IndexSet memoryNodes(IndexSet cpus) {
                        return local && !cpus.isEmpty()
                                ? launching.memoryNodes(cpus)
                                : IndexSet.EMPTY;
                    }
                };
        return StepTasks.hold(step, text, shares, room, askedAt);
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
}
