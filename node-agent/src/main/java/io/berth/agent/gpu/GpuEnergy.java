package io.berth.agent.gpu;

import io.berth.agent.nvml.NvmlEnergy;
import io.berth.agent.nvml.NvmlFailure;
import java.io.Closeable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that reads the energy counters of a machine's NVIDIA GPUs, in the order in which
/// it is asked. A GPU that hangs may hang it: who asks waits as long as he likes.
public final class GpuEnergy implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(GpuEnergy.class);

    /// How many readings may wait for a GPU that hangs.
    private static final int MOST_WAITING = 256;

    private final NvmlEnergy counters;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MOST_WAITING),
                    Thread.ofPlatform().name("gpu-energy").daemon().factory());

    private GpuEnergy(NvmlEnergy counters) {
        this.counters = counters;
    }

    /// Opens the counters of a machine, if it has any.
    ///
    /// @param library the driver's library, by name or path
    public static Optional<GpuEnergy> open(String library) {
        try {
            return NvmlEnergy.open(library).map(GpuEnergy::new);
        } catch (NvmlFailure e) {
            LOG.atWarn().addKeyValue("cause", e.reason()).log("Energy of GPUs is not counted");
            return Optional.empty();
        }
    }

    /// The counters of those of the GPUs that have one, by UUID, in millijoules.
    public CompletableFuture<Map<String, Long>> read(Collection<String> uuids) {
        List<String> wanted = List.copyOf(uuids);
        try {
            return CompletableFuture.supplyAsync(() -> counters.read(wanted), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(Map.of());
        }
    }

    @Override
    public void close() {
        thread.execute(counters::close);
        thread.shutdown();
    }
}
