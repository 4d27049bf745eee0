package io.berth.placement;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.NodeScore;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.Fatal;
import io.berth.placement.kafka.HeartbeatReader;
import io.berth.placement.kafka.Recovery;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the cell led: one tenure after the other, each from the log alone. A fatal error ends the
/// process, so that whoever runs it sees it.
@ApplicationScoped
public class PlacementLoop {

    private static final Logger LOG = LoggerFactory.getLogger(PlacementLoop.class);

    private final KafkaConnection kafka;
    private final PlacementConfig config;
    private final LogConfig logConfig;
    private final CellLog log;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile boolean leading;

    PlacementLoop(
            @ConfigProperty(name = "kafka.bootstrap.servers") String bootstrapServers,
            PlacementConfig config,
            LogConfig logConfig) {
        this.kafka = new KafkaConnection(bootstrapServers);
        this.config = config;
        this.logConfig = logConfig;
        this.log = new CellLog(config.cell(), logConfig.nodePartitions());
        this.thread = Thread.ofPlatform().name("placement").unstarted(this::run);
    }

    void start(@Observes StartupEvent event) {
        thread.start();
    }

    void stop(@Observes ShutdownEvent event) throws InterruptedException {
        stopped = true;
        thread.join(TimeUnit.SECONDS.toMillis(10));
    }

    /// Whether the cell is led from here now.
    public boolean leading() {
        return leading;
    }

    private void run() {
        while (!stopped) {
            try {
                declareTopics();
                tenure();
            } catch (Fatal e) {
                LOG.atError()
                        .addKeyValue("cell", log.cell())
                        .log("Placement stops: {}", e.getMessage());
                Quarkus.asyncExit(1);
                return;
            } catch (RuntimeException e) {
                if (!stopped) {
                    LOG.atWarn()
                            .setCause(e)
                            .addKeyValue("cell", log.cell())
                            .log("Tenure ended, starting another");
                    pause();
                }
            } finally {
                leading = false;
            }
        }
    }

    private void declareTopics() {
        var written = new ArrayList<Topic<?>>(Topics.writtenBy(CellLog.SERVICE));
        written.add(Topics.deadLetters(CellLog.SERVICE));
        try (Admin admin = kafka.admin()) {
            new TopicDeclarations(
                            logConfig.cells(), logConfig.nodePartitions(), logConfig.replicas())
                    .create(admin, List.copyOf(written));
        }
    }

    private void tenure() {
        var recovered = Recovery.recover(kafka, log);
        try (var heartbeats =
                        new HeartbeatWatch(
                                () -> new HeartbeatReader(kafka, log),
                                config.silentAfter(),
                                config.nodeTimeout());
                var tenure =
                        new Tenure(
                                recovered,
                                heartbeats,
                                config.schedMinInterval(),
                                new Settings(
                                        config.backfill(),
                                        config.bfMaxJobTest(),
                                        NodeScore.BEST_FIT))) {
            leading = true;
            LOG.atInfo()
                    .addKeyValue("cell", log.cell())
                    .addKeyValue("round", recovered.last().round())
                    .addKeyValue("jobs", recovered.state().jobs().size())
                    .log("Leading");
            tenure.lead(() -> stopped);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
