package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What came free before a start pass and in it, and whom it may help.
///
/// *Method*: what a class could have on all other nodes is known from earlier passes ([Reach]), so
/// that a job of one part that is tried is looked for on these nodes alone.
final class Freed {

    /// Above so many pairs of nodes and classes, all classes are opened without looking.
    private static final long MOST_LOOKS = 1_000_000;

    /// Up to so many gains it pays to look again whom they may help.
    private static final int FEW = 16;

    private static final int[] NONE = {};

    private final Scheduling all;
    private final long now;
    private final Decisions decisions;

    /// Nodes on which something came free.
    private final BitSet nodes = new BitSet();

    /// The planned jobs that may start by it.
    private final Set<Long> helped = new HashSet<>();

    /// By class that gained something, until when its jobs could have other nodes than these.
    private final long[] elsewhere;

    private final BitSet gained = new BitSet();

    /// By class that gained something, until when its jobs could have one of these nodes.
    private final long[] until;

    /// The classes that do not know it yet.
    private final Gainers gainers;

    /// The nodes that are open and on which something came free, one after the other; one as often
    /// as something did.
    private final List<Node> gains = new ArrayList<>();

    /// By class that does not know it yet, the first of them that it may have.
    private final int[] from;

    /// What came free since the last call of [#settle] but one.
    private BitSet fresh = new BitSet();

    /// The classes that were told since then that they gain by it.
    private final Set<FitClass> told = new HashSet<>();

    /// Whether all classes may.
    private boolean everybody;

    /// Whom something that came free helps, whatever their classes gain by it.
    ///
    /// @param classes whose jobs in the queue may start
    /// @param plans whose jobs may
    record Helped(Collection<FitClass> classes, Collection<Plan> plans) {}

    Freed(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
        this.elsewhere = new long[all.classes().size()];
        this.until = new long[all.classes().size()];
        this.from = new int[all.classes().size()];
        this.gainers = new Gainers(all, now, this::first);
    }

    /// Takes what came free since the last call, and tells whom it may help.
    Helped settle() {
        Helped those = whom();
        those.plans.forEach(plan -> helped.add(plan.job().job));
        return those;
    }

    private Helped whom() {
        var those = new Helped(new ArrayList<>(), new ArrayList<>());
        told.clear();
        if (all.pools.settle()) {
            ofPools(those);
        }
        fresh = all.cluster.settle();
        nodes.or(fresh);
        everybody = many(fresh);
        if (everybody) {
            all.open();
            return new Helped(all.queue.settle(), all.plans.all());
        }
        if (!fresh.isEmpty()) {
            ofNodes(those);
            all.ownersOfBlocks.forEach(fit -> open(fit, those));
        }
        return those;
    }

    /// All may be helped by what came free in the pass before, which was cut off.
    void goOn(BitSet before) {
        nodes.or(before);
        all.plans.all().forEach(plan -> helped.add(plan.job().job));
    }

    /// Tells all what came free of whom it is not known whether they gain by it.
    ///
    /// @return where it did
    BitSet cutOff() {
        all.classes().forEach(this::tell);
        return nodes;
    }

    /// The jobs that may start in other partitions than those where they are planned, if what is
    /// kept for them there is not in their way.
    ///
    /// @param gains whether a class gains something
    Collection<Waiting> elsewhere(Predicate<FitClass> gains) {
        var helped = new ArrayList<Waiting>();
        if (fresh.isEmpty() && told.isEmpty()) {
            return helped;
        }
        for (Plan plan : all.plans.ofSeveral()) {
            boolean own = everybody || Arrays.stream(keptFor(plan)).anyMatch(fresh::get);
            for (Waiting other : plan.job().either) {
                if (other != plan.job()
                        && (own || told.contains(other.fit) || gains.test(other.fit))) {
                    helped.add(other);
                }
            }
        }
        return helped;
    }

    /// All who want some of a pool may gain by it.
    private void ofPools(Helped helped) {
        for (FitClass fit : all.classes()) {
            if (fit.pools.length > 0) {
                open(fit, helped);
            }
        }
    }

    /// All of a class may gain, whatever they could have before.
    private void open(FitClass fit, Helped helped) {
        fit.reach.open();
        gained.set(fit.id);
        elsewhere[fit.id] = Node.NEVER;
        told.add(fit);
        helped.classes.add(fit);
        helped.plans.addAll(fit.planned);
    }

    private void ofNodes(Helped helped) {
        for (int i = fresh.nextSetBit(0); i >= 0; i = fresh.nextSetBit(i + 1)) {
            Node node = all.cluster.node(i);
            if (node.open) {
                gain(node);
            }
            Timeline reserved = node.reservations();
            for (int at = 0; at < reserved.length(); at++) {
                Node.Step step = reserved.step(at);
                Plan own = step.sign() < 0 ? all.plans.of(step.job()) : null;
                if (own != null) {
                    helped.plans.add(own);
                }
            }
        }
    }

    /// Classes may gain by what is free on a node.
    private void gain(Node node) {
        gains.add(node);
        Vacancy vacancy = node.vacancy(Search.clock(now));
        for (int gpus = Math.min(node.freeGpus(), node.kind.gpus); gpus >= 0; gpus--) {
            gain(node, node.kind.classes(gpus), vacancy.untilGpus(gpus));
        }
        node.kind
                .sharing(node.mostUnits())
                .forEach((units, those) -> gain(node, those, vacancy.untilUnits(units)));
    }

    /// @param until when they can have something of it at most
    private void gain(Node node, BitSet those, long until) {
        int bucket = bucket(until);
        for (int id = those.nextSetBit(0); id >= 0; id = those.nextSetBit(id + 1)) {
            if (all.shortestJobs.upTo(id, bucket) && mayGain(id, node)) {
                from[id] = gainers.has(id) ? from[id] : gains.size() - 1;
                gainers.add(id, all.peaks.of(id, bucket, now));
            }
        }
    }

    private int bucket(long until) {
        return Buckets.of(until == Node.NEVER ? until : until - now);
    }

    private long untilAtMost(int id, Node node) {
        return node.open ? node.kind.untilAtMost(id, node.vacancy(Search.clock(now))) : now;
    }

    /// Whether a job of a class may have a node for as long as it needs, by a few numbers alone.
    private boolean mayGain(int id, Node node) {
        long until = untilAtMost(id, node);
        return until > now && all.shortestJobs.upTo(id, bucket(until));
    }

    /// The class that is to be told next what came free; null if no job of those that may gain by
    /// it can stand before that one.
    ///
    /// @param other null for nobody
    @Nullable FitClass next(@Nullable Waiting other) {
        return gainers.before(other);
    }

    /// Tells a class what came free, unless it knows: raises its reach. True: it gains by it.
    boolean tell(FitClass fit) {
        long last = now;
        for (Node node : gainers.remove(fit.id) ? gainsOf(fit.id) : List.<Node>of()) {
            long there = until(fit, node);
            if (there > now) {
                raise(fit, node, there);
                last = Math.max(last, there);
            }
        }
        return last > now;
    }

    private List<Node> gainsOf(int id) {
        return gains.subList(from[id], gains.size());
    }

    /// Until when a class could have a node that is long enough for one of its jobs.
    private long until(FitClass fit, Node node) {
        return mayGain(fit.id, node)
                ? all.search.until(fit, node, node.vacancy(Search.clock(now)), now)
                : now;
    }

    /// The first job of a class that may gain, by what is known without a look at the nodes; null
    /// if there is none.
    private @Nullable Waiting first(FitClass fit) {
        long last = now;
        for (Node node : gainsOf(fit.id)) {
            last = Math.max(last, untilAtMost(fit.id, node));
        }
        Waiting first = all.queue.head(fit, Buckets.lastBefore(last, now), now);
        for (Plan plan : fit.planned) {
            if (!lasts(plan, last)) {
                break; // They stand by length.
            }
            Waiting job = plan.job();
            boolean before = first == null || Waiting.compareAlone(job, first, now) < 0;
            first = before && job.set == null ? job : first;
        }
        return first;
    }

    private void raise(FitClass fit, Node node, long last) {
        if (!gained.get(fit.id)) {
            gained.set(fit.id);
            elsewhere[fit.id] = fit.reach.end();
        }
        until[fit.id] = Math.max(until[fit.id], last);
        fit.reach.raise(node.index, last);
        told.add(fit);
    }

    /// Somebody has taken some of what came free: only classes that may still have something of it
    /// are told.
    void taken() {
        if (gains.size() <= FEW) {
            gainers.keep(this::mayGain);
        }
    }

    private boolean mayGain(int id) {
        for (Node node : gainsOf(id)) {
            if (mayGain(id, node)) {
                return true;
            }
        }
        return false;
    }

    /// The planned jobs of a class that is [alike][FitClass#alike] that may be helped, each of
    /// which is as hopeful as all others of its class that are no longer.
    List<Waiting> helped(FitClass fit) {
        long end = Math.min(until[fit.id], fit.reach.end());
        var helped = new ArrayList<Waiting>();
        for (Plan plan : fit.planned) {
            if (!lasts(plan, end)) {
                break; // They stand by length.
            }
            if (plan.job().set == null) {
                helped.add(plan.job());
            }
        }
        return helped;
    }

    /// The plans of a class that is not [alike][FitClass#alike] whose jobs may be helped.
    List<Plan> lasting(FitClass fit) {
        List<Plan> lasting =
                fit.planned.stream().takeWhile(plan -> lasts(plan, until[fit.id])).toList();
        lasting.forEach(plan -> helped.add(plan.job().job));
        return lasting;
    }

    private boolean many(BitSet some) {
        return (long) some.cardinality() * all.classes().size() > MOST_LOOKS;
    }

    private boolean lasts(Plan plan, long until) {
        long length = plan.job().shortest;
        return until == Node.NEVER || (length != Node.NEVER && now + length <= until);
    }

    /// Whether a planned job may start by what came free.
    boolean helps(Plan plan) {
        FitClass fit = plan.job().fit;
        return helped.contains(plan.job().job) || (fit.alike() && lasts(plan, until[fit.id]));
    }

    /// Whether a planned job could start now, by what is known without looking for it: on nodes
    /// that its class could have for so long, and on its own.
    boolean hopeful(Plan plan) {
        Waiting job = plan.job();
        if (!job.fit.byNodesAlone()) {
            return true; // What its class lacks may be what is kept for this very job.
        }
        long end = Search.end(now, job.shortest);
        return job.fit.reach.end() >= end || job.fit.reach.holds(end, ownNodes(plan, job));
    }

    /// The same in another partition than that where it is planned, if only what is kept for it
    /// there is in its way.
    boolean hopeful(Plan plan, Waiting other) {
        if (!other.fit.able) {
            return false;
        }
        if (!other.fit.byNodesAlone()) {
            return true;
        }
        int[] own = ownNodes(plan, other);
        return own.length > 0 && other.fit.reach.holds(Search.end(now, other.shortest), own);
    }

    /// The nodes of a planned job on which there may be room for it now that others of its class do
    /// not have. A job of one part could not have its own before unless something came free there.
    ///
    /// @param job of the plan, or for another one of its partitions
    private int[] ownNodes(Plan plan, Waiting job) {
        FitClass fit = job.fit;
        boolean here = job == plan.job();
        int[] own = here ? plan.nodes() : keptFor(plan);
        boolean any = !here || own.length > 1 || plan.start() <= now || job.limited;
        if (!any && !nodes.get(own[0])) {
            return NONE;
        }
        int count = 0;
        int[] with = new int[own.length];
        for (int index : own) {
            Node node = all.cluster.node(index);
            if ((any || nodes.get(index))
                    && fit.admits(node)
                    && node.fitsAny(fit.ways(node.kind.number))) {
                with[count++] = index;
            }
        }
        return Arrays.copyOf(with, count);
    }

    /// The nodes that nobody else has for the sake of a plan: of one that is alone in its blocks,
    /// all of theirs.
    private int[] keptFor(Plan plan) {
        return all.cluster.nodesOf(plan.job().job);
    }

    /// Where a planned job could start now, had it nothing reserved.
    @Nullable Place search(Plan plan) {
        Waiting job = plan.job();
        FitClass fit = job.fit;
        if (fit.byNodesAlone() && ownNodes(plan, job).length == 0) {
            return Places.either(job, length -> search(fit, length));
        }
        all.plans.lift(plan);
        Place place = Places.either(job, length -> search(plan, length));
        all.plans.putBack(plan);
        return place;
    }

    /// Where a planned job could start now in another partition, had it nothing reserved.
    @Nullable Place search(Plan plan, Waiting other) {
        int[] kept = keptFor(plan);
        all.plans.lift(plan);
        Place place =
                Places.either(
                        other, length -> all.places.within(other, length, now, decisions, kept));
        all.plans.putBack(plan);
        return place;
    }

    private @Nullable Place search(Plan plan, long length) {
        FitClass fit = plan.job().fit;
        if (!known(fit, length)) {
            return all.places.within(plan.job(), length, now, decisions, plan.nodes());
        }
        var among = (BitSet) nodes.clone();
        among.set(plan.nodes()[0]);
        return all.search.among(among, fit, now, length);
    }

    /// Where a job in the queue could start now. If that is nowhere, its class's reach is lowered.
    @Nullable Place search(Waiting job) {
        if (!job.shortens() && !job.fit.spreads()) {
            return search(job.fit, Buckets.longest(job.bucket));
        }
        long length = job.shortens() ? job.length : Buckets.longest(job.bucket);
        Place place = all.places.within(job, length, now, decisions);
        if (place == null && job.shortens()) {
            length = job.shortest;
            place = all.places.within(job, length, now, decisions);
        }
        if (place == null) {
            all.places.learn(job, Search.end(now, length), now, decisions);
        }
        return place;
    }

    private @Nullable Place search(FitClass fit, long length) {
        boolean known = known(fit, length);
        Place place =
                known
                        ? all.search.among(nodes, fit, now, length)
                        : all.search.within(fit, now, length);
        if (place == null) {
            all.search.learn(fit, Search.end(now, length), known ? elsewhere(fit) : now);
        }
        return place;
    }

    /// Whether a job could have none of the other nodes.
    private boolean known(FitClass fit, long length) {
        return fit.parts() == 1
                && !fit.spreads()
                && !fit.ownsBlocks
                && Search.end(now, length) > elsewhere(fit);
    }

    private long elsewhere(FitClass fit) {
        return gained.get(fit.id) ? elsewhere[fit.id] : fit.reach.end();
    }
}
