package io.berth.core.engine;

import io.berth.core.engine.Cluster.Creditor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// The jobs whose nodes are being cleared: runs there end or stand still soon, and what they leave
/// is kept for the job until it starts.
///
/// What a job needs and its victims still hold, these *owe* it: nobody else counts on it. The rest
/// is reserved for it at once. When a victim goes, what it owed is reserved in its place, so that
/// at no time more is kept for the job than it needs.
final class Clearings {

    /// @param nodes larger parts first
    /// @param since when the victims were told
    /// @param until when the job gives the nodes back if it could not start
    /// @param victims those who have not yet gone, and others
    record Standing(Waiting job, int[] nodes, long since, long until, List<Long> victims) {}

    /// In the order in which they were decided.
    private static final Comparator<Standing> FIRST =
            Comparator.comparingLong(Standing::since)
                    .thenComparingLong(Standing::until)
                    .thenComparing(Standing::job, Waiting::bySubmission);

    private final Scheduling all;
    private final Cluster cluster;
    private final TreeMap<Long, Standing> standing = new TreeMap<>();

    /// For whom each victim gives way.
    private final Map<Long, TreeSet<Long>> by = new HashMap<>();

    Clearings(Scheduling all) {
        this.all = all;
        this.cluster = all.cluster;
    }

    /// Has nodes cleared for a job.
    void begin(Waiting job, Clearing clearing, long now, Decisions decisions) {
        long until = until(now);
        all.plans.remove(job.job);
        job.either.forEach(all.queue::remove);
        clearing.victims().forEach(victim -> cluster.giveWay(victim, now, until));
        add(new Standing(job, clearing.nodes(), now, until, clearing.victims()));
        decisions.cleared(job, clearing, until);
    }

    /// Of those of one moment each lasts a little longer than those before, which tells their
    /// order.
    private long until(long now) {
        long until = now + all.preemption.clearMillis();
        for (Standing it : standing.values()) {
            until = it.since() == now ? Math.max(until, it.until() + 1) : until;
        }
        return until;
    }

    /// Nothing is kept for a job any more: it goes back to the queue.
    void abandon(Waiting job, Decisions decisions) {
        if (remove(job.job) != null) {
            all.enqueue(job);
            decisions.abandoned(job);
        }
    }

    /// Whether the nodes can still become the job's.
    boolean hopeful(Standing it, long now) {
        FitClass fit = it.job().fit;
        long length = it.job().length;
        long end = length == Node.NEVER ? Node.NEVER : now + length;
        return now < it.until()
                && Arrays.stream(it.nodes())
                        .mapToObj(cluster::node)
                        .allMatch(node ->
                                node.open
                                        && fit.admits(node)
                                        && Hours.openUntil(fit.hours.of(node.index), now) >= end);
    }

    /// Whether the nodes are free for the job. It has them from when they were promised to it until
    /// after its end, so no plan can be in its way. Where a victim could not stand still, more may
    /// be kept for several than there is: then one whose own victims have gone does not wait for
    /// those behind it.
    boolean free(Standing it, long now) {
        return freeBeside(it, now, other -> other != it.job().job && of(other) != null)
                || (it.victims().stream().noneMatch(cluster::told)
                        && freeBeside(it, now, other -> first(of(other), it)));
    }

    private boolean freeBeside(Standing it, long now, LongPredicate others) {
        Demand[] demands = cluster.demands(it.job().fit, it.nodes());
        boolean free = true;
        for (int part = 0; part < demands.length; part++) {
            free &= cluster.node(it.nodes()[part]).fitsBeside(demands[part], now, others);
        }
        return free;
    }

    private static boolean first(@Nullable Standing other, Standing it) {
        return other != null && FIRST.compare(other, it) < 0;
    }

    void add(Standing it) {
        standing.put(it.job().job, it);
        it.victims()
                .forEach(victim ->
                        by.computeIfAbsent(victim, _ -> new TreeSet<>()).add(it.job().job));
        settle(it.victims());
        if (it.victims().isEmpty()) {
            reserve(it, cluster.demands(it.job().fit, it.nodes()));
        }
    }

    @Nullable Standing of(long job) {
        return standing.get(job);
    }

    @Nullable Standing remove(long job) {
        Standing gone = standing.remove(job);
        if (gone != null) {
            cluster.leave(job);
            all.pools.leave(job);
            for (long victim : gone.victims()) {
                TreeSet<Long> others = by.get(victim);
                if (others != null && others.remove(job) && others.isEmpty()) {
                    by.remove(victim);
                    cluster.owe(victim, Creditor.CLEARING, null);
                }
            }
            settle(gone.victims());
        }
        return gone;
    }

    Collection<Standing> all() {
        return standing.values();
    }

    /// The next time at which nodes are given back, or somebody is exempt no more while one waits
    /// who may have his place; [Node#NEVER] if there is none.
    long next(long now) {
        long back = standing.values().stream().mapToLong(Standing::until).min().orElse(Node.NEVER);
        long exempt = cluster.nextExemptionEnd(now);
        return exempt < back && somebodyAsks() ? exempt : back;
    }

    private boolean somebodyAsks() {
        return all.queue.classes().stream().anyMatch(fit -> fit.preemptor != null)
                || all.plans.all().stream().anyMatch(it -> it.job().fit.preemptor != null);
    }

    /// Whether a run gives way, or has given way, for a job that has not started yet.
    boolean clears(long run) {
        return by.containsKey(run);
    }

    /// A run has changed, or is gone.
    void changed(long job) {
        if (by.containsKey(job)) {
            settle(List.of(job));
        }
    }

    /// Shares out anew what these victims leave, and what others leave to the same jobs: who was
    /// first gets it first.
    private void settle(List<Long> victims) {
        var clearings = new TreeSet<>(FIRST);
        var debts = new TreeMap<Long, Demand[]>();
        var open = new ArrayDeque<>(victims);
        while (!open.isEmpty()) {
            long victim = open.remove();
            if (by.containsKey(victim) && !debts.containsKey(victim)) {
                debts.put(victim, new Demand[0]);
                for (long job : by.getOrDefault(victim, new TreeSet<>())) {
                    Standing it = standing.get(job);
                    if (it != null && clearings.add(it)) {
                        open.addAll(it.victims());
                    }
                }
            }
        }
        debts.replaceAll((victim, _) -> nothing(cluster.demandsOf(victim)));
        for (Standing it : clearings) {
            reserve(it, open(it, debts));
        }
        debts.forEach((victim, its) -> cluster.owe(victim, Creditor.CLEARING, its));
    }

    /// Nothing of each of these, for the same tenants.
    private static Demand[] nothing(Demand[] of) {
        return Arrays.stream(of).map(it -> Demand.NOTHING.of(it.tenant())).toArray(Demand[]::new);
    }

    /// What the job needs besides that which its victims owe it, by part.
    private Demand[] open(Standing it, Map<Long, Demand[]> debts) {
        Demand[] open = cluster.demands(it.job().fit, it.nodes());
        for (int part = 0; part < open.length; part++) {
            for (long victim : it.victims()) {
                int[] nodes = cluster.nodesOf(victim);
                Demand[] held = cluster.demandsOf(victim);
                Demand[] owed = debts.get(victim);
                if (owed == null || !cluster.told(victim)) {
                    continue;
                }
                for (int i = 0; i < nodes.length; i++) {
                    if (nodes[i] == it.nodes()[part]) {
                        Demand owes = open[part].within(held[i].less(owed[i]));
                        owed[i] = owed[i].and(owes);
                        open[part] = open[part].less(owes);
                    }
                }
            }
        }
        return open;
    }

    private void reserve(Standing it, Demand[] open) {
        Waiting job = it.job();
        long end = Scheduling.end(job, it.until());
        cluster.reserve(job.job, it.nodes(), open, it.since(), end);
        all.pools.reserve(job.job, job.fit.pools, it.since(), end);
    }
}
