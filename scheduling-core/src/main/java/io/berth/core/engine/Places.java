package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import io.berth.core.engine.Search.Place;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where a waiting job finds room, on as many nodes as suit it.
final class Places {

    private final Scheduling all;

    Places(Scheduling all) {
        this.all = all;
    }

    /// A class on as many nodes as its jobs may have.
    Stream<FitClass> widths(FitClass fit) {
        return widths(fit, all.cluster.size());
    }

    /// A class on as many nodes as it needs, and on more where each then needs less: one more each
    /// time at first, then ever more.
    private static Stream<FitClass> widths(FitClass fit, int most) {
        return !fit.spreads()
                ? Stream.of(fit)
                : IntStream.iterate(
                                fit.parts(),
                                it -> it <= Math.min(most, fit.layout.most()),
                                it -> it + 1 + (it - fit.parts()) / 4)
                        .mapToObj(fit::onParts);
    }

    /// Where a job can start now: on as few nodes as it needs, or on more where each needs less.
    @Nullable Place now(Waiting job, long length, long now, Decisions decisions) {
        FitClass fit = job.fit;
        int most = fit.spreads() ? decisions.most(job, mostOf(fit)) : fit.parts();
        return widths(fit, most)
                .map(it -> all.search.now(it, now, length))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /// The same as far as the reach of the job's class lets it be.
    ///
    /// @param freer nodes of which more is free than the reach says
    @Nullable Place within(Waiting job, long length, long now, Decisions decisions, int... freer) {
        return job.fit.spreads()
                ? now(job, length, now, decisions)
                : all.search.within(job.fit, now, length, freer);
    }

    /// What is found for the length of a job, else for the shortest that it takes.
    static @Nullable Place either(Waiting job, LongFunction<@Nullable Place> look) {
        Place whole = look.apply(job.length);
        return whole == null && job.shortens() ? look.apply(job.shortest) : whole;
    }

    private int mostOf(FitClass fit) {
        return Math.min(fit.layout.most(), all.cluster.size());
    }

    /// Where a job can start soonest on the nodes that hold it, as soon as limits let it; null if
    /// that is nowhere, or if limits do not let it have so many.
    @Nullable Place earliest(Waiting job, long now, Decisions decisions) {
        return earliest(job, now, Turns.allowedFrom(job, now, decisions), decisions);
    }

    @Nullable Place earliest(Waiting job, long now, long from, Decisions decisions) {
        if (from >= job.lastStart) {
            return null;
        }
        Place found = allowed(job, decisions) ? all.later.earliest(job, now, from) : null;
        Place divided = divided(job, now, from, found, decisions);
        return divided == null ? found : divided;
    }

    /// Where a job could start now if nobody behind it had an expected start; licenses that are
    /// planned for them it leaves, and blocks to itself it does not get so.
    @Nullable Place inTurn(Waiting job, long now, Decisions decisions) {
        List<Long> behind =
                job.fit.ownsBlocks || !all.search.roomy(job.fit)
                        ? List.of()
                        : all.plans.all().stream()
                                .filter(plan -> Waiting.compare(job, plan.job(), now) < 0)
                                .map(plan -> plan.job().job)
                                .toList();
        if (behind.isEmpty()) {
            return null;
        }
        behind.forEach(all.cluster::lift);
        Place place = either(job, length -> now(job, length, now, decisions));
        behind.forEach(all.cluster::putBack);
        return place;
    }

    /// Whether limits let a job have the fewest nodes that hold it.
    static boolean allowed(Waiting job, Decisions decisions) {
        FitClass least = job.fit.least;
        return least == job.fit || decisions.most(job, least.parts()) == least.parts();
    }

    /// Where a job can start sooner than there on GPUs that are divided anew for it; null if it
    /// cannot, or if limits let it start only later.
    @Nullable Place divided(
            Waiting job, long now, long from, @Nullable Place found, Decisions decisions) {
        long before = found == null ? Node.NEVER : found.start();
        Place divided = all.drains.earliest(job, now, before, decisions);
        return divided != null && divided.start() >= from ? divided : null;
    }

    /// The last search for the job has found nothing for a window that ends then: it lowers the
    /// reach of its class, unless limits kept it from nodes that others may have.
    void learn(Waiting job, long end, long now, Decisions decisions) {
        FitClass fit = job.fit;
        if (!fit.spreads()) {
            all.search.learn(fit, end, now);
        } else if (decisions.most(job, mostOf(fit)) == mostOf(fit)) {
            fit.reach.lower(end - 1);
        }
    }

    /// How long a job can stay there beside all that is planned, as far as it wants to.
    long longest(Waiting job, Place found, long now) {
        int[] nodes = found.nodes();
        Demand[] demands = all.cluster.demands(job.fit, nodes, found.lane());
        long until = all.pools.until(job.fit.pools, now);
        for (int part = 0; part < nodes.length; part++) {
            long[] hours = job.fit.hours.of(nodes[part]);
            Node node = all.cluster.node(nodes[part]);
            Clock clock = Search.clock(now);
            until = Math.min(until, node.until(demands[part], clock, hours));
            until = Math.min(until, all.cluster.matesUntil(node, demands[part], clock));
        }
        return until == Node.NEVER ? job.length : Math.min(job.length, until - now);
    }

    /// The most nodes that the job may have and finds beside all that is planned. They are found by
    /// halving.
    Place widest(Waiting job, Place found, long length, long now, Decisions decisions) {
        Place widest = found;
        int fits = found.nodes().length;
        int wanted = mostOf(job.fit);
        int parts = wanted > fits ? decisions.most(job, wanted) : fits;
        int tooMany = parts + 1;
        while (parts > fits) {
            Place wider = all.search.now(job.fit.onParts(parts), now, length);
            if (wider == null) {
                tooMany = parts;
            } else {
                widest = wider;
                fits = parts;
            }
            parts = (fits + tooMany) / 2;
        }
        return widest;
    }
}
