package io.berth.submit.trigger;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.JobId;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Progress;
import io.berth.contracts.topic.Topics;
import io.berth.log.Election;
import io.berth.log.KafkaConnection;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.Picture;
import io.berth.submit.Refused;
import io.berth.submit.TriggerRun;
import io.berth.submit.Triggers;
import io.berth.submit.Unavailable;
import io.berth.submit.http.Gateway;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.TriggerWriter;
import io.berth.submit.trigger.Watch.Sight;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the programs of triggers when their time has come; one of all gateways does, which is
/// elected while there are triggers.
///
/// What is to be run stands in the log first, then it is submitted under a key of the trigger's
/// own, then that it was stands in the log: a gateway that dies in between leaves to the next what
/// is the same job still. What cannot be submitted is tried again with the next look.
@Singleton
@Startup
public class TriggerLoop {
    private static final Logger LOG = LoggerFactory.getLogger(TriggerLoop.class);
    private static final String GROUP = "berth-triggers";
    private static final String RUNS = "berth.trigger.runs";
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration WEDGED = Duration.ofSeconds(30);

    private final KafkaConnection kafka;
    private final GatewayLog log;
    private final TriggerWriter writer;
    private final Gateway gateway;
    private final Clock clock;
    private final Counter submitted;
    private final Counter refused;

    /// Why programs were refused last, by the numbers of their triggers: each is said once.
    private final Map<Long, String> refusals = new HashMap<>();

    private final Thread thread =
            Thread.ofPlatform().name("triggers").daemon().unstarted(this::run);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private @Nullable Election election;

    TriggerLoop(
            KafkaConnection kafka,
            GatewayLog log,
            TriggerWriter writer,
            Gateway gateway,
            MeterRegistry registry,
            Clock clock) {
        this.kafka = kafka;
        this.log = log;
        this.writer = writer;
        this.gateway = gateway;
        this.clock = clock;
        this.submitted = registry.counter(RUNS, "outcome", "submitted");
        this.refused = registry.counter(RUNS, "outcome", "refused");
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void stop() throws InterruptedException {
        stopping.countDown();
        thread.join(TimeUnit.SECONDS.toMillis(5));
    }

    private void run() {
        while (!pause()) {
            try {
                if (elected()) {
                    look();
                }
            } catch (Unavailable e) {
                LOG.debug("Triggers wait: {}", e.getMessage());
            } catch (RuntimeException e) {
                LOG.atWarn().setCause(e).log("Triggers wait; beginning anew");
                leave();
            }
        }
        leave();
    }

    /// Whether this gateway is the one that looks. It stands for election while there is something
    /// to look at.
    private boolean elected() {
        Triggers triggers = log.picture().triggers();
        if (triggers.all().isEmpty() && triggers.leftOver().isEmpty()) {
            leave();
            return false;
        }
        if (election == null) {
            log.declare(Topics.ELECTIONS);
            election = new Election(kafka, GROUP, WEDGED);
        }
        return election.poll(BETWEEN_LOOKS);
    }

    private void leave() {
        if (election != null) {
            election.close();
            election = null;
        }
    }

    private void look() {
        log.catchUp(Topics.TRIGGERS, Deadline.in(PATIENCE));
        Picture picture = log.picture();
        long now = clock.millis();
        var watch = new Watch(id -> job(id, now), picture.nodes(), now);
        picture.triggers().leftOver().forEach(it -> writer.delete(it.key(), Deadline.in(PATIENCE)));
        for (Asked trigger : picture.triggers().all()) {
            try {
                attend(trigger, picture.triggers().of(trigger), watch);
            } catch (Unavailable e) {
                // Those of others do not wait for it.
                LOG.debug("Trigger {} waits: {}", trigger.number(), e.getMessage());
            }
        }
        refusals.keySet().removeIf(it -> picture.triggers().get(it) == null);
    }

    /// The job as the log tells it now; one that is not there then is forgotten.
    private Optional<Job> job(JobId id, long now) {
        var known = log.picture().job(id, now);
        if (known.isEmpty()) {
            log.catchUp(Deadline.in(PATIENCE));
            known = log.picture().job(id, now);
        }
        return known;
    }

    private void attend(Asked trigger, @Nullable Progress was, Watch watch) {
        Progress now = was;
        if (now == null || now.subject() == null) {
            switch (watch.look(trigger, now)) {
                case Sight.Same() -> {}
                case Sight.Never() -> writer.delete(trigger.key(), Deadline.in(PATIENCE));
                case Sight.Change(Progress next) -> {
                    writer.write(next, Deadline.in(PATIENCE));
                    now = next;
                }
            }
        }
        if (now != null && now.subject() != null && ran(trigger, now, now.subject())) {
            if (trigger.permanent()) {
                writer.write(now.ran(), Deadline.in(PATIENCE));
            } else {
                writer.delete(trigger.key(), Deadline.in(PATIENCE));
            }
        }
    }

    /// Whether the program's job stands in the log.
    private boolean ran(Asked trigger, Progress now, String subject) {
        var caller = new Caller(trigger.user(), AdminLevel.NONE, "strigger");
        String key = "strigger/%d/%d".formatted(trigger.number(), now.runs());
        try {
            JobSubmission run = TriggerRun.of(trigger, subject);
            Job job = gateway.submit(run, caller, Gateway.key(key, run));
            submitted.increment();
            LOG.atInfo()
                    .addKeyValue("job", job.id())
                    .addKeyValue("trigger", trigger.number())
                    .addKeyValue("user", trigger.user())
                    .log("Trigger pulled");
            return true;
        } catch (Refused e) {
            String why = e.refusal().detail();
            if (!why.equals(refusals.put(trigger.number(), why))) {
                refused.increment();
                LOG.atWarn()
                        .addKeyValue("trigger", trigger.number())
                        .addKeyValue("user", trigger.user())
                        .log("Trigger's program is refused, and will be tried again: {}", why);
            }
            return false;
        }
    }

    /// @return whether the gateway stops
    private boolean pause() {
        try {
            return stopping.await(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }
}
