package io.berth.accounting;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.Difference;
import io.berth.accounting.cluster.InvalidClusterFile;
import io.berth.accounting.cluster.NotAllowed;
import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.cluster.Removed;
import io.berth.accounting.cluster.ReservationUpkeep;
import io.berth.accounting.cluster.ReservedNodes;
import io.berth.accounting.cluster.Revision;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.cluster.Revisions.Overtaken;
import io.berth.accounting.db.BooksStopped;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.accounting.kafka.ConfigTopic.Published;
import io.berth.accounting.kafka.ConfigTopic.Told;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.topic.Topics;
import io.berth.core.fairshare.Decay;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The cluster's configuration in force.
///
/// Its truth is the latest revision in the database. A revision is stored first and told to the
/// config topic then: what was stored and not told, because the brokers or this process went away,
/// is told later, so that no change is lost and none is told that was not stored. The cluster file
/// makes the first revision, and another one whenever the service starts with a file that differs
/// from the one applied last.
@ApplicationScoped
public class ClusterConfiguration {

    private static final Logger LOG = Logger.getLogger(ClusterConfiguration.class);
    private static final int MOST_TRIES = 20;

    /// A new configuration made of the one before.
    @FunctionalInterface
    public interface Edit {
        ClusterFile apply(ClusterFile before) throws InvalidClusterFile, NotAllowed;
    }

    private final ClusterSource source;
    private final Revisions revisions;
    private final Occupancy occupancy;
    private final KafkaConnection kafka;
    private final TopicDeclarations declarations;
    private volatile Condition condition = new Condition.Waiting("the brokers");
    private volatile Optional<Configuration> inForce = Optional.empty();
    private final Semaphore wanted = new Semaphore(0);
    private volatile long told;
    private List<String> toldRefusals = List.of();

    public ClusterConfiguration(
            AccountingConfig config,
            Revisions revisions,
            Occupancy occupancy,
            KafkaConnection kafka,
            TopicDeclarations declarations) {
        this.occupancy = occupancy;
        this.source = new ClusterSource(config);
        this.revisions = revisions;
        this.kafka = kafka;
        this.declarations = declarations;
    }

    /// Creates this service's topics, applies the cluster file if it is another one than the last,
    /// and publishes the latest revision. What is in force then.
    ///
    /// @throws BooksStopped if the file is invalid and there is no other configuration
    public synchronized Configuration establish() {
        try (Admin admin = kafka.admin()) {
            var topics = new ArrayList<>(Topics.writtenBy("accounting-service"));
            topics.add(Topics.deadLetters("accounting-service"));
            declarations.create(admin, topics);
        }
        Published published = new ConfigTopic(kafka).read();
        applyFile(published);
        if (revisions.latest().isPresent()) {
            publishLatest();
        } else {
            inForce = published.whole();
        }
        return inForce.orElseThrow(() ->
                new BooksStopped(
                        "no configuration was ever published, and the cluster file is invalid"));
    }

    private void applyFile(Published published) {
        try {
            ClusterSource.Text text = source.read();
            ClusterFile file = reserved().chosen(ClusterFile.parse(text.yaml()));
            Optional<Revision> latest = revisions.latest();
            condition = new Condition.Running();
            if (revisions.lastFile().equals(Optional.of(text.sha256()))) {
                return;
            }
            if (latest.isPresent() && latest.get().file().isSame(file)) {
                revisions.applied(latest.get().number(), text.sha256());
                return;
            }
            boolean adopted = latest.isEmpty() && published.says(file);
            long after = latest.map(Revision::number).orElse(0L);
            revisions.add(
                    after,
                    new Revision(
                            Math.max(after, published.highest()) + (adopted ? 0 : 1),
                            file,
                            "cluster file",
                            Clock.systemUTC().millis(),
                            text.sha256(),
                            false));
        } catch (InvalidClusterFile e) {
            refuse(source.name() + ": " + e.getMessage());
        } catch (IOException e) {
            refuse(source.name() + " cannot be read: " + e);
        } catch (Overtaken e) {
            // Another instance has applied the same file.
            LOG.debug(e.getMessage());
        }
    }

    private void refuse(String why) {
        LOG.error("The cluster file is refused, and what was in force before stays: " + why);
        condition = new Condition.Stopped(why);
    }

    /// Tells the config topic of the latest revision, if it does not know.
    private synchronized void publishLatest() {
        Told now = new ConfigTopic(kafka).publish(revisions);
        Revision latest = now.revision();
        Published published = now.published();
        inForce = published.whole();
        if (published.highest() > latest.number()) {
            renumber(latest, published.highest());
        }
        revisions.published(latest.number());
        told = latest.number();
        notifyAll();
        LOG.infof("The configuration in force is revision %d", published.highest());
    }

    /// The topic was ahead, as after an older database was restored: the numbers go on from its.
    private void renumber(Revision latest, long number) {
        try {
            revisions.add(
                    latest.number(),
                    new Revision(
                            number,
                            latest.file(),
                            latest.author(),
                            latest.changedAt(),
                            null,
                            true));
        } catch (Overtaken e) {
            LOG.debug(e.getMessage());
        }
    }

    /// Waits until somebody made a revision here, at most so long, and publishes what was stored
    /// and is not published yet, by this instance or another. Whether there was any.
    boolean catchUp(Duration patience) throws InterruptedException {
        if (wanted.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            wanted.drainPermits();
        }
        synchronized (this) {
            boolean behind = inForce.isPresent() && revisions.untold(told);
            if (behind) {
                publishLatest();
            }
            return behind;
        }
    }

    /// Makes of reservations what becomes of them by themselves ([ReservationUpkeep]).
    void keepUp(ReservationUpkeep upkeep) {
        Optional<Revision> latest = revisions.latest();
        if (inForce.isEmpty() || latest.isEmpty()) {
            return;
        }
        long number = latest.get().number();
        var refusals = new ArrayList<String>();
        for (JsonNode patch :
                upkeep.patches(latest.get().file(), occupancy, Clock.systemUTC().millis())) {
            switch (patch("reservations", number, false, patch)) {
                case Changed.Done it -> number = it.revision();
                case Changed.Refused it -> refusals.add(it.detail());
            }
        }
        if (!refusals.equals(toldRefusals)) {
            toldRefusals = refusals;
            refusals.forEach(it -> LOG.warnf("A reservation stays as it is: %s", it));
        }
    }

    /// Waits until that revision is published, at most so long; whether it is.
    public synchronized boolean await(long revision, Duration patience)
            throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        for (long left = patience.toMillis(); told < revision && left > 0; ) {
            wait(left);
            left = (deadline - System.nanoTime()) / 1_000_000;
        }
        return told >= revision;
    }

    /// Makes a revision.
    ///
    /// @param expected the revision that the author has seen; null is whichever is the latest
    /// @param trial whether only to say what would change
    public Changed change(String author, @Nullable Long expected, boolean trial, Edit edit) {
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            Revision latest = latest();
            if (expected != null && expected != latest.number()) {
                return new Changed.Refused(
                        "conflict",
                        "revision %d was changed meanwhile: the latest is %d"
                                .formatted(expected, latest.number()));
            }
            try {
                ReservedNodes nodes = reserved();
                ClusterFile next = nodes.chosen(edit.apply(latest.file()));
                Optional<Changed.Refused> no =
                        inUse(latest.file().removed(next))
                                .or(() ->
                                        nodes.conflict(latest.file(), next)
                                                .map(it ->
                                                        new Changed.Refused(
                                                                it.code(), it.detail())));
                if (no.isPresent()) {
                    return no.get();
                }
                List<Difference> changes = latest.file().differences(next);
                if (trial || latest.file().isSame(next)) {
                    return new Changed.Done(latest.number(), changes);
                }
                return store(author, latest.number(), next, changes);
            } catch (InvalidClusterFile e) {
                return new Changed.Refused("invalid_configuration", String.valueOf(e.getMessage()));
            } catch (NotAllowed e) {
                return new Changed.Refused("not_allowed", String.valueOf(e.getMessage()));
            } catch (Overtaken e) {
                LOG.debug(e.getMessage());
            }
        }
        return new Changed.Refused("conflict", "others keep changing the configuration: try again");
    }

    private ReservedNodes reserved() {
        return new ReservedNodes(occupancy, Clock.systemUTC().millis());
    }

    private Changed store(String author, long after, ClusterFile next, List<Difference> changes)
            throws Overtaken {
        long number = after + 1;
        long now = Clock.systemUTC().millis();
        revisions.add(after, new Revision(number, next, author, now, null, false));
        LOG.infof("Revision %d of the configuration was made by %s", number, author);
        wanted.release();
        return new Changed.Done(number, changes);
    }

    private Optional<Changed.Refused> inUse(List<Removed> removed) {
        for (Removed it : removed) {
            long jobs = revisions.liveJobs(it);
            if (jobs > 0) {
                return Optional.of(
                        new Changed.Refused(
                                "in_use",
                                "%s has %d %s not ended: cancel %s first"
                                        .formatted(
                                                it,
                                                jobs,
                                                jobs == 1 ? "job that has" : "jobs that have",
                                                jobs == 1 ? "it" : "them")));
            }
        }
        return Optional.empty();
    }

    /// The latest revision.
    public Revision latest() {
        return revisions
                .latest()
                .orElseThrow(() -> new IllegalStateException("there is no configuration yet"));
    }

    /// The newest revisions, the newest first.
    public List<Revisions.Line> newest(int limit) {
        return revisions.newest(limit);
    }

    /// What a merge patch makes of the latest configuration.
    public Changed patch(String author, @Nullable Long expected, boolean trial, JsonNode patch) {
        return change(author, expected, trial, before -> before.patched(patch));
    }

    public Condition condition() {
        return condition;
    }

    public Optional<Configuration> inForce() {
        return inForce;
    }

    /// How usage is forgotten now; for ever kept before there is a configuration.
    public Decay decay() {
        return inForce.map(it -> Decay.of(it.cluster())).orElse(Decay.NONE);
    }
}
