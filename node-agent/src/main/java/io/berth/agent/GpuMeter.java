package io.berth.agent;

import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.GpuSample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a run's GPUs do while its code runs. Energy is the difference of their counters at its end
/// and at its begin, which is in the run's folder: an agent's restart does not matter to it. Use
/// and memory are those of the samples that this agent saw while the run did not stand still, each
/// weighted by the time since the one before. Of a run that holds a part of a GPU they are those of
/// its own processes, where the driver tells; all else is the whole GPU's.
final class GpuMeter {

    private static final Logger LOG = LoggerFactory.getLogger(GpuMeter.class);

    /// How long the end of a run waits for the driver.
    private static final long PATIENCE_MILLIS = 1000;

    private static final int ALL = 100;

    /// Reads the energy counters of GPUs, by UUID in millijoules: of those that have one.
    interface Counters {
        CompletableFuture<Map<String, Long>> read(Collection<String> uuids);
    }

    /// The processes of a run, by number.
    interface Members {
        Set<Long> now() throws IOException;
    }

    /// The counters at the begin.
    record Start(Map<String, Long> millijoules) {
        static final String NAME = "gpu-energy";
    }

    private static final class Seen {
        private long nanos;
        private double worked;
        private long maxMemoryMib = -1;
    }

    private final List<String> gpus;
    private final @Nullable Members part;
    private final RunFiles files;
    private final Counters counters;
    private final GpuUse use;
    private final BooleanSupplier still;
    private final Map<String, Seen> seen = new TreeMap<>();
    private CompletableFuture<?> noted = CompletableFuture.completedFuture(null);
    private long sampledAt;

    /// @param part the processes of a run that holds a part of a GPU; null for one with whole ones
    /// @param still whether the run stands still
    GpuMeter(
            List<String> gpus,
            @Nullable Members part,
            RunFiles files,
            Counters counters,
            GpuUse use,
            BooleanSupplier still) {
        this.gpus = gpus;
        this.part = part;
        this.files = files;
        this.counters = counters;
        this.use = use;
        this.still = still;
    }

    /// The code begins now, or goes on under another agent than the one that began it.
    ///
    /// @param now of [System#nanoTime]
    void begin(boolean first, long now) {
        synchronized (this) {
            sampledAt = now;
        }
        if (first && !gpus.isEmpty()) {
            noted = counters.read(gpus).thenAccept(this::note);
        }
    }

    private void note(Map<String, Long> millijoules) {
        try {
            if (millijoules.keySet().containsAll(gpus)) {
                files.note(Start.NAME, new Start(millijoules));
            }
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Energy not noted");
        }
    }

    /// GPUs of the node did that. Those of another vendor have samples of their own, of which
    /// nothing here is the run's.
    ///
    /// @param now of [System#nanoTime], at which they did
    synchronized void sampled(List<Reading> readings, long now) {
        if (readings.stream().noneMatch(it -> gpus.contains(it.sample().uuid()))) {
            return;
        }
        long since = now - sampledAt;
        sampledAt = now;
        if (still.getAsBoolean()) {
            return;
        }
        var uses = new ArrayList<Integer>();
        for (Reading reading : readings) {
            String gpu = reading.sample().uuid();
            if (gpus.contains(gpu)) {
                Seen one = seen.computeIfAbsent(gpu, _ -> new Seen());
                Own own = own(reading);
                if (own.use() != null) {
                    uses.add(own.use());
                    one.nanos += since;
                    one.worked += (double) since * own.use();
                }
                if (own.memoryMib() != null) {
                    one.maxMemoryMib = Math.max(one.maxMemoryMib, own.memoryMib());
                }
            }
        }
        uses.stream().mapToInt(Integer::intValue).average().ifPresent(mean -> use.saw(since, mean));
    }

    /// What of a reading is the run's.
    private record Own(@Nullable Integer use, @Nullable Long memoryMib) {}

    /// Of a part of a GPU what its processes do. Where the driver does not tell what each one uses,
    /// the use is that of the whole GPU.
    private Own own(Reading reading) {
        GpuSample sample = reading.sample();
        if (part == null) {
            return new Own(sample.use(), sample.memoryUsedMib());
        }
        try {
            Set<Long> members = part.now();
            return new Own(
                    reading.use() == null ? sample.use() : use(reading.use(), members),
                    memory(reading.memory(), members));
        } catch (IOException e) {
            // Its group goes: it has just ended.
            return new Own(null, null);
        }
    }

    private static Integer use(Map<Long, Integer> percent, Set<Long> members) {
        int sum = 0;
        for (Map.Entry<Long, Integer> each : percent.entrySet()) {
            sum += members.contains(each.getKey()) ? each.getValue() : 0;
        }
        return Math.min(sum, ALL);
    }

    /// Null if that is not known of all.
    private static @Nullable Long memory(List<ProcessMemory> each, Set<Long> members) {
        long sum = 0;
        for (ProcessMemory one : each) {
            if (members.contains(one.process())) {
                if (one.mib() == null) {
                    return null;
                }
                sum += one.mib();
            }
        }
        return sum;
    }

    /// Tells again whether the run uses them, under the lock under which that changes.
    synchronized void tellUseAgain() {
        use.tellAgain();
    }

    /// What they did up to now, after the last of the code; nothing if nothing was measured.
    Optional<GpuConsumption> end() throws InterruptedException {
        return with(energy());
    }

    /// What those of which the run holds a part have done so far, but for energy; nothing of whole
    /// ones, whose samples tell it.
    Optional<GpuConsumption> ofPart() {
        return part == null ? Optional.empty() : with(null);
    }

    private synchronized Optional<GpuConsumption> with(@Nullable Long energy) {
        OptionalDouble use =
                seen.values().stream()
                        .filter(it -> it.nanos > 0)
                        .mapToDouble(it -> it.worked / it.nanos)
                        .average();
        long memory = seen.values().stream().mapToLong(it -> it.maxMemoryMib).max().orElse(-1);
        if (energy == null && use.isEmpty() && memory < 0) {
            return Optional.empty();
        }
        return Optional.of(
                new GpuConsumption(
                        gpus.size(),
                        use.isEmpty() ? null : (int) Math.round(use.getAsDouble()),
                        memory < 0 ? null : memory,
                        energy));
    }

    /// Null if a counter is not known at both times, or goes backwards, as after the driver was
    /// loaded anew.
    private @Nullable Long energy() throws InterruptedException {
        Map<String, Long> before = await(noted.thenApply(_ -> before()));
        if (before.isEmpty()) {
            return null;
        }
        Map<String, Long> now = await(counters.read(gpus));
        long sum = 0;
        for (Map.Entry<String, Long> each : before.entrySet()) {
            Long after = now.get(each.getKey());
            if (after == null || after < each.getValue()) {
                return null;
            }
            sum += after - each.getValue();
        }
        return sum;
    }

    private Map<String, Long> before() {
        try {
            return files.kept(Start.NAME, Start.class).map(Start::millijoules).orElse(Map.of());
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", files.run()).log("Energy not known");
            return Map.of();
        }
    }

    private Map<String, Long> await(CompletableFuture<Map<String, Long>> reading)
            throws InterruptedException {
        try {
            return reading.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("run", files.run())
                    .addKeyValue("gpus", gpus)
                    .log("Energy not read");
            return Map.of();
        }
    }
}
