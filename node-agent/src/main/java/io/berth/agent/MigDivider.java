package io.berth.agent;

import io.berth.agent.nvml.MigDriver;
import io.berth.agent.nvml.NvmlFailure;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.event.Order;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Divides GPUs in MIG mode, one after the other, on a thread of its own: the driver takes its
/// time, and a sick GPU may hang it. Nothing of it is kept: who starts after a crash reads from the
/// driver what is.
final class MigDivider implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(MigDivider.class);

    /// A run that the last Sync did not want may be on its way out still.
    private static final Duration EMPTIES_WITHIN = Duration.ofSeconds(2);

    private static final long TICK_MILLIS = 50;

    /// Reads what the machine has.
    interface Reading {
        HostInventory read() throws IOException;
    }

    /// Takes what has become of a GPU.
    interface Result {

        /// @param now what the machine has; null if that cannot be read
        /// @param failure why the GPU is not as it was ordered; null if it is
        void divided(String gpu, @Nullable HostInventory now, @Nullable String failure);
    }

    private final MigDriver driver;
    private final Predicate<String> held;
    private final Reading reading;
    private final Result result;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name("mig").daemon().factory());

    /// @param held whether a run holds that GPU or an instance of it
    MigDivider(MigDriver driver, Predicate<String> held, Reading reading, Result result) {
        this.driver = driver;
        this.held = held;
        this.reading = reading;
        this.result = result;
    }

    /// Begins to obey an order; the result is told in any case.
    void begin(Order.Partition order) {
        thread.execute(() -> obey(order));
    }

    /// Reads the machine when what was ordered before is done.
    ///
    /// @param result takes what it has; null if that cannot be read
    void read(Consumer<@Nullable HostInventory> result) {
        thread.execute(() -> result.accept(read()));
    }

    /// Does something else with the driver when what was ordered before is done.
    Future<?> also(Runnable what) {
        return thread.submit(what);
    }

    private @Nullable HostInventory read() {
        try {
            return reading.read();
        } catch (IOException | RuntimeException e) {
            LOG.atWarn().setCause(e).log("What the machine has cannot be read");
            return null;
        }
    }

    private void obey(Order.Partition order) {
        String failure = failure(order);
        HostInventory now = read();
        if (now == null) {
            failure = "what the machine has cannot be read";
        }
        var log = failure == null ? LOG.atInfo() : LOG.atWarn();
        log.addKeyValue("gpu", order.gpu())
                .addKeyValue("into", MigPlacement.words(order.instances()))
                .addKeyValue("failure", failure)
                .log(failure == null ? "GPU divided" : "GPU not divided");
        result.divided(order.gpu(), now, failure);
    }

    private @Nullable String failure(Order.Partition order) {
        try {
            if (!empty(order.gpu())) {
                return "a run holds an instance of it";
            }
            driver.divide(order.gpu(), order.instances());
            return null;
        } catch (NvmlFailure e) {
            return e.reason();
        } catch (RuntimeException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private boolean empty(String gpu) throws InterruptedException {
        long deadline = System.nanoTime() + EMPTIES_WITHIN.toNanos();
        while (held.test(gpu)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Thread.sleep(TICK_MILLIS);
        }
        return true;
    }

    /// Lets what is going on come to its end, for a moment.
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                LOG.warn("A GPU is still being divided");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
