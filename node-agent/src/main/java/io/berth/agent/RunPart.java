package io.berth.agent;

import io.berth.agent.RunOrders.Suspending;
import io.berth.agent.Standing.Stood;
import io.berth.agent.group.Group;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.host.LocalNode;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.LaunchSpan;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.Launcher.Prepared;
import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.SpoolWatch;
import io.berth.agent.launch.StepCommand;
import io.berth.agent.launch.StepLog;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.HeldRun;
import io.berth.contracts.HeldRun.Phase;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobSpec;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.StepRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The life of a run's part on one node, on a thread of its own: prepared, running, ended. Each
/// step is in the run's folder before it is taken, so that a later agent goes on from there.
final class RunPart implements OrderedRun {

    private static final Logger LOG = LoggerFactory.getLogger(RunPart.class);
    private static final long TICK_MILLIS = 1000;

    /// What a part needs of the agent that it belongs to.
    ///
    /// @param now the node as it is now
    /// @param ended called when a part has ended
    /// @param gone called when that stands in the log and nothing is left of the part
    /// @param unfit why one of the GPUs or other devices of a part cannot be had
    /// @param meters of what the node's GPUs do
    record Surroundings(
            Supplier<LocalNode> now,
            Launcher launcher,
            Outbox outbox,
            Duration killGrace,
            Consumer<RunEnd> ended,
            Consumer<RunId> gone,
            Function<Allocation, Optional<String>> unfit,
            GpuMeters meters) {

        LocalNode node() {
            return now.get();
        }
    }

    /// What isolation was verified; its presence says that the task stood ready.
    ///
    /// @param enforced what limits it to its part of a GPU; null if it holds no part
    record Verified(List<Isolation> isolation, @Nullable Enforcement enforced) {
        static final String NAME = "prepared";
    }

    /// The run's time limit, if it was changed after the launch.
    record TimeLimit(long seconds) {
        static final String NAME = "limit";
    }

    /// When the code was given the word, in milliseconds since boot.
    record Begun(long uptimeMillis) {
        static final String NAME = "begun";
    }

    /// What a GPU of the run failed with, to be told at its end.
    ///
    /// @param fatal whether the run could not go on
    record GpuFault(String reason, boolean fatal) {
        static final String NAME = "gpu-fault";
    }

    /// When this agent was ordered to launch it, or found it.
    private final Instant ordered = Instant.now();

    private final Surroundings surroundings;
    private final Launch launch;
    private final RunFiles files;
    private final RunOrders orders = new RunOrders();
    private final RunReports reports;
    private final LiveTasks liveTasks;
    private final Thread thread;

    private final ReentrantLock reporting = new ReentrantLock();

    /// One step after the other: they are started by the same file.
    private final ReentrantLock starting = new ReentrantLock();

    /// It ends, and no step begins any more; guarded by `starting`.
    private boolean settling;

    /// Open once its code has the word, or never will have it.
    private final CountDownLatch decided = new CountDownLatch(1);

    /// Its agent shuts down, and ends it.
    private volatile boolean leaves;

    private Phase phase = Phase.PREPARED;
    private boolean ready;
    private Set<Isolation> isolation = Set.of();
    private @Nullable Enforcement enforced;
    private @Nullable GpuMeter meter;

    RunPart(Surroundings surroundings, Launch launch, RunFiles files) {
        this.surroundings = surroundings;
        this.launch = launch;
        this.files = files;
        this.liveTasks = new LiveTasks(files);
        this.reports =
                new RunReports(launch.run(), surroundings.node().name(), surroundings.outbox());
        this.thread = Thread.ofVirtual().name("run-" + launch.run()).unstarted(this::live);
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public RunId run() {
        return launch.run();
    }

    /// As it stands in the folder: a part that was adopted may not have read that yet.
    @Override
    public HeldRun held() {
        if (phase() == Phase.PREPARED && !files.has(Begun.NAME)) {
            return new HeldRun(run(), Phase.PREPARED);
        }
        return new HeldRun(run(), frozen() ? Phase.SUSPENDED : Phase.RUNNING);
    }

    private boolean frozen() {
        try {
            return Stood.in(files).frozen();
        } catch (IOException e) {
            // The folder goes: the part has ended.
            return false;
        }
    }

    @Override
    public void go() {
        orders.go();
    }

    @Override
    public void stop(Cause cause, Duration grace) {
        if (cause == Cause.AGENT_SHUTDOWN) {
            leaves = true;
        }
        orders.stop(cause, grace);
    }

    @Override
    public void stopWithNotice(Duration grace, String reason) {
        orders.stopWithNotice(Cause.STOPPED, grace, reason);
    }

    @Override
    public void suspend(int nth, Duration grace) {
        orders.suspend(nth, grace);
    }

    @Override
    public void resume() {
        orders.resume();
    }

    boolean holdsAny(Set<String> gpus) {
        return phase() != Phase.ENDED && launch.here().gpus().stream().anyMatch(gpus::contains);
    }

    /// A GPU that it holds has failed. The first fatal failure is the one that is told: a driver
    /// goes on to report what follows from it.
    ///
    /// @param fatal whether it cannot go on
    void gpuFailed(String reason, boolean fatal) {
        try {
            boolean toldFatal =
                    files.kept(GpuFault.NAME, GpuFault.class).filter(GpuFault::fatal).isPresent();
            if (!toldFatal) {
                files.note(GpuFault.NAME, new GpuFault(reason, fatal));
            }
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("GPU failure not spooled");
        }
        if (fatal) {
            stop(Cause.GPU_FAILED, surroundings.killGrace());
        }
    }

    private Phase phase() {
        reporting.lock();
        try {
            return phase;
        } finally {
            reporting.unlock();
        }
    }

    /// What it has used so far; nothing if its code does not run, or nobody counts.
    Optional<RunUsage> used() {
        if (phase() != Phase.RUNNING) {
            return Optional.empty();
        }
        try {
            Group group = group();
            GpuMeter gpus = meter;
            Consumption used = group.usage();
            if (gpus != null) {
                used = gpus.ofPart().map(used::with).orElse(used);
            }
            return Optional.of(new RunUsage(run(), used, StepGroups.now(files, group, liveTasks)))
                    .filter(it -> !it.used().equals(Consumption.NONE));
        } catch (IOException e) {
            // Its group goes: it has just ended.
            return Optional.empty();
        }
    }

    @Override
    public void signal(int signal, SignalTarget target, @Nullable Integer step) {
        reporting(() -> {
            if (phase == Phase.RUNNING && !(signal == Signals.CONTINUE && frozen())) {
                try {
                    if (step == null) {
                        Signals.send(group(), signal, target);
                    } else {
                        StepSignals.send(files, group(), step, signal);
                    }
                } catch (IOException e) {
                    LOG.atWarn().setCause(e).addKeyValue("run", run()).log("Signal not sent");
                }
            }
        });
    }

    /// Waits until its code has the word or never will have it, until then at most.
    ///
    /// @param deadline of [System#nanoTime]
    void awaitBegun(long deadline) throws InterruptedException {
        var unused = decided.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /// Starts a step, if who asks knows the job's key.
    ///
    /// @throws LaunchRefused if it cannot be started
    void startStep(StepRequest request) throws LaunchRefused, IOException, InterruptedException {
        JobSpec spec;
        try {
            spec = surroundings.launcher().specs().read(launch.spec());
        } catch (LaunchRefused e) {
            // Whether who asks knows the key is not known, so that he is not answered.
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("A step was asked for in vain");
            return;
        }
        if (spec.key() == null
                || !request.node().equals(surroundings.node().name())
                || !request.provenBy(spec.key())) {
            LOG.atWarn().addKeyValue("run", run()).log("A step was asked for without proof");
            return;
        }
        starting.lockInterruptibly();
        try {
            Begun begun = files.kept(Begun.NAME, Begun.class).orElse(null);
            if (settling || phase() != Phase.RUNNING || begun == null) {
                throw new LaunchRefused(
                        "the job does not run on node %s%s"
                                .formatted(launch.node(), decided.getCount() > 0 ? " yet" : ""));
            }
            long runsFor = (LiveProcess.uptimeMillis() - begun.uptimeMillis()) / 1000;
            surroundings
                    .launcher()
                    .startStep(
                            surroundings.node(),
                            launch,
                            spec,
                            System.currentTimeMillis() / 1000 - runsFor,
                            files,
                            request);
        } finally {
            starting.unlock();
        }
        LOG.atInfo().addKeyValue("run", run()).log("Step asked for");
    }

    @Override
    public void limit(long seconds) {
        try {
            files.note(TimeLimit.NAME, new TimeLimit(seconds));
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("Time limit not spooled");
        }
        orders.touch();
    }

    @Override
    public void confirm() {
        if (!launch.awaitGo()) {
            orders.go();
        }
        reporting(() -> {
            if (phase == Phase.RUNNING) {
                reports.started(isolation, enforced);
                if (meter != null) {
                    meter.tellUseAgain();
                }
            } else if (phase == Phase.PREPARED && ready) {
                reports.ready();
            }
        });
    }

    /// Waits until it has ended, so long at most.
    void awaitEnd(Duration limit) throws InterruptedException {
        var unused = thread.join(limit);
    }

    /// Lets go of the part; its task goes on.
    void abandon() {
        thread.interrupt();
    }

    private void live() {
        try (var _ = surroundings.launcher().watch().watch(files.folder(), orders::touch)) {
            settle(end());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).addKeyValue("run", run()).log("Run not settled");
        }
    }

    private RunEnd end() throws InterruptedException {
        try {
            RunEnd known = files.kept(RunEnd.NAME, RunEnd.class).orElse(null);
            return known != null ? known : measured(explained(lived()));
        } catch (LaunchRefused e) {
            return RunEnd.unstarted(e.end(), e.getMessage()).draining(e.drain());
        } catch (IOException | RuntimeException | Error e) {
            if (Thread.currentThread().isInterrupted()) {
                // Let go of while it read or wrote a file.
                throw new InterruptedException();
            }
            LOG.atError().setCause(e).addKeyValue("run", run()).log("Run lost");
            return RunEnd.unstarted(
                    files.has(Begun.NAME) ? Cause.STATUS_LOST : Cause.LAUNCH_FAILED,
                    "the agent failed: " + e.getMessage());
        }
    }

    /// With the failure of a GPU, where that may be why it ended.
    private RunEnd explained(RunEnd end) throws IOException {
        boolean touched =
                end.cause() == Cause.GPU_FAILED
                        || (end.cause() == Cause.EXITED && !end.exit().successful());
        Optional<GpuFault> fault =
                touched ? files.kept(GpuFault.NAME, GpuFault.class) : Optional.empty();
        return fault.map(it ->
                        new RunEnd(
                                it.fatal() ? Cause.GPU_FAILED : end.cause(),
                                end.exit(),
                                end.usage(),
                                it.reason()))
                .orElse(end);
    }

    /// With what its GPUs did and which steps it had.
    private RunEnd measured(RunEnd end) throws InterruptedException {
        Consumption used = end.usage();
        if (meter != null) {
            used = meter.end().map(used::with).orElse(used);
        }
        return new RunEnd(end.cause(), end.exit(), used, end.message())
                .with(StepLog.read(files, Begun.NAME, launch.here()));
    }

    private RunEnd lived() throws IOException, LaunchRefused, InterruptedException {
        Optional<String> unfit =
                files.has(Verified.NAME)
                        ? Optional.empty()
                        : surroundings.unfit().apply(launch.here());
        if (unfit.isPresent()) {
            return RunEnd.unstarted(Cause.GPU_FAILED, unfit.get());
        }
        Prepared prepared = prepared();
        Begun begun = files.kept(Begun.NAME, Begun.class).orElse(null);
        boolean first = begun == null;
        if (begun == null) {
            if (!released()) {
                return RunEnd.unstarted(orders.stopping().orElseThrow().cause(), null);
            }
            begun = new Begun(LiveProcess.uptimeMillis());
            files.note(Begun.NAME, begun);
        }
        // Of a run that ended while no agent was there nobody knows when its GPUs stopped.
        if (files.exit().isEmpty()) {
            meter =
                    surroundings
                            .meters()
                            .begin(
                                    launch.here().gpus(),
                                    launch.here().share() == null
                                            ? null
                                            : prepared.group()::members,
                                    files,
                                    first,
                                    reports,
                                    this::frozen);
        }
        files.release();
        reporting(() -> {
            phase = Phase.RUNNING;
            isolation = prepared.isolation();
            enforced = prepared.enforced();
            reports.started(isolation, enforced);
        });
        decided.countDown();
        LaunchSpan.end(surroundings.launcher().spans(), prepared.trace(), launch, ordered);
        var steps = new RunSteps(launch.here(), files, prepared.group(), forSteps());
        try (var _ = new StepPost(launch, files);
                var _ = watchAsks(steps)) {
            return new RunningTask(
                            launch,
                            files,
                            prepared.group(),
                            steps,
                            orders,
                            new Standing(files, prepared.group(), orders, reports),
                            new Checkpoints(files, reports::saved),
                            surroundings.killGrace(),
                            begun.uptimeMillis())
                    .untilEnd();
        }
    }

    private RunSteps.Launching forSteps() {
        Launcher launcher = surroundings.launcher();
        LocalNode node = surroundings.node();
        return new RunSteps.Launching() {
            @Override
            public String intoContainer(Path container, StepCommand srun)
                    throws LaunchRefused, IOException, InterruptedException {
                return launcher.intoContainer(container, node, launch, files, srun);
            }

            @Override
            public void outside(StepCommand srun)
                    throws LaunchRefused, IOException, InterruptedException {
                launcher.outside(node, launch, files, srun);
            }

            @Override
            public List<String> devices(Set<String> gpus) throws LaunchRefused, IOException {
                return launcher.devices(node, launch, gpus);
            }

            @Override
            public IndexSet memoryNodes(IndexSet cpus) {
                IndexSet those =
                        cpus.isEmpty() && !node.virtual()
                                ? node.onHost(launch.here().cpus())
                                : cpus;
                return node.memoryNodes(those);
            }
        };
    }

    /// Wakes the part when a step asks for something. A part without steps has no such folder.
    private SpoolWatch.Registration watchAsks(RunSteps steps) {
        return files.job()
                .watchAsks(
                        surroundings.launcher().watch(),
                        () -> {
                            if (!steps.deaf()) {
                                orders.touch();
                            }
                        });
    }

    /// Prepares the part, or finds it as an earlier agent prepared it.
    private Prepared prepared() throws IOException, LaunchRefused, InterruptedException {
        Launcher launcher = surroundings.launcher();
        Verified verified = files.kept(Verified.NAME, Verified.class).orElse(null);
        if (verified != null) {
            return new Prepared(
                    group(), Set.copyOf(verified.isolation()), verified.enforced(), null);
        }
        Prepared prepared = launcher.prepare(surroundings.node(), launch, files);
        awaitStored();
        if (!launch.awaitGo()) {
            orders.go();
        }
        files.note(
                Verified.NAME,
                new Verified(List.copyOf(prepared.isolation()), prepared.enforced()));
        return prepared;
    }

    /// Nothing is told of a run, and none begins, before its order is on the disk.
    private void awaitStored() throws LaunchRefused, InterruptedException {
        try {
            files.awaitStored();
        } catch (IOException e) {
            throw new LaunchRefused("cannot write the spool: " + e.getMessage(), e);
        }
    }

    /// Waits for the word to go. Whether it came before one to stop. A part that an earlier agent
    /// prepared waits for it in any case: its order may be void by now.
    private boolean released() throws IOException, LaunchRefused, InterruptedException {
        if (launch.awaitGo()) {
            reporting(() -> {
                ready = true;
                reports.ready();
            });
        }
        Suspending answered = null;
        while (orders.stopping().isEmpty()) {
            Suspending asked = orders.suspending().orElse(null);
            if (asked == null && orders.released()) {
                return true;
            }
            if (asked != null && !asked.equals(answered)) {
                // What has not begun stands still already.
                answered = asked;
                reports.suspended(asked.nth());
            }
            if (!RunningTask.shimLives(files)) {
                throw new LaunchRefused("the run's shim died before the word to go");
            }
            orders.await(TICK_MILLIS);
        }
        return false;
    }

    /// Empties and removes the group, then reports.
    private void settle(RunEnd lived) throws InterruptedException {
        if (meter != null) {
            surroundings.meters().over(meter);
        }
        starting.lockInterruptibly();
        settling = true;
        starting.unlock();
        decided.countDown();
        Group group = group();
        Emptying.untilEmpty(group, run());
        try {
            files.keep(RunEnd.NAME, lived);
        } catch (IOException e) {
            // Reported all the same; only a restart before that would have to find it out again.
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("End of run not spooled");
        }
        Emptying.untilRemoved(group, run());
        files.job().release();
        RunEnd end = lived.draining(surroundings.launcher().hooks().after(files).orElse(null));
        LOG.atInfo()
                .addKeyValue("run", run())
                .addKeyValue("node", surroundings.node().name())
                .addKeyValue("cause", end.cause())
                .addKeyValue("exit", end.exit())
                .addKeyValue("message", end.message())
                .log("Run ended");
        surroundings.ended().accept(end);
        reporting(() -> {
            phase = Phase.ENDED;
            reports.ended(end, leaves, this::remove);
        });
    }

    private Group group() {
        return surroundings.launcher().groups().find(surroundings.node().name(), run());
    }

    private void remove() {
        try {
            files.remove();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("Run's folder not removed");
        }
        surroundings.gone().accept(run());
    }

    private void reporting(Runnable change) {
        reporting.lock();
        try {
            change.run();
        } finally {
            reporting.unlock();
        }
    }
}
