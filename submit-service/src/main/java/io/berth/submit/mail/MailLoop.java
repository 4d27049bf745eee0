package io.berth.submit.mail;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.MailRequest;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.RecentlyUsed;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SpecReader;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.mailer.Mail;
import io.quarkus.mailer.Mailer;
import io.quarkus.runtime.Startup;
import io.vertx.ext.mail.SMTPException;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the topic `jobs` and sends the mail that users asked for. All gateways are one group:
/// each event is one gateway's, which says in the log how far it is after each mail. A gateway that
/// dies between the two sends that mail again when it is back.
///
/// What fails is tried again, three times in all, then counted, told in the log and left: neither
/// an event that cannot be dealt with nor a server that refuses a mail holds up the mail of others,
/// or has it sent again. While the log is away nobody's mail can be known, and it waits.
///
/// Whose partition a job's events are in, also looks how far the job's run is in its time limit. Up
/// to when that was done goes with each commit, so that what a gateway has sent no other sends.
@Singleton
@Startup
public class MailLoop {
    private static final Logger LOG = LoggerFactory.getLogger(MailLoop.class);
    private static final String GROUP = "berth-mail";
    private static final String MAILS = "berth.mails";
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int TRIES = 3;

    private static final int MOST_REMEMBERED = 4096;

    /// How long what runs have come to is told before events have their turn.
    private static final Duration TELLING = Duration.ofSeconds(30);

    /// How many events that bring no mail are read before that is said in the log.
    private static final int MOST_UNSAID = 100;

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final KafkaConnection kafka;
    private final GatewayLog log;

    /// Not that of the requests: one specification is read at a time.
    private final SpecReader specs;

    private final ForgottenTasks forgottenTasks;
    private final Mailer mailer;
    private final Counter sent;
    private final Counter failed;
    private final Counter forgotten;
    private final Clock clock;
    private final String from;
    private final String domain;
    private final Duration pause;
    private final Events<JobEvent> events = new Events<>(Topics.JOBS, "submit-service");
    private final Map<JobId, Optional<MailRequest>> requests = RecentlyUsed.atMost(MOST_REMEMBERED);

    /// Addresses that the last mail was not taken for: the next one is tried once.
    private final Map<String, Boolean> refused = RecentlyUsed.atMost(MOST_REMEMBERED);

    /// Up to where it was told what runs have come to, by the partitions that are this gateway's.
    private final Map<TopicPartition, Milestones.Told> looked = new HashMap<>();

    private final Thread thread =
            Thread.ofPlatform().name("job-mail").daemon().unstarted(this::run);
    private final CountDownLatch stopping = new CountDownLatch(1);

    MailLoop(
            KafkaConnection kafka,
            GatewayLog log,
            Mailer mailer,
            MeterRegistry registry,
            Clock clock,
            SubmitConfig config) {
        this.kafka = kafka;
        this.log = log;
        this.specs = new SpecReader(kafka);
        this.forgottenTasks = new ForgottenTasks(kafka);
        this.mailer = mailer;
        this.sent = registry.counter(MAILS, "outcome", "sent");
        this.failed = registry.counter(MAILS, "outcome", "failed");
        this.forgotten = registry.counter(MAILS, "outcome", "forgotten");
        this.clock = clock;
        this.from = config.mailFrom().orElse("");
        this.domain = config.mailDomain();
        this.pause = config.mailPause();
    }

    @PostConstruct
    void start() {
        if (!from.isEmpty()) {
            thread.start();
        }
    }

    @PreDestroy
    void stop() throws InterruptedException {
        stopping.countDown();
        thread.join(TimeUnit.SECONDS.toMillis(5));
        specs.close();
    }

    private void run() {
        while (!stopped()) {
            try (var admin = kafka.admin();
                    var consumer = kafka.member(GROUP)) {
                TopicDeclarations.await(admin, List.of(Topics.JOBS));
                looked.clear();
                consumer.subscribe(List.of(Topics.JOBS.name()), new Handover());
                read(consumer);
            } catch (RuntimeException e) {
                if (!stopped()) {
                    LOG.atWarn().setCause(e).log("Mail about jobs waits; beginning anew");
                    pause();
                }
            }
        }
    }

    private void read(Consumer<byte[], byte[]> consumer) {
        int unsaid = 0;
        while (!stopped()) {
            var records = consumer.poll(POLL);
            boolean mailed = false;
            for (var record : records) {
                mailed |= tried("record " + record.offset(), () -> send(record));
            }
            if (mailed) {
                consumer.commitSync(reached(consumer));
            }
            mailed |= remind(consumer);
            unsaid += records.count();
            if (mailed) {
                unsaid = 0;
            } else if (unsaid >= MOST_UNSAID || (unsaid > 0 && records.isEmpty())) {
                consumer.commitAsync(reached(consumer), null);
                unsaid = 0;
            }
        }
    }

    /// Another gateway goes on where this one has said that it is.
    private final class Handover implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            looked.keySet().removeAll(partitions);
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> reached(Consumer<byte[], byte[]> consumer) {
        var reached = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (TopicPartition partition : consumer.assignment()) {
            Milestones.Told told = looked.get(partition);
            reached.put(
                    partition,
                    new OffsetAndMetadata(
                            consumer.position(partition), told == null ? "" : told.text()));
        }
        return reached;
    }

    /// Sends what the runs have come to since the last look. What there is no time for comes with
    /// the next one.
    ///
    /// @return whether that was something
    private boolean remind(Consumer<byte[], byte[]> consumer) {
        boolean mailed = false;
        long now = clock.millis();
        Deadline due = Deadline.in(TELLING);
        for (TopicPartition partition : consumer.assignment()) {
            Milestones.Told told =
                    looked.computeIfAbsent(partition, it -> toldBefore(consumer, it, now));
            if (told.at() + BETWEEN_LOOKS.toMillis() > now) {
                continue;
            }
            var jobs = log.picture().holding().filter(it -> it.cell() == partition.partition());
            for (Milestones.Reached part : Milestones.between(jobs, told, now)) {
                if (due.passed()) {
                    return mailed;
                }
                boolean sent = tried("job " + part.job().id(), () -> send(part));
                looked.put(partition, part.told());
                if (sent) {
                    consumer.commitSync(reached(consumer));
                    mailed = true;
                }
            }
            looked.put(partition, Milestones.Told.until(now));
        }
        return mailed;
    }

    /// Up to where any gateway has said that it told; now if none has, in words that this one
    /// knows.
    private static Milestones.Told toldBefore(
            Consumer<byte[], byte[]> consumer, TopicPartition partition, long now) {
        OffsetAndMetadata said = consumer.committed(Set.of(partition)).get(partition);
        return said == null
                ? Milestones.Told.until(now)
                : Milestones.Told.parse(said.metadata()).orElse(Milestones.Told.until(now));
    }

    /// Deals with something that may bring mail, as often as it may be tried.
    ///
    /// @param what for the log
    /// @return what the work says; false if it was left
    private boolean tried(String what, BooleanSupplier work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return work.getAsBoolean();
            } catch (RuntimeException e) {
                if (stopped() || (e instanceof Unavailable && !logAnswers())) {
                    throw e;
                }
                if (attempt == TRIES) {
                    failed.increment();
                    LOG.atWarn()
                            .setCause(e)
                            .addKeyValue("of", what)
                            .log("Mail is left, what it would be about cannot be dealt with");
                    return false;
                }
                pause();
            }
        }
    }

    private boolean logAnswers() {
        try {
            log.ping(Deadline.in(PATIENCE));
            return true;
        } catch (Unavailable e) {
            return false;
        }
    }

    private boolean send(Milestones.Reached part) {
        MailRequest wanted = request(part.job());
        return wanted != null
                && send(new Subjects(part.job(), wanted, List::of).of(part), part.job(), wanted);
    }

    /// Sends what the event of a record brings.
    ///
    /// @return whether it brought any
    private boolean send(ConsumerRecord<byte[], byte[]> record) {
        JobEvent event = event(record);
        Job job = event == null ? null : job(event.job());
        MailRequest wanted = job == null ? null : request(job);
        return event != null && job != null && wanted != null && send(event, job, wanted);
    }

    private boolean send(JobEvent event, Job job, MailRequest wanted) {
        return send(new Subjects(job, wanted, new Tasks(job)).of(event), job, wanted);
    }

    private boolean send(List<String> subjects, Job job, MailRequest wanted) {
        for (String subject : subjects) {
            String to = wanted.address() == null ? job.user() : wanted.address();
            send(job, to.contains("@") ? to : to + "@" + domain, subject);
        }
        return !subjects.isEmpty();
    }

    private @Nullable JobEvent event(ConsumerRecord<byte[], byte[]> record) {
        try {
            JobEvent event = record.value() == null ? null : events.event(record);
            return switch (event) {
                case JobEvent.Started it -> it;
                case JobEvent.Requeued it -> it;
                case JobEvent.Ended it -> it;
                case null, default -> null;
            };
        } catch (UnknownEventType | CorruptEvent e) {
            return null;
        }
    }

    /// Null if the log does not show it any more.
    private @Nullable Job job(JobId id) {
        Optional<Job> known = log.picture().job(id, clock.millis());
        if (known.isEmpty()) {
            log.catchUp(Deadline.in(PATIENCE));
            known = log.picture().job(id, clock.millis());
        }
        if (known.isEmpty()) {
            forgotten.increment();
        }
        return known.orElse(null);
    }

    /// Null for none. Tasks of an array have one; of a heterogeneous job mail is about the first
    /// component.
    private @Nullable MailRequest request(Job job) {
        if (!job.hasProgram()) {
            return null;
        }
        Optional<MailRequest> known = requests.get(job.arrayOrSelf());
        if (known == null) {
            known = specs.read(job, Deadline.in(PATIENCE)).map(JobSpec::mail);
            requests.put(job.arrayOrSelf(), known);
        }
        return known.orElse(null);
    }

    /// The tasks of a job's array, looked up after what was read.
    private final class Tasks implements Subjects.Tasks {
        private final Job job;
        private @Nullable List<Job> shown;

        Tasks(Job job) {
            this.job = job;
        }

        @Override
        public List<Job> shown() {
            if (shown == null) {
                log.catchUp(Deadline.in(PATIENCE));
                shown = log.picture().named(new JobName(job.arrayOrSelf()), clock.millis());
            }
            return shown;
        }

        @Override
        public List<JobEvent.Ended> forgotten() {
            ArrayTask array = job.description().array();
            return array == null ? List.of() : forgottenTasks.ends(array, shown());
        }
    }

    private void send(Job job, String to, String subject) {
        int tries = refused.containsKey(to) ? 1 : TRIES;
        for (int attempt = 1; ; attempt++) {
            try {
                mailer.send(Mail.withText(to, subject, "").setFrom(from));
                sent.increment();
                refused.remove(to);
                return;
            } catch (RuntimeException e) {
                if (stopped()) {
                    throw e;
                }
                if (attempt == tries || permanent(e)) {
                    refused.put(to, true);
                    failed.increment();
                    LOG.atWarn().setCause(e).addKeyValue("job", job.id()).log("Mail not sent");
                    return;
                }
                pause();
            }
        }
    }

    /// Whether the server says that it will never take that mail (RFC 5321, 4.2.1: 5yz).
    private static boolean permanent(Throwable e) {
        return switch (e) {
            case SMTPException it -> it.isPermanent();
            default -> e.getCause() != null && permanent(e.getCause());
        };
    }

    private boolean stopped() {
        return stopping.getCount() == 0;
    }

    private void pause() {
        try {
            var unused = stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
