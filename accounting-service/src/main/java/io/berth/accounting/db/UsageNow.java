package io.berth.accounting.db;

import io.berth.contracts.Spending;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.Member;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What still counts of everybody's usage at one moment: the ended runs from their rows, and what
/// each run that holds resources has cost so far.
public final class UsageNow {

    /// A run that holds resources.
    ///
    /// @param suspendedMillis how long it stood still before
    /// @param suspendedAt since when it stands still; 0 if it does not
    public record Holding(
            String account,
            String username,
            long placedAt,
            long billingRate,
            long suspendedMillis,
            long suspendedAt) {}

    private static final String HOLDING =
            """
            select new io.berth.accounting.db.UsageNow$Holding(
                j.account, j.username, r.placedAt, r.billingRate, r.suspendedMillis, r.suspendedAt)
            from RunRow r, JobRow j where r.job = j.id and r.freedAt = 0\
            """;

    private UsageNow() {}

    /// In the current session; ordered by account and user.
    public static Uni<List<Usage>> query(Decay decay, long now) {
        return Forgetting.query(decay)
                .chain(forgetting ->
                        UsageRow.<UsageRow>listAll(
                                        Sort.by("account", "username", "partition", "qos"))
                                .chain(ended ->
                                        holding().map(runs -> sum(ended, runs, forgetting, now))));
    }

    private static Uni<List<Holding>> holding() {
        return Panache.getSession()
                .chain(session ->
                        session.createSelectionQuery(HOLDING, Holding.class).getResultList());
    }

    static List<Usage> sum(
            List<UsageRow> ended, List<Holding> holding, Forgetting forgetting, long now) {
        Map<Member, Long> micros = new TreeMap<>();
        Map<Member, List<Spent>> spent = new TreeMap<>();
        for (UsageRow row : ended) {
            Decay decay = forgetting.of(row.account, row.username);
            Spending counts = row.decayedAt(now, decay);
            micros.merge(row.member(), counts.charge().billingMicros(), Math::addExact);
            spent.computeIfAbsent(row.member(), _ -> new ArrayList<>())
                    .add(new Spent(row.partition, row.qos, counts, row.sinceReset(now, decay)));
        }
        for (Holding run : holding) {
            long until = run.suspendedAt() == 0 ? now : run.suspendedAt();
            long held = Math.max(0, until - run.placedAt() - run.suspendedMillis());
            micros.merge(
                    new Member(run.account(), run.username()),
                    forgetting
                            .of(run.account(), run.username())
                            .accrued(
                                    Math.multiplyExact(run.billingRate(), held),
                                    Math.min(run.placedAt(), now),
                                    now),
                    Math::addExact);
        }
        long booked = ended.stream().mapToLong(row -> row.decayedAt + 1).max().orElse(0);
        return micros.entrySet().stream()
                .map(it ->
                        new Usage(
                                it.getKey().account(),
                                it.getKey().user(),
                                now,
                                it.getValue(),
                                booked,
                                spent.getOrDefault(it.getKey(), List.of())))
                .toList();
    }
}
