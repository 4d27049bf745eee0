package io.berth.accounting;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Publishes the revisions of the configuration that were stored, soon after they were made, and
/// whatever an instance that went away left untold.
@ApplicationScoped
class ConfigurationLoop {

    private static final Logger LOG = Logger.getLogger(ConfigurationLoop.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ClusterConfiguration configuration;
    private volatile boolean stopping;
    private boolean failing;
    private @Nullable Thread thread;

    ConfigurationLoop(ClusterConfiguration configuration) {
        this.configuration = configuration;
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
        while (!stopping) {
            try {
                configuration.catchUp(INTERVAL);
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
