package io.berth.agent;

import io.berth.agent.RunPart.Surroundings;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.LocalNode;
import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.OutputReading;
import io.berth.agent.launch.Outputs;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The runs on one node, from the order to launch them until their end stands in the log.
final class NodeRuns implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeRuns.class);

    /// Steps that are told at once.
    private static final int MOST_STEPS = 500;

    /// By which a run is here that others say is: they read of its order in another topic, or the
    /// node is just registering.
    private static final Duration ORDERED_WITHIN = Duration.ofSeconds(5);

    private final Spool spool;
    private final String bootId;
    private final Surroundings surroundings;

    /// By UUID, the whole GPU that each GPU or instance is, or is part of, also of those that the
    /// node does not have any more: runs may still hold them.
    private final Map<String, String> physical = new ConcurrentHashMap<>();

    private final ConcurrentSkipListMap<RunId, RunPart> parts = new ConcurrentSkipListMap<>();

    private final ReentrantLock ordering = new ReentrantLock();

    /// A run is among the parts that was not.
    private final Condition ordered = ordering.newCondition();

    /// Takes up what an earlier agent left in the spool.
    ///
    /// @param now the node as it is now
    /// @param ended called when a run's part has ended
    /// @param unfit why one of the GPUs or other devices of a part cannot be had
    NodeRuns(
            Supplier<LocalNode> now,
            Spool spool,
            String bootId,
            Launcher launcher,
            Outbox outbox,
            Duration killGrace,
            GpuMeters meters,
            Consumer<RunEnd> ended,
            Function<Allocation, Optional<String>> unfit)
            throws IOException {
        know(now.get().inventory());
        this.spool = spool;
        this.bootId = bootId;
        this.surroundings =
                new Surroundings(
                        now,
                        launcher,
                        outbox,
                        killGrace,
                        ended,
                        run -> parts.remove(run),
                        unfit,
                        meters);
        var adoption = new Adoption(now.get().name(), bootId, launcher.groups(), launcher.hooks());
        for (RunFiles files : spool.all()) {
            adoption.of(files).ifPresent(launch -> begin(launch, files));
        }
    }

    /// The node has these GPUs from now on.
    void know(Inventory inventory) {
        inventory.gpus().forEach(gpu -> physical.put(gpu.uuid(), FoundGpus.physical(gpu)));
    }

    List<HeldRun> held() {
        return parts.values().stream().map(RunPart::held).toList();
    }

    /// Whether there is a run of the job, which may still write.
    boolean has(JobId job) {
        return parts.keySet().stream().anyMatch(run -> run.job().equals(job));
    }

    /// Where a job wrote here; nothing if it did not run here, or too long ago.
    Optional<Outputs.Kept> wrote(JobId job) throws IOException {
        return spool.outputs().of(job);
    }

    /// What a job wrote here, read under its account.
    ///
    /// @param from the first byte; negative counts from the end
    /// @throws LaunchRefused if its account is gone
    OutputReading output(Outputs.Kept wrote, boolean error, long from)
            throws LaunchRefused, IOException, InterruptedException {
        return surroundings.launcher().read(wrote, error, from);
    }

    /// A run that begins or ends, once it has done so or the time is over: it may still be
    /// prepared. Of a run that is not here, nor is ordered soon, nobody can tell.
    ///
    /// @param deadline of [System#nanoTime]
    Optional<RunPart> awaitBegun(RunId run, long deadline) throws InterruptedException {
        Optional<RunPart> part = awaitOrder(run, deadline);
        if (part.isPresent()) {
            part.get().awaitBegun(deadline);
        }
        return part;
    }

    private Optional<RunPart> awaitOrder(RunId run, long deadline) throws InterruptedException {
        long left = Math.min(ORDERED_WITHIN.toNanos(), deadline - System.nanoTime());
        ordering.lockInterruptibly();
        try {
            while (part(run).isEmpty() && left > 0) {
                left = ordered.awaitNanos(left);
            }
        } finally {
            ordering.unlock();
        }
        return part(run);
    }

    GpuMeters meters() {
        return surroundings.meters();
    }

    List<RunId> ids() {
        return List.copyOf(parts.keySet());
    }

    /// What those whose code runs have used so far.
    List<RunUsage> used() {
        return told(parts.values().stream().flatMap(part -> part.used().stream()).toList());
    }

    /// As much of it as a record takes: a step may tell near to 1 KiB of itself, and each run tells
    /// of as many.
    static List<RunUsage> told(List<RunUsage> all) {
        int each = Math.max(1, MOST_STEPS / Math.max(1, all.size()));
        return all.stream()
                .map(it ->
                        new RunUsage(it.run(), it.used(), it.steps().stream().limit(each).toList()))
                .toList();
    }

    /// Begins a run, whose order is in the spool then. One that is there already is confirmed.
    void launch(Launch launch) {
        RunPart known = parts.get(launch.run());
        if (known != null) {
            known.confirm();
            return;
        }
        try {
            begin(launch, spool.intend(launch, bootId));
            LOG.atInfo()
                    .addKeyValue("run", launch.run())
                    .addKeyValue("node", launch.node())
                    .log("Run ordered");
        } catch (ClosedByInterruptException e) {
            throw new IllegalStateException("stopped before spooling run " + launch.run(), e);
        } catch (IOException e) {
            refuse(launch, "cannot write the spool: " + e.getMessage());
        }
    }

    void go(RunId run) {
        part(run).ifPresent(RunPart::go);
    }

    void stop(Order.Stop order) {
        Duration grace = Duration.ofSeconds(order.graceSeconds());
        boolean notice = Boolean.TRUE.equals(order.notice()) && grace.isPositive();
        part(order.run())
                .ifPresent(part -> {
                    if (notice) {
                        part.stopWithNotice(grace, order.because().name());
                    } else {
                        part.stop(Cause.STOPPED, grace);
                    }
                });
    }

    void signal(Order.Signal order) {
        part(order.run())
                .ifPresent(part -> part.signal(order.signal(), order.target(), order.step()));
    }

    void suspend(Order.Suspend order) {
        part(order.run())
                .ifPresent(part ->
                        part.suspend(order.nth(), Duration.ofSeconds(order.graceSeconds())));
    }

    void resume(RunId run) {
        part(run).ifPresent(RunPart::resume);
    }

    /// @param seconds from the run's start; 0 is unlimited
    void limit(RunId run, long seconds) {
        part(run).ifPresent(part -> part.limit(seconds));
    }

    /// The wanted runs go on, from where placement was told that they are; the others are ended.
    void keepOnly(Set<RunId> wanted, List<HeldRun> told) {
        for (RunPart part : parts.values()) {
            if (wanted.contains(part.run())) {
                if (!told.contains(new HeldRun(part.run(), HeldRun.Phase.SUSPENDED))) {
                    part.resume();
                }
                part.confirm();
            } else {
                part.stop(Cause.STOPPED, surroundings.killGrace());
            }
        }
    }

    /// A GPU has failed: the runs on it are told.
    ///
    /// @param fatal whether they cannot go on
    void gpuFailed(String uuid, String reason, boolean fatal) {
        parts.values().stream()
                .filter(part -> part.holdsAny(onGpu(uuid)))
                .forEach(part -> part.gpuFailed(reason, fatal));
    }

    /// Whether a run holds that GPU or an instance of it.
    boolean holds(String uuid) {
        Set<String> those = onGpu(uuid);
        return parts.values().stream().anyMatch(part -> part.holdsAny(those));
    }

    /// The GPU itself, or its instances.
    private Set<String> onGpu(String uuid) {
        return physical.entrySet().stream()
                .filter(it -> it.getValue().equals(uuid))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /// Ends all runs at once: the node is cut off.
    void fence() {
        parts.values().forEach(part -> part.stop(Cause.STATUS_LOST, Duration.ZERO));
    }

    /// Begins to end all runs, as the agent goes.
    void stopAll() {
        parts.values().forEach(part -> part.stop(Cause.AGENT_SHUTDOWN, surroundings.killGrace()));
    }

    /// Waits until all have ended, until then at most.
    ///
    /// @param deadline of [System#nanoTime]
    void awaitEnds(long deadline) throws InterruptedException {
        for (RunPart part : parts.values()) {
            part.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
    }

    /// Lets go of the runs, which go on.
    @Override
    public void close() throws IOException {
        parts.values().forEach(RunPart::abandon);
        surroundings.launcher().groups().removeEmptyParents(surroundings.node().name());
        spool.close();
    }

    private Optional<RunPart> part(RunId run) {
        return Optional.ofNullable(parts.get(run));
    }

    private void begin(Launch launch, RunFiles files) {
        var part = new RunPart(surroundings, launch, files);
        parts.put(launch.run(), part);
        part.start();
        ordering.lock();
        try {
            ordered.signalAll();
        } finally {
            ordering.unlock();
        }
    }

    /// A launch that cannot even be spooled.
    private void refuse(Launch launch, String why) {
        surroundings
                .outbox()
                .add(
                        (epoch, applied) ->
                                new RunReport.Ended(
                                        launch.run(),
                                        launch.node(),
                                        epoch,
                                        applied,
                                        Cause.LAUNCH_FAILED,
                                        ExitStatus.SUCCESS,
                                        Consumption.NONE,
                                        why),
                        () -> {});
    }
}
