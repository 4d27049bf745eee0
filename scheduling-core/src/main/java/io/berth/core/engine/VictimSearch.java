package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Bid;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds who must give way so that a job can start now.
///
/// *Goals*, ranked: the lowest rank suffices; the least is lost; the fewest runs give way.
///
/// *Constraints*: only runs on grounds that the job's class may have, none of them exempt; a run
/// gives way on all its nodes or on none; every expected start of a job ahead stays where it is,
/// unless that job would give its place back and there is no other way; and so does a run of whose
/// end one counts that has a GPU run empty; nobody gives way whose loss does not help.
///
/// *Method*: on each node the cheapest victims for a part are found ([NodeVictims]); a gang takes
/// its nodes in the order of what they cost, a run that gave way on one of them being free on all
/// others ([GangVictims]). Then the placement is simulated: the victims' runs are lifted, and the
/// search that places every job must find nodes ([Search#now]). From the dearest victim on, each is
/// put back, and stays if the job can start all the same.
///
/// *Example*: two nodes of 8 GPUs. One runs 8 jobs of one GPU for an hour, the other one job of 8
/// for ten minutes. A job of 2 GPUs costs two of the first (2 GPU-hours) or the second (1 hour and
/// 20 minutes of GPUs): the second gives way.
///
/// *Cost*: what the nodes of the class hold, once; it counts steps and never time.
///
/// Source: the rules of slurm.conf(5), `PreemptType`; the simulation before anyone is stopped as in
/// Volcano 1.15 and KAI Scheduler.
final class VictimSearch {

    /// Other placements tried to spare a victim.
    static final int SPARING_TRIES = 64;

    private final Scheduling all;
    private final Waiting job;
    private final FitClass fit;
    private final Preemptor preemptor;
    private final Decisions decisions;
    private final long now;

    /// For how long the nodes must be the job's: while they are cleared, and for its run.
    private final long length;

    private int tries = SPARING_TRIES;

    private VictimSearch(
            Scheduling all, Waiting job, Preemptor preemptor, long now, Decisions decisions) {
        this.all = all;
        this.job = job;
        this.fit = job.fit;
        this.preemptor = preemptor;
        this.decisions = decisions;
        this.now = now;
        this.length =
                job.length == Node.NEVER ? Node.NEVER : job.length + all.preemption.clearMillis();
    }

    /// Null if the job may have nobody's place, or would not start all the same.
    static @Nullable Clearing find(Scheduling all, Waiting job, long now, Decisions decisions) {
        return find(all, job, false, now, decisions);
    }

    /// The same; with `beyond` the time for which runs are exempt does not count, nor how many
    /// victims a job may have.
    static @Nullable Clearing find(
            Scheduling all, Waiting job, boolean beyond, long now, Decisions decisions) {
        Preemptor given = job.fit.preemptor;
        if (given == null || !given.mayAsk(all)) {
            return null;
        }
        Preemptor preemptor = given.now(queue -> decisions.covers(job, queue));
        if (!preemptor.mayAsk(all)) {
            return null;
        }
        var search =
                new VictimSearch(all, job, beyond ? preemptor.beyond() : preemptor, now, decisions);
        Clearing found = search.find(false);
        return found != null || preemptor.claims().isEmpty() ? found : search.find(true);
    }

    /// @param overtakes whether jobs ahead give way that would give their places back
    private @Nullable Clearing find(boolean overtakes) {
        List<Plan> lifted = inTheWay(overtakes);
        lifted.forEach(all.plans::lift);
        try {
            int[] free = now();
            if (free != null) {
                return new Clearing(free, List.of(), overtakes);
            }
            List<Long> victims = fit.parts() == 1 ? onOneNode() : ofGang();
            return victims == null ? null : simulated(victims, overtakes);
        } finally {
            lifted.forEach(all.plans::putBack);
        }
    }

    /// The plans of the job itself and of those behind it, and of those that it overtakes.
    private List<Plan> inTheWay(boolean overtakes) {
        var found = new ArrayList<Plan>();
        for (Plan plan : all.plans.all()) {
            if (plan.job().job == job.job
                    || Waiting.compare(job, plan.job(), now) < 0
                    || (overtakes && decisions.yields(plan.job(), job))) {
                found.add(plan);
            }
        }
        return found;
    }

    private @Nullable List<Long> onOneNode() {
        var rooms = rooms();
        NodeVictims.Found best = null;
        Bid on = null;
        for (int index = 0; index < all.cluster.size(); index++) {
            Node node = all.cluster.node(index);
            Demand demand = fit.on[0][node.kind.number];
            Loss most = best == null ? null : best.loss();
            NodeVictims.Found found =
                    demand == null ? null : rooms.find(node, demand, Set.of(), most);
            if (demand == null || found == null) {
                continue;
            }
            var bid = new Bid(node, demand, node.cost(Policies.TIGHTEST, demand));
            int order = best == null ? -1 : found.loss().compareTo(best.loss());
            if (on == null || order < 0 || (order == 0 && bid.before(on))) {
                on = bid;
                best = found;
            }
        }
        return best == null ? null : best.victims();
    }

    private @Nullable List<Long> ofGang() {
        return new GangVictims(all, fit, rooms()).find();
    }

    private Rooms rooms() {
        long end = length == Node.NEVER ? Node.NEVER : now + length;
        var victims = new NodeVictims(preemptor, all.preemption.order(), all.drains::counts, now);
        return new Rooms(all, fit, victims, now, end);
    }

    /// The placement without these runs, and without those of them that it does not need.
    private @Nullable Clearing simulated(List<Long> victims, boolean overtakes) {
        List<Long> dearestFirst = dearestFirst(victims);
        var lifted = new ArrayList<>(dearestFirst);
        dearestFirst.forEach(all.cluster::liftRun);
        try {
            int[] nodes = now();
            if (nodes == null) {
                return null;
            }
            for (long victim : dearestFirst) {
                all.cluster.putRunBack(victim);
                int[] spared = without(nodes, victim);
                if (spared == null) {
                    all.cluster.liftRun(victim);
                } else {
                    lifted.remove(victim);
                    nodes = spared;
                }
            }
            long told = lifted.stream().filter(it -> all.cluster.stake(it).told()).count();
            boolean few = lifted.size() - told <= all.preemption.mostVictims();
            return few || preemptor.always()
                    ? new Clearing(nodes, List.copyOf(lifted), overtakes)
                    : null;
        } finally {
            lifted.forEach(all.cluster::putRunBack);
        }
    }

    private int @Nullable [] now() {
        Search.Place place = all.search.now(fit, now, length);
        return place == null ? null : place.nodes();
    }

    private List<Long> dearestFirst(List<Long> victims) {
        return victims.stream()
                .sorted((one, other) -> {
                    int order = loss(other).compareTo(loss(one));
                    return order != 0 ? order : Long.compare(one, other);
                })
                .toList();
    }

    private Loss loss(long victim) {
        return Loss.of(all.cluster.stake(victim), now, all.preemption.order());
    }

    /// Nodes for the job while that run, which has just been put back, stays; null if none are
    /// found.
    private int @Nullable [] without(int[] nodes, long victim) {
        Rooms rooms = rooms();
        BitSet of = new BitSet();
        Arrays.stream(all.cluster.nodesOf(victim)).forEach(of::set);
        Demand[] demands = all.cluster.demands(fit, nodes);
        for (int part = 0; part < nodes.length; part++) {
            if (of.get(nodes[part]) && !rooms.lasts(all.cluster.node(nodes[part]), demands[part])) {
                return tries-- > 0 ? now() : null;
            }
        }
        return nodes;
    }
}
