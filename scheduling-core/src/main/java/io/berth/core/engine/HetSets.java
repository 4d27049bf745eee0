package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The heterogeneous jobs that wait, and where their components find seats.
///
/// *Method*: the components of a set are seated one after the other, the largest first, and each
/// seat is kept while the next is looked for. If one finds none, those before it give theirs back,
/// and it is tried before them. For an expected start the time moves on to when that one has a
/// seat, until all have theirs at one time.
///
/// It is greedy: the orders that are tried may fail where another one would fit.
///
/// *Example*: of two nodes with 8 GPUs, one is full until 12:00. A set of 8 GPUs and 4 GPUs: the 8
/// have a seat now, the 4 from 12:00 on; then the 8 have one, too, and that is its expected start.
final class HetSets {

    /// Times tried for the expected start of a set.
    static final int INSTANTS = 16;

    /// @param seats by component, as far as they were found; none are kept
    /// @param unseated the first component that found no seat; null if all did
    /// @param next when it has one beside the others, in epoch milliseconds; [Node#NEVER] if that
    ///   is not known
    /// @param after when it has one at all, be it where another one has run; the same
    record Seats(Map<Waiting, Place> seats, @Nullable Waiting unseated, long next, long after) {

        /// When to look again. The end of a component is no time at which it could start beside it:
        /// it is taken only where there is no better one.
        long again() {
            return next == Node.NEVER ? after : next;
        }

        boolean whole() {
            return unseated == null;
        }

        /// When they all start.
        long start() {
            return seats.values().iterator().next().start();
        }
    }

    private final Scheduling all;
    private final TreeMap<Long, HetSet> sets = new TreeMap<>();

    HetSets(Scheduling all) {
        this.all = all;
    }

    Collection<HetSet> all() {
        return sets.values();
    }

    /// Those of which every component waits.
    List<HetSet> complete() {
        return sets.isEmpty()
                ? List.of()
                : sets.values().stream().filter(HetSet::complete).toList();
    }

    /// A job waits that is a component of a set.
    ///
    /// @param first id of the set's first component
    void add(Waiting job, long first, int size) {
        HetSet set = sets.computeIfAbsent(first, _ -> new HetSet(first, size));
        set.add(job);
        job.set = set;
    }

    void remove(Waiting job) {
        if (job.set != null && job.set.remove(job)) {
            sets.remove(job.set.first, job.set);
        }
    }

    /// A set of which only a part is planned is not planned at all.
    void settle(Decisions decisions) {
        for (HetSet set : sets.values()) {
            if (set.torn()) {
                all.unplan(set.lead(), decisions);
            }
        }
    }

    /// Where all can start now. What is planned for them stands in nobody's way but theirs.
    Seats now(HetSet set, long now, Decisions decisions) {
        if (set.planned()) {
            return lifted(set, () -> planned(set, now, decisions));
        }
        if (!hopeful(set, now)) {
            return new Seats(Map.of(), set.lead(), Node.NEVER, Node.NEVER);
        }
        return at(
                set,
                now,
                (job, first) -> {
                    Place place = all.places.now(job, job.length, now, decisions);
                    if (place == null && first) {
                        all.places.learn(job, Search.end(now, job.length), now, decisions);
                    }
                    return place;
                });
    }

    /// Where they find seats now, or have them by plan: the search may choose others, and then miss
    /// one.
    private Seats planned(HetSet set, long now, Decisions decisions) {
        Seats found = at(set, now, (job, _) -> all.places.now(job, job.length, now, decisions));
        return found.whole() ? found : at(set, now, (job, _) -> kept(job, now));
    }

    /// The seat that a component has by plan, if it is free now.
    private @Nullable Place kept(Waiting job, long now) {
        Plan plan = Objects.requireNonNull(job.plan);
        long end = Search.end(now, job.length);
        Demand[] demands = plan.demands(all.cluster);
        boolean free = all.pools.until(job.fit.pools, now) >= end;
        for (int part = 0; part < demands.length && free; part++) {
            Node node = all.cluster.node(plan.nodes()[part]);
            long[] hours = job.fit.hours.of(node.index);
            free =
                    node.open
                            && node.until(demands[part], Search.clock(now), hours) >= end
                            && all.cluster.matesUntil(node, demands[part], Search.clock(now))
                                    >= end;
        }
        return free ? new Place(now, plan.nodes(), plan.lane()) : null;
    }

    /// Whether each could start now by itself, by what is known without looking.
    private static boolean hopeful(HetSet set, long now) {
        return set.components().stream()
                .allMatch(it -> Search.end(now, it.length) <= it.fit.reach.end());
    }

    /// The component that finds no seat now, whatever limits say; null if all do.
    @Nullable Waiting unseated(HetSet set, long now) {
        return lifted(
                        set,
                        () ->
                                at(
                                        set,
                                        now,
                                        (job, _) -> all.search.now(job.fit.least, now, job.length)))
                .unseated();
    }

    /// The earliest time that is found at which all can start, and their seats then; not whole if
    /// there is none before that.
    ///
    /// @param from when limits let them start; [Node#NEVER] if that is not known
    Seats earliest(HetSet set, long now, long from, long before, Decisions decisions) {
        long end = Math.min(before, set.lastStart());
        if (from >= end) {
            return new Seats(Map.of(), set.lead(), Node.NEVER, Node.NEVER);
        }
        return lifted(
                set,
                () -> {
                    long time = from;
                    Seats seats = seats(set, time, now, decisions);
                    for (int turn = 0; !seats.whole() && turn < INSTANTS; turn++) {
                        if (seats.again() <= time || seats.again() >= end) {
                            break;
                        }
                        time = seats.again();
                        seats = seats(set, time, now, decisions);
                    }
                    return seats;
                });
    }

    private Seats seats(HetSet set, long time, long now, Decisions decisions) {
        return at(
                set,
                time,
                (job, _) ->
                        Places.allowed(job, decisions) ? all.later.earliest(job, now, time) : null);
    }

    /// Looks for the seat of a component.
    @FunctionalInterface
    private interface Look {

        /// @param first whether no other one has a seat yet
        @Nullable Place seat(Waiting job, boolean first);
    }

    /// Seats all at one time, and gives the seats back. The one that finds none is tried before all
    /// others once: it may be particular where they are not.
    private Seats at(HetSet set, long time, Look look) {
        var order = new ArrayList<>(set.largestFirst());
        Seats first = inOrder(order, time, look);
        Seats last = first;
        long next = first.next();
        long after = first.after();
        var ahead = new HashSet<Waiting>(order.subList(0, 1));
        for (Waiting it = last.unseated(); it != null && ahead.add(it); it = last.unseated()) {
            order.remove(it);
            order.addFirst(it);
            last = inOrder(order, time, look);
            next = Math.min(next, last.next());
            after = Math.min(after, last.after());
        }
        return last.whole() ? last : new Seats(Map.of(), first.unseated(), next, after);
    }

    private Seats inOrder(List<Waiting> order, long time, Look look) {
        var seats = new LinkedHashMap<Waiting, Place>();
        Waiting unseated = null;
        long next = Node.NEVER;
        long after = Node.NEVER;
        for (Waiting job : order) {
            Place place = look.seat(job, seats.isEmpty());
            if (place == null || place.start() > time) {
                unseated = job;
                after = place == null ? Node.NEVER : place.start();
                next = place == null || seats.isEmpty() ? after : beside(seats, job, look);
                break;
            }
            seats.put(job, place);
            keep(job, place);
        }
        seats.keySet().forEach(this::giveBack);
        return new Seats(seats, unseated, next, after);
    }

    /// When the one that found no seat has one that none of these keeps, however long it runs.
    private long beside(Map<Waiting, Place> seats, Waiting unseated, Look look) {
        seats.forEach((job, its) -> {
            giveBack(job);
            keep(job, its, Node.NEVER);
        });
        Place beside = look.seat(unseated, false);
        return beside == null ? Node.NEVER : beside.start();
    }

    private void keep(Waiting job, Place place) {
        keep(job, place, Scheduling.end(job, place.start()));
    }

    private void keep(Waiting job, Place place, long end) {
        Demand[] demands = all.cluster.demands(job.fit, place.nodes(), place.lane());
        all.cluster.reserve(seatOf(job), place.nodes(), demands, place.start(), end);
        all.pools.reserve(seatOf(job), job.fit.pools, place.start(), end);
    }

    private void giveBack(Waiting job) {
        all.cluster.takeOff(seatOf(job));
        all.pools.takeOff(seatOf(job));
    }

    /// Whose a seat is that is kept while others are looked for: no job's.
    private static long seatOf(Waiting job) {
        return ~job.job;
    }

    /// Asks as if nothing were planned for them. What is known of their nodes is exact meanwhile:
    /// what is found does not depend on how the plan came about.
    private <T> T lifted(HetSet set, Supplier<T> question) {
        var lifted = new ArrayList<Plan>();
        for (Waiting job : set.components()) {
            if (job.plan != null) {
                lifted.add(job.plan);
            }
        }
        var stays = new LinkedHashMap<Long, Cluster.Stay>();
        for (Plan plan : lifted) {
            long job = plan.job().job;
            Cluster.Stay stay = all.cluster.takeOff(job);
            if (stay != null) {
                stays.put(job, stay);
            }
            all.pools.lift(job);
        }
        try {
            return question.get();
        } finally {
            stays.forEach(all.cluster::enter);
            lifted.forEach(plan -> all.pools.putBack(plan.job().job));
        }
    }
}
