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
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.event.Order.Launch;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The runs on one node, and what they leave there.
final class NodeRuns implements Closeable {

    /// Steps that are told at once.
    private static final int MOST_STEPS = 500;

    /// By which a run is here that others say is: they read of its order in another topic, or the
    /// node is just registering.
    private static final Duration ORDERED_WITHIN = Duration.ofSeconds(5);

    private final Spool spool;
    private final Surroundings surroundings;

    /// By UUID, the whole GPU that each GPU or instance is, or is part of, also of those that the
    /// node does not have any more: runs may still hold them.
    private final Map<String, String> physical = new ConcurrentHashMap<>();

    private final OrderedRuns<RunPart> ordered;

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
        this.ordered =
                new OrderedRuns<>(
                        launch -> part(launch, spool.intend(launch, bootId)), outbox, killGrace);
        this.surroundings =
                new Surroundings(
                        now, launcher, outbox, killGrace, ended, ordered::forget, unfit, meters);
        var adoption = new Adoption(now.get().name(), bootId, launcher.groups(), launcher.hooks());
        for (RunFiles files : spool.all()) {
            adoption.of(files).ifPresent(launch -> ordered.add(part(launch, files)));
        }
    }

    /// The node has these GPUs from now on.
    void know(Inventory inventory) {
        inventory.gpus().forEach(gpu -> physical.put(gpu.uuid(), FoundGpus.physical(gpu)));
    }

    /// The runs as they are ordered.
    OrderedRuns<RunPart> ordered() {
        return ordered;
    }

    /// Whether there is a run of the job, which may still write.
    boolean has(JobId job) {
        return ordered.ids().stream().anyMatch(run -> run.job().equals(job));
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
        long left = Math.min(ORDERED_WITHIN.toNanos(), deadline - System.nanoTime());
        Optional<RunPart> part = ordered.await(run, left);
        if (part.isPresent()) {
            part.get().awaitBegun(deadline);
        }
        return part;
    }

    GpuMeters meters() {
        return surroundings.meters();
    }

    /// What those whose code runs have used so far.
    List<RunUsage> used() {
        return told(ordered.all().stream().flatMap(part -> part.used().stream()).toList());
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

    /// A GPU, or an instance of one, has failed: the runs on it are told.
    ///
    /// @param fatal whether they cannot go on
    void gpuFailed(String uuid, String reason, boolean fatal) {
        ordered.all().stream()
                .filter(part -> part.holdsAny(onGpu(uuid)))
                .forEach(part -> part.gpuFailed(reason, fatal));
    }

    /// Whether a run holds that GPU or an instance of it.
    boolean holds(String uuid) {
        Set<String> those = onGpu(uuid);
        return ordered.all().stream().anyMatch(part -> part.holdsAny(those));
    }

    /// The GPU or instance itself, and the GPU's instances.
    private Set<String> onGpu(String uuid) {
        return physical.entrySet().stream()
                .filter(it -> it.getKey().equals(uuid) || it.getValue().equals(uuid))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /// Waits until all have ended, until then at most.
    ///
    /// @param deadline of [System#nanoTime]
    void awaitEnds(long deadline) throws InterruptedException {
        for (RunPart part : ordered.all()) {
            part.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
    }

    /// Lets go of the runs, which go on.
    @Override
    public void close() throws IOException {
        ordered.all().forEach(RunPart::abandon);
        surroundings.launcher().groups().removeEmptyParents(surroundings.node().name());
        spool.close();
    }

    private RunPart part(Launch launch, RunFiles files) {
        return new RunPart(surroundings, launch, files);
    }
}
