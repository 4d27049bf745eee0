package io.berth.accounting.db;

import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.InvalidClusterFile;
import io.berth.accounting.cluster.Removed;
import io.berth.accounting.cluster.Revision;
import io.berth.accounting.cluster.Revisions;
import io.berth.contracts.JobState;
import io.berth.core.fairshare.Decay;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The revisions of the configuration in the database.
///
/// The methods wait for the database and are for plain threads, not for event loops.
public final class ConfigurationTable implements Revisions {

    private static final String LINES =
            """
            select new io.berth.accounting.cluster.Revisions$Line(revision, author, changedAt, published)
            from ConfigurationRow order by revision desc\
            """;

    private static final String NEWEST_FIRST = "order by revision desc";

    /// One is added after the other, so that each is the latest when it is added.
    private static final String ALONE = "lock table configuration in share row exclusive mode";

    private final Duration timeout;

    /// @param timeout how long it waits for one answer of the database
    public ConfigurationTable(Duration timeout) {
        this.timeout = timeout;
    }

    private <T> T await(Supplier<Uni<T>> work) {
        return Waits.await(work, timeout);
    }

    @Override
    public List<Line> newest(int limit) {
        return await(() ->
                Panache.withSession(() ->
                        Panache.getSession()
                                .chain(session ->
                                        session.createSelectionQuery(LINES, Line.class)
                                                .setMaxResults(limit)
                                                .getResultList())));
    }

    @Override
    public Optional<Revision> latest() {
        return rows(NEWEST_FIRST, 1).stream().findFirst().map(ConfigurationTable::revision);
    }

    @Override
    public boolean untold(long told) {
        return await(() ->
                Panache.withSession(
                        () -> ConfigurationRow.count("revision > ?1 or published = false", told)))
                > 0;
    }

    @Override
    public Optional<String> lastFile() {
        return rows("fileSha256 is not null order by revision desc", 1).stream()
                .findFirst()
                .map(it -> it.fileSha256);
    }

    @Override
    public void applied(long number, String fileSha256) {
        await(() ->
                Panache.withTransaction(() ->
                        ConfigurationRow.update(
                                "fileSha256 = ?1 where revision = ?2", fileSha256, number)));
    }

    private List<ConfigurationRow> rows(String query, int limit) {
        return await(() ->
                Panache.withSession(() ->
                        ConfigurationRow.<ConfigurationRow>find(query).page(0, limit).list()));
    }

    private static Revision revision(ConfigurationRow row) {
        try {
            return new Revision(
                    row.revision,
                    ClusterFile.parse(row.document),
                    row.author,
                    row.changedAt,
                    row.fileSha256,
                    row.published);
        } catch (InvalidClusterFile e) {
            throw new BooksStopped(
                    "revision %d of the configuration in the database is invalid: %s"
                            .formatted(row.revision, e.getMessage()),
                    e);
        }
    }

    @Override
    public void add(long after, Revision revision) throws Overtaken {
        var row = new ConfigurationRow();
        row.revision = revision.number();
        row.document = revision.file().tree().toString();
        row.author = Texts.storable(revision.author());
        row.changedAt = revision.changedAt();
        row.fileSha256 = revision.fileSha256();
        row.published = revision.published();
        Decay.Rule rule = rule(revision);
        if (!await(() -> Panache.withTransaction(() -> adding(after, row, rule)))) {
            throw new Overtaken(after);
        }
    }

    private static Decay.Rule rule(Revision revision) {
        return revision.file().decay().rules().getFirst();
    }

    /// Whether it was added. How usage is forgotten changes with it.
    private static Uni<Boolean> adding(long after, ConfigurationRow row, Decay.Rule rule) {
        return Panache.getSession()
                .chain(session -> session.createNativeQuery(ALONE).executeUpdate())
                .chain(() -> ConfigurationRow.find(NEWEST_FIRST).<ConfigurationRow>firstResult())
                .chain(latest -> {
                    if (after != (latest == null ? 0 : latest.revision)) {
                        return Uni.createFrom().item(false);
                    }
                    Decay.Rule before = latest == null ? rule : rule(revision(latest));
                    return row.persist()
                            .chain(() ->
                                    before.equals(rule)
                                            ? Uni.createFrom().voidItem()
                                            : DecayRuleRow.change(before, rule, row.changedAt))
                            .replaceWith(true);
                });
    }

    @Override
    public void published(long number) {
        await(() ->
                Panache.withTransaction(() ->
                        ConfigurationRow.update(
                                "published = true where revision <= ?1 and published = false",
                                number)));
    }

    @Override
    public long liveJobs(Removed removed) {
        return switch (removed) {
            case Removed.Partition it ->
                    live(
                            "(partition = ?1 or locate(?2, partitions) > 0)",
                            it.name(),
                            "," + it.name() + ",");
            case Removed.Qos it -> live("qos = ?1", it.name());
            case Removed.Reservation it ->
                    live("reservation = ?1 and state <> ?2", it.name(), JobState.PENDING);
            case Removed.Account it -> live("account = ?1", it.name());
            case Removed.Association it ->
                    live("account = ?1 and username = ?2", it.account(), it.user());
        };
    }

    private long live(String condition, Object... names) {
        return await(() -> Panache.withSession(() -> count("endedAt = 0 and " + condition, names)));
    }

    private static Uni<Long> count(String condition, Object... names) {
        return JobRow.count(condition, names);
    }
}
