package io.berth.accounting.db;

import io.berth.accounting.db.Batch.Advance;
import io.berth.contracts.JobDescription;
import io.berth.contracts.LogPosition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Usage;
import io.berth.core.fairshare.Decay;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.hibernate.LockMode;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

/// The books: all that is in them was entered together with the position of the log that it came
/// from, in one transaction.
///
/// The methods wait for the database and are for plain threads, not for event loops.
public final class Books {

    /// The books stand elsewhere than the batch begins: another instance wrote.
    public static final class Overtaken extends RuntimeException {
        Overtaken(String message) {
            super(message);
        }
    }

    private static final Among<JobRow> JOBS_OF = Among.numbers(JobRow.class, "id");
    private static final Among<RunRow> RUNS_OF = Among.numbers(RunRow.class, "job");
    private static final Among<StepRow> STEPS_OF = Among.numbers(StepRow.class, "job");
    private static final Among<UsageRow> USAGE_OF = Among.texts(UsageRow.class, "username");
    private static final Upsert<JobRow> JOBS = new Upsert<>(JobRow.class);
    private static final Upsert<RunRow> RUNS = new Upsert<>(RunRow.class);
    private static final Upsert<StepRow> STEPS = new Upsert<>(StepRow.class);
    private static final Upsert<UsageRow> USAGE = new Upsert<>(UsageRow.class);

    private final Flyway flyway;
    private final Duration timeout;

    /// @param timeout how long it waits for one answer of the database
    public Books(Flyway flyway, Duration timeout) {
        this.flyway = flyway;
        this.timeout = timeout;
    }

    /// Brings the tables to this version.
    public void migrate() {
        flyway.migrate();
    }

    /// How far the topic is in the books: nothing for a partition that was never read.
    public List<LogPosition> positions(String topic) {
        return Waits.await(
                () ->
                        Panache.withSession(() -> PositionRow.<PositionRow>list("topic", topic))
                                .map(rows ->
                                        rows.stream()
                                                .map(it ->
                                                        new LogPosition(
                                                                it.topic,
                                                                it.topicId,
                                                                it.partition,
                                                                it.nextOffset))
                                                .toList()),
                timeout);
    }

    /// Enters a batch. Whether runs were placed or ended in it.
    ///
    /// @throws Overtaken if the books do not stand where the batch begins; nothing is entered then
    public boolean enter(Batch batch, Decay decay) {
        return Waits.await(() -> Panache.withTransaction(() -> entering(batch, decay)), timeout);
    }

    private static Uni<Boolean> entering(Batch batch, Decay decay) {
        return Panache.getSession()
                .chain(session ->
                        read(session, batch, decay)
                                .chain(page -> {
                                    enter(batch, page);
                                    return save(session, page, batch)
                                            .replaceWith(page.changesUsage());
                                }));
    }

    /// The session only reads the rows: it keeps no copies of them to see later what has changed.
    private static Uni<Page> read(Mutiny.Session session, Batch batch, Decay decay) {
        session.setDefaultReadOnly(true);
        return page(session, batch.events(), decay)
                .invoke(() -> {
                    session.clear();
                    session.setDefaultReadOnly(false);
                });
    }

    private static void enter(Batch batch, Page page) {
        try {
            batch.events().forEach(page::enter);
        } catch (ArithmeticException e) {
            throw new BooksStopped(
                    "a sum does not fit its column: entering %s: %s"
                            .formatted(batch.advances(), e.getMessage()),
                    e);
        }
    }

    /// Jobs before their runs, which refer to them.
    private static Uni<Void> save(Mutiny.Session session, Page page, Batch batch) {
        return JOBS.write(session, page.jobs())
                .chain(() -> RUNS.write(session, page.runs()))
                .chain(() -> STEPS.write(session, page.steps()))
                .chain(() -> USAGE.write(session, page.usage()))
                .chain(() ->
                        each(
                                batch.deadLetters(),
                                letter -> session.merge(DeadLetterRow.of(letter))))
                .chain(() -> each(batch.advances(), it -> advance(session, it)));
    }

    private static Uni<Page> page(Mutiny.Session session, List<JobEvent> events, Decay decay) {
        Set<Long> ids = new TreeSet<>();
        Set<Long> stepping = new TreeSet<>();
        Set<String> users = new TreeSet<>();
        for (JobEvent event : events) {
            ids.add(event.job().value());
            switch (event) {
                case JobEvent.Queued it -> users.add(user(it.description()));
                case JobEvent.Ended it -> users.add(user(it.description()));
                case JobEvent.StepsEnded it -> stepping.add(it.job().value());
                case JobEvent.Placed _,
                        JobEvent.Started _,
                        JobEvent.Requeued _,
                        JobEvent.Amended _,
                        JobEvent.Held _,
                        JobEvent.Released _,
                        JobEvent.Suspended _,
                        JobEvent.Resumed _,
                        JobEvent.SuspendFailed _,
                        JobEvent.GpusUnderused _,
                        JobEvent.GpusUsedAgain _,
                        JobEvent.Preempted _ -> {}
            }
        }
        if (ids.isEmpty()) {
            var none = new Forgetting(decay, Map.of());
            return Uni.createFrom()
                    .item(new Page(none, List.of(), List.of(), List.of(), List.of()));
        }
        return Forgetting.query(decay)
                .chain(forgetting ->
                        STEPS_OF.read(session, stepping)
                                .chain(steps -> page(session, ids, users, steps, forgetting)));
    }

    /// One after the other: a session has one connection.
    private static Uni<Page> page(
            Mutiny.Session session,
            Set<Long> ids,
            Set<String> users,
            List<StepRow> steps,
            Forgetting forgetting) {
        return JOBS_OF.read(session, ids)
                .chain(jobs -> {
                    jobs.forEach(job -> users.add(job.username));
                    return RUNS_OF.read(session, ids)
                            .chain(runs ->
                                    USAGE_OF.read(session, users)
                                            .map(usage ->
                                                    new Page(
                                                            forgetting, jobs, runs, usage, steps)));
                });
    }

    private static String user(JobDescription description) {
        return Texts.storable(description.user());
    }

    /// Moves a position, locked until the transaction ends.
    private static Uni<Void> advance(Mutiny.Session session, Advance advance) {
        return session.find(
                        PositionRow.class,
                        new PositionRow.Key(advance.topic(), advance.partition()),
                        LockMode.PESSIMISTIC_WRITE)
                .chain(row -> {
                    if (row == null) {
                        return session.persist(PositionRow.of(advance));
                    }
                    if (row.nextOffset != advance.from()) {
                        throw new Overtaken(
                                "the books stand at offset %d, the batch begins at %d"
                                        .formatted(row.nextOffset, advance.from()));
                    }
                    row.nextOffset = advance.to();
                    return Uni.createFrom().voidItem();
                });
    }

    private static <T> Uni<Void> each(List<T> items, Function<T, Uni<?>> action) {
        Uni<Void> done = Uni.createFrom().voidItem();
        for (T item : items) {
            done = done.chain(() -> action.apply(item).replaceWithVoid());
        }
        return done;
    }

    /// Lets what these accounts have used up to now count no more, for one user or for all.
    ///
    /// @param user null for all of each account
    public void reset(Collection<String> accounts, @Nullable String user, long at, String author) {
        String whose = user == null ? ResetRow.ALL_USERS : user;
        List<ResetRow> rows =
                accounts.stream()
                        .map(it -> ResetRow.of(new ResetRow.Key(it, whose), at, author))
                        .toList();
        Waits.await(
                () ->
                        Panache.withTransaction(() ->
                                Panache.getSession().chain(session -> each(rows, session::merge))),
                timeout);
    }

    /// What still counts of everybody's usage, runs that hold resources included.
    public List<Usage> usage(Decay decay, long now) {
        return Waits.await(() -> Panache.withSession(() -> UsageNow.query(decay, now)), timeout);
    }
}
