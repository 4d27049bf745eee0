package io.berth.accounting;

import io.berth.accounting.cluster.ReservationUpkeep;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Publishes the revisions of the configuration that were stored, soon after they were made, and
/// whatever an instance that went away left untold; and looks after reservations.
@ApplicationScoped
class ConfigurationLoop {

    private static final Logger LOG = Logger.getLogger(ConfigurationLoop.class);

    /// What is made here is published at once; it is looked so often for what others left.
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration UPKEEP = Duration.ofSeconds(10);

    private final ClusterConfiguration configuration;
    private final SharesLoop shares;
    private volatile boolean stopping;
    private boolean failing;
    private @Nullable Thread thread;

    ConfigurationLoop(ClusterConfiguration configuration, SharesLoop shares) {
        this.configuration = configuration;
        this.shares = shares;
    }

    synchronized void start() {
        if (thread == null) {
            stopping = false;
            thread = Thread.ofPlatform().name("configuration").start(this::run);
        }
    }

    synchronized void stop() {
        if (thread != null) {
            stopping = true;
            Threads.end(thread);
            thread = null;
        }
    }

    private void run() {
        var upkeep = new ReservationUpkeep();
        long kept = System.nanoTime();
        while (!stopping) {
            try {
                if (configuration.catchUp(failing ? AGAIN : INTERVAL)) {
                    // Readers forget by the new half-life what they read before.
                    shares.soon();
                }
                if (System.nanoTime() - kept >= UPKEEP.toNanos()) {
                    kept = System.nanoTime();
                    configuration.keepUp(upkeep);
                }
                failing = false;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                if (!failing) {
                    LOG.warnf("The configuration is not published now: %s", Causes.words(e));
                }
                failing = true;
            }
        }
    }
}
