package io.berth.placement;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.packing.Policies;
import io.berth.core.replay.Replay;
import io.berth.log.Clocks;
import io.berth.log.Election;
import io.berth.log.Failures;
import io.berth.log.KafkaConnection;
import io.berth.log.Pulse;
import io.berth.log.SigningKey;
import io.berth.log.TopicDeclarations;
import io.berth.log.trace.SpanExporter;
import io.berth.log.trace.Spans;
import io.berth.placement.kafka.CellLog;
import io.berth.placement.kafka.Fatal;
import io.berth.placement.kafka.Fenced;
import io.berth.placement.kafka.HeartbeatReader;
import io.berth.placement.kafka.Outdated;
import io.berth.placement.kafka.Recovered;
import io.berth.placement.kafka.Snapshots;
import io.berth.placement.kafka.Standby;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidSessionTimeoutException;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the cell led, by this instance or another: stands by and follows until it is elected, then
/// leads until it is fenced, loses the election, or cannot write. Each tenure begins from the log
/// alone; memory is never repaired. A fatal error ends the process, so that whoever runs it sees
/// it.
@ApplicationScoped
public class PlacementLoop {

    private static final Logger LOG = LoggerFactory.getLogger(PlacementLoop.class);
    private static final Duration POLL = Duration.ofMillis(100);

    /// A loop that does not turn for so long is wedged: another instance shall lead.
    private static final Duration WEDGED = Duration.ofSeconds(10);

    /// A leader may take so long to end its round.
    private static final Duration LAST_ROUND = Duration.ofSeconds(5);

    private final KafkaConnection kafka;
    private final PlacementConfig config;
    private final LogConfig logConfig;
    private final CellMeters meters;
    private final String version;
    private final CellLog log;
    private final Spans spans;
    private final Faults faults;
    private final Pulse pulse = new Pulse();
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Role role = Role.STARTING;
    private String lastFailure = "";

    PlacementLoop(
            KafkaConnection kafka,
            PlacementConfig config,
            LogConfig logConfig,
            CellMeters meters,
            @ConfigProperty(name = "quarkus.application.version") String version) {
        this.version = Replay.version(version);
        this.kafka = kafka;
        this.config = config;
        this.logConfig = logConfig;
        this.meters = meters;
        this.faults = new Faults(meters);
        this.log = new CellLog(config.cell(), logConfig.nodePartitions(), key(config));
        this.spans =
                config.tracesEndpoint()
                        .<Spans>map(it -> new SpanExporter(it, CellLog.SERVICE))
                        .orElse(Spans.NONE);
        this.thread = Thread.ofPlatform().name("placement").unstarted(this::run);
    }

    private static Optional<SigningKey> key(PlacementConfig config) {
        return config.signingKey()
                .map(file -> {
                    try {
                        return SigningKey.of(file, file.resolveSibling("placement-keys"));
                    } catch (IOException e) {
                        throw new UncheckedIOException("cannot use berth.placement.signing-key", e);
                    }
                });
    }

    void start(@Observes StartupEvent event) {
        start();
    }

    void stop(@Observes ShutdownEvent event) throws InterruptedException {
        stop();
    }

    void start() {
        thread.start();
    }

    /// Ends the round, or the reading, and leaves the election. What only waits is broken off.
    void stop() throws InterruptedException {
        stopped = true;
        if (role == Role.STARTING || !thread.join(LAST_ROUND)) {
            thread.interrupt();
        }
        thread.join(LAST_ROUND);
        spans.close();
    }

    Role role() {
        return role;
    }

    /// Whether the loop turns, or waits as it should.
    boolean alive() {
        return pulse.alive();
    }

    private void run() {
        while (!stopped) {
            try {
                pulse.waits();
                declareTopics();
                stand();
            } catch (Fatal | InvalidSessionTimeoutException e) {
                LOG.atError()
                        .addKeyValue("cell", log.cell())
                        .log("Placement stops: {}", e.getMessage());
                Quarkus.asyncExit(1);
                return;
            } catch (Outdated e) {
                outdated(String.valueOf(e.getMessage()));
            } catch (Fenced e) {
                LOG.atWarn().addKeyValue("cell", log.cell()).log("Fenced: {}", e.getMessage());
            } catch (RuntimeException e) {
                if (!stopped) {
                    tell(e);
                    pause();
                }
            } finally {
                role = Role.STARTING;
            }
        }
        pulse.ended();
    }

    /// Once, as one who is not let in fails twice a second. Kafka's words say what there is to say,
    /// and those of its causes.
    private void tell(RuntimeException failure) {
        boolean ofTheLog = failure instanceof KafkaException;
        String why = ofTheLog ? Failures.words(failure) : failure.toString();
        if (!why.equals(lastFailure)) {
            LOG.atWarn()
                    .setCause(ofTheLog ? null : failure)
                    .addKeyValue("cell", log.cell())
                    .log("Tenure ended, standing for election again: {}", why);
        }
        lastFailure = why;
    }

    private void declareTopics() {
        var written = new ArrayList<Topic<?>>(Topics.writtenBy(CellLog.SERVICE));
        written.add(Topics.deadLetters(CellLog.SERVICE));
        written.add(Topics.ELECTIONS);
        try (Admin admin = kafka.admin()) {
            new TopicDeclarations(
                            logConfig.cells(), logConfig.nodePartitions(), logConfig.replicas())
                    .create(admin, List.copyOf(written));
        }
    }

    /// Follows the cell, stands for election when it has read what there is, and leads once if
    /// elected: who reads a long log is not heard for long, and would lose the election meanwhile.
    /// Nor does it stand while a newer version wrote what it does not know.
    private void stand() {
        try (var standby = new Standby(kafka, log)) {
            while (!stopped && !(standby.caughtUp() && standby.unknown().isEmpty())) {
                pulse.beat();
                standby.follow(POLL);
                if (standby.caughtUp()) {
                    standby.unknown().ifPresent(this::outdated);
                }
            }
            if (!stopped) {
                stand(standby);
            }
        }
    }

    /// It leaves the election when its tenure has ended, so that another instance is elected if
    /// there is one.
    private void stand(Standby standby) {
        try (var election = new Election(kafka, "berth-placement-" + log.cell(), WEDGED)) {
            boolean more = true;
            while (!stopped && !election.poll(more ? Duration.ZERO : POLL)) {
                pulse.beat();
                more = standby.follow(Duration.ZERO);
                standby.unknown()
                        .ifPresent(it -> {
                            throw new Outdated(it);
                        });
                announce(election.decided());
            }
            if (!stopped) {
                role = Role.STARTING;
                tenure(standby.takeOver(() -> stays(election)), election);
            }
        }
    }

    private boolean stays(Election election) {
        pulse.beat();
        return !stopped && election.poll();
    }

    private void announce(boolean ready) {
        if (ready && role != Role.STANDBY) {
            role = Role.STANDBY;
            lastFailure = "";
            LOG.atInfo().addKeyValue("cell", log.cell()).log("Standing by");
        }
    }

    /// Once, however much there is.
    private void outdated(String unknown) {
        role = Role.OUTDATED;
        if (!lastFailure.equals(role.name())) {
            LOG.atWarn()
                    .addKeyValue("cell", log.cell())
                    .log("This version may not lead: a newer one wrote {}", unknown);
        }
        lastFailure = role.name();
    }

    private void tenure(Recovered recovered, Election election) {
        try (var heartbeats =
                        new HeartbeatWatch(
                                () -> new HeartbeatReader(kafka, log),
                                config.silentAfter(),
                                config.nodeTimeout());
                var tenure =
                        new Tenure(
                                recovered,
                                heartbeats,
                                meters,
                                new Tenure.Rules(
                                        config.schedMinInterval(),
                                        Tenure.ENOUGH_FACTS,
                                        settings(),
                                        version,
                                        spans,
                                        Clocks.SYSTEM,
                                        pulse),
                                new Snapshots(kafka, log, config.snapshotInterval()),
                                faults)) {
            if (election.poll()) {
                role = Role.LEADER;
                lastFailure = "";
                meters.leading(true);
                LOG.atInfo()
                        .addKeyValue("cell", log.cell())
                        .addKeyValue("round", recovered.last().round())
                        .addKeyValue("jobs", recovered.state().jobs().size())
                        .log("Leading");
                tenure.lead(() -> !stays(election));
            }
        } finally {
            meters.leading(false);
        }
        if (!stopped) {
            LOG.atWarn()
                    .addKeyValue("cell", log.cell())
                    .log("The election was lost: this instance was not heard for too long");
        }
    }

    private Settings settings() {
        return new Settings(config.backfill(), config.bfMaxJobTest(), Policies.TIGHTEST);
    }

    private static void pause() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
