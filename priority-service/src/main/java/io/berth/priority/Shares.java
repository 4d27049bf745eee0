package io.berth.priority;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.Usage;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.FairShare;
import io.berth.core.fairshare.Member;
import io.berth.core.fairshare.ShareTree;
import io.berth.core.limits.Budgets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Everybody's usage, and the fair-share factors that follow from it.
///
/// Usages are published at different times; they are all brought to the latest of these before they
/// are compared. That time comes from the records and not from a clock, so that the factors depend
/// on the records alone. What is spent of budgets is told as of now, and again each minute.
///
/// Not safe for use by several threads.
final class Shares {

    private static final long POINT = 1_000_000;
    private static final long BUDGETS_DECAY_MILLIS = 60_000;

    private final Map<Member, Usage> usages = new TreeMap<>();
    private Set<Member> members = Set.of();
    private @Nullable Configuration configuration;
    private @Nullable FairShares published;
    private boolean changed;
    private long calculatedAt;
    private SortedMap<String, Double> deviations = Collections.emptySortedMap();

    void usage(Usage usage) {
        usages.put(new Member(usage.account(), usage.user()), usage);
        changed = true;
    }

    void configuration(Configuration next) {
        configuration = next;
        changed = true;
    }

    /// Those who have jobs.
    void members(Set<Member> now) {
        if (!members.containsAll(now)) {
            changed = true;
        }
        members = now;
    }

    /// What stands in the topic.
    void published(FairShares shares) {
        FairShares before = published;
        if (before == null || shares.version() > before.version()) {
            published = shares;
        }
    }

    /// The factors, if they are others than the published ones. They count as published from now
    /// on.
    Optional<FairShares> calculate(long now) {
        Configuration current = configuration;
        if (current == null || !(changed || decayedSince(now))) {
            return Optional.empty();
        }
        changed = false;
        calculatedAt = now;
        List<Budget> budgets = new Budgets(current).spent(usages.values(), now);
        var seen = new TreeSet<>(usages.keySet());
        seen.addAll(members);
        FairShares before = published;
        FairShare calculated =
                FairShare.of(
                        ShareTree.of(current, seen),
                        usageOfOneTime(current),
                        current.cluster().priorityRules());
        deviations = calculated.deviations();
        var next =
                new FairShares(
                        before == null ? 1 : before.version() + 1,
                        now,
                        current.cluster().weights().fairShare() * POINT,
                        calculated.factors(),
                        budgets.isEmpty() ? null : bookedUntil(),
                        budgets);
        if (before != null
                && before.weight() == next.weight()
                && before.factors().equals(next.factors())
                && before.budgets().equals(next.budgets())
                && Objects.equals(before.bookedUntil(), next.bookedUntil())) {
            return Optional.empty();
        }
        published = next;
        return Optional.of(next);
    }

    /// How far each account is from its share, as [FairShare#deviations] has it, by the last
    /// calculation.
    SortedMap<String, Double> deviations() {
        return deviations;
    }

    /// Whether what was spent of budgets has decayed for long enough to be told again.
    private boolean decayedSince(long now) {
        FairShares before = published;
        return before != null
                && !before.budgets().isEmpty()
                && now - calculatedAt >= BUDGETS_DECAY_MILLIS;
    }

    private @Nullable Long bookedUntil() {
        return usages.values().stream()
                .map(Usage::bookedUntil)
                .filter(Objects::nonNull)
                .max(Long::compare)
                .orElse(null);
    }

    private Map<Member, Long> usageOfOneTime(Configuration current) {
        Decay decay = Decay.of(current.cluster());
        long latest = usages.values().stream().mapToLong(Usage::asOf).max().orElse(0);
        var decayed = new TreeMap<Member, Long>();
        usages.forEach((member, it) ->
                decayed.put(member, decay.left(it.billingMicros(), it.asOf(), latest)));
        return decayed;
    }
}
