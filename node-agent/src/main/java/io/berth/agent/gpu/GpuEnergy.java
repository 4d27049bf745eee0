package io.berth.agent.gpu;

import java.io.Closeable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The one thread that reads the energy counters of one vendor's GPUs in a machine, in the order in
/// which it is asked. A GPU that hangs may hang it: who asks waits as long as he likes.
public final class GpuEnergy implements Closeable {

    /// How many readings may wait for a GPU that hangs.
    private static final int MOST_WAITING = 256;

    private final EnergyCounters counters;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MOST_WAITING),
                    Thread.ofPlatform().name("gpu-energy").daemon().factory());

    public GpuEnergy(EnergyCounters counters) {
        this.counters = counters;
    }

    /// Whether it counts what that GPU takes.
    public boolean has(String uuid) {
        return counters.has(uuid);
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
