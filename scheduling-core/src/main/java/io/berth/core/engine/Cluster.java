package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Nodes with what runs hold and what is reserved on them.
public final class Cluster {

    /// What a job has on nodes: a run until its expected end, or a reservation.
    ///
    /// @param nodes by part
    /// @param demands by part
    /// @param from start of a reservation; 0 for a run
    /// @param stake of a run that may give way; null for another, and for a reservation
    record Stay(
            int[] nodes,
            Demand[] demands,
            long from,
            long until,
            boolean running,
            @Nullable Stake stake) {

        boolean same(Stay other) {
            return running == other.running
                    && Objects.equals(stake, other.stake)
                    && from == other.from
                    && until == other.until
                    && Arrays.equals(nodes, other.nodes)
                    && Arrays.equals(demands, other.demands);
        }
    }

    /// To whom a run leaves some of what it holds. What it owes to one says nothing of what it owes
    /// to the other.
    enum Creditor {
        /// Jobs that nodes are cleared for.
        CLEARING,
        /// GPUs that run empty.
        DRAIN
    }

    final List<Kind> kinds;
    final Network network;

    /// The kinds of each weight, the lowest first.
    final List<List<Kind>> byWeight;

    private final List<Node> nodes = new ArrayList<>();
    private final Map<Long, Stay> stays = new HashMap<>();

    /// What runs will leave to each creditor, by part.
    private final Map<Long, Map<Creditor, Demand[]>> owed = new HashMap<>();

    /// How many runs stand on each ground.
    private int[] grounds = {};

    /// Until when runs are exempt, and how many until then.
    private final TreeMap<Long, Integer> exemptions = new TreeMap<>();

    /// Nodes on which something came free since [#settle] was last called.
    private final BitSet touched = new BitSet();

    /// @param kindOf the kind of each node, as a place in `kinds`
    public Cluster(List<Kind> kinds, int[] kindOf, Network network) {
        this.kinds = List.copyOf(kinds);
        this.network = network;
        this.byWeight =
                List.copyOf(
                        kinds.stream()
                                .collect(
                                        Collectors.groupingBy(
                                                it -> it.weight, TreeMap::new, Collectors.toList()))
                                .values());
        for (int number = 0; number < kinds.size(); number++) {
            kinds.get(number).number = number;
        }
        for (int index = 0; index < kindOf.length; index++) {
            Kind kind = kinds.get(kindOf[index]);
            var node = new Node(index, kind);
            kind.nodes.add(node);
            nodes.add(node);
        }
        kinds.forEach(Kind::seal);
        touched.set(0, nodes.size());
    }

    public int size() {
        return nodes.size();
    }

    Node node(int index) {
        return nodes.get(index);
    }

    /// Opens a node for work, or closes it. True: it was not so before.
    boolean open(int index, boolean open) {
        Node node = nodes.get(index);
        if (node.open == open) {
            return false;
        }
        node.open = open;
        node.kind.refresh(node);
        touched.set(index);
        return true;
    }

    /// A job runs. What it had before, it has no more.
    ///
    /// @param until its expected end
    /// @param stake null if it gives way to nobody
    void run(long job, int[] onNodes, Demand[] demands, long until, @Nullable Stake stake) {
        put(job, stay(onNodes, demands, 0, until, true, stake));
    }

    /// A job has its nodes reserved. What it had before, it has no more.
    void reserve(long job, int[] onNodes, Demand[] demands, long from, long until) {
        put(job, stay(onNodes, demands, from, until, false, null));
    }

    /// A job that has its blocks to itself has nothing of their other nodes, so that nobody else is
    /// there.
    private Stay stay(
            int[] onNodes,
            Demand[] demands,
            long from,
            long until,
            boolean running,
            @Nullable Stake stake) {
        if (demands.length == 0 || !demands[0].tenant().block()) {
            return new Stay(onNodes, demands, from, until, running, stake);
        }
        int[] all =
                IntStream.concat(
                                Arrays.stream(onNodes), Arrays.stream(onNodes).flatMap(this::mates))
                        .distinct()
                        .toArray();
        Demand[] its = Arrays.copyOf(demands, all.length);
        Arrays.fill(its, demands.length, all.length, Demand.NOTHING.of(demands[0].tenant()));
        return new Stay(all, its, from, until, running, stake);
    }

    /// The other nodes of a node's block.
    private IntStream mates(int node) {
        int block = network.block(node);
        return block < 0
                ? IntStream.empty()
                : Arrays.stream(network.inBlock(block)).filter(it -> it != node);
    }

    /// Whether somebody runs on the other nodes of a node's block, if a tenant is to be alone in
    /// it.
    boolean mated(Node node, Tenant tenant) {
        return tenant.block()
                && mates(node.index).anyMatch(it -> nodes.get(it).strangers(tenant) > 0);
    }

    /// Until when from now on nobody is on the other nodes of a node's block, if a demand is to be
    /// alone in it; now if somebody is.
    long matesUntil(Node node, Demand demand, Clock clock) {
        Demand nothing = Demand.NOTHING.of(demand.tenant());
        return !demand.tenant().block()
                ? Node.NEVER
                : mates(node.index)
                        .mapToLong(it -> nodes.get(it).until(nothing, clock, Hours.OPEN))
                        .min()
                        .orElse(Node.NEVER);
    }

    /// The first time from one on, as [Node#earliest], at which nobody is on the other nodes of a
    /// node's block for so long, if a demand is to be alone in it. That may be later than the last
    /// time at which it is so.
    long matesEarliest(Node node, Demand demand, long length, long from, long last, Clock clock) {
        Demand nothing = Demand.NOTHING.of(demand.tenant());
        long earliest = from;
        int[] mates = demand.tenant().block() ? mates(node.index).toArray() : new int[0];
        for (int mate : mates) {
            long at = nodes.get(mate).earliest(nothing, length, earliest, last, clock, Hours.OPEN);
            if (at == Node.NEVER) {
                return Node.NEVER;
            }
            earliest = Math.max(earliest, at);
        }
        return earliest;
    }

    /// As [Node#nextStep], of all nodes that a class looks at for one.
    long nextStep(Node node, FitClass fit, long time, Clock clock) {
        long next = node.nextStep(time, clock, fit.hours.of(node.index));
        return !fit.ownsBlocks
                ? next
                : mates(node.index)
                        .mapToLong(it -> nodes.get(it).nextStep(time, clock, Hours.OPEN))
                        .reduce(next, Math::min);
    }

    private void put(long job, Stay stay) {
        Stay before = stays.get(job);
        if (before != null && before.same(stay)) {
            return;
        }
        leave(job);
        enter(job, stay);
    }

    /// A job has that from now on.
    void enter(long job, Stay stay) {
        stays.put(job, stay);
        stand(stay.stake, 1);
        take(job, stay);
    }

    /// A run that has just begun, and owes nobody yet, holds exactly this. Nothing comes free by
    /// that.
    void seat(long job, int[] onNodes, Demand[] demands) {
        owed.remove(job);
        Stay stay = remove(job);
        if (stay != null) {
            enter(job, stay(onNodes, demands, stay.from, stay.until, true, stay.stake));
        }
    }

    /// Which CPUs of a node a run takes that has just begun; null if it may have none together with
    /// others.
    Shared.@Nullable Choice choice(long job, int node, long now) {
        return Together.choice(nodes.get(node), job, Search.clock(now));
    }

    private void touch(int[] some) {
        for (int node : some) {
            touched.set(node);
        }
    }

    /// A job neither runs nor has anything reserved any more.
    public void leave(long job) {
        owed.remove(job);
        Stay stay = remove(job);
        if (stay != null) {
            touch(stay.nodes);
        }
    }

    /// Takes a reservation off for a look, and what is known of its nodes with it. Nothing comes
    /// free by that.
    @Nullable Stay takeOff(long job) {
        return remove(job);
    }

    /// Takes off the nodes what a job has there. What it owes it still owes if it enters again.
    private @Nullable Stay remove(long job) {
        Stay stay = stays.remove(job);
        if (stay == null) {
            return null;
        }
        stand(stay.stake, -1);
        for (int part = 0; part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            if (stay.running) {
                node.release(job, stay.demands[part]);
            } else {
                node.unreserve(job);
            }
            node.kind.refresh(node);
        }
        return stay;
    }

    private void take(long job, Stay stay) {
        for (int part = 0; part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            Demand demand = stay.demands[part];
            if (stay.running) {
                node.take(job, demand, returns(job, stay, part), stay.until, stay.stake);
            } else {
                node.reserve(job, demand, stay.from, stay.until);
            }
            node.kind.refresh(node);
        }
    }

    private Demand returns(long job, Stay stay, int part) {
        Demand rest = stay.demands[part];
        for (Demand[] debts : owed.getOrDefault(job, Map.of()).values()) {
            rest = rest.less(debts[part].within(rest));
        }
        return rest;
    }

    /// A run leaves so much of what it holds to a creditor, and not to those who look for room.
    /// That may be a look: nothing is taken to have come free where it leaves less.
    ///
    /// @param debts by part of the run; null for none
    void owe(long job, Creditor to, Demand @Nullable [] debts) {
        Map<Creditor, Demand[]> its = owed.computeIfAbsent(job, _ -> new EnumMap<>(Creditor.class));
        Demand[] before = debts == null ? its.remove(to) : its.put(to, debts);
        if (its.isEmpty()) {
            owed.remove(job);
        }
        Stay stay = stays.get(job);
        if (stay == null || !stay.running || Arrays.equals(before, debts)) {
            return;
        }
        for (int part = 0; part < stay.nodes.length; part++) {
            nodes.get(stay.nodes[part]).release(job, stay.demands[part]);
        }
        take(job, stay);
    }

    /// Some GPUs of a node are kept from everybody but those who give them back in time.
    ///
    /// @param mark tells them from others that are kept
    /// @param free by lane; none if they are not kept any more
    /// @param until up to when they are lent
    void keep(long mark, int index, List<Demand> free, long until) {
        Node node = nodes.get(index);
        node.keep(mark, free, until);
        node.kind.refresh(node);
    }

    /// Something may have come free on a node.
    void touch(int index) {
        touched.set(index);
    }

    private void stand(@Nullable Stake stake, int count) {
        if (stake != null && !stake.told()) {
            if (stake.ground() >= grounds.length) {
                grounds = Arrays.copyOf(grounds, 2 * stake.ground() + 1);
            }
            grounds[stake.ground()] += count;
            exemptions.merge(stake.exemptUntil(), count, Integer::sum);
            exemptions.remove(stake.exemptUntil(), 0);
        }
    }

    /// When the next run is exempt no more; [Node#NEVER] if none is.
    long nextExemptionEnd(long now) {
        Long next = exemptions.higherKey(now);
        return next == null ? Node.NEVER : next;
    }

    /// Whether a run stands on any of these grounds.
    boolean standsOn(BitSet any) {
        return any.stream().anyMatch(ground -> ground < grounds.length && grounds[ground] > 0);
    }

    /// Takes a reservation off its nodes, for a look at what could be without it. What is known of
    /// when they will be ready stays as it is: a lower bound for all nodes but these.
    void lift(long job) {
        Stay stay = stays.get(job);
        for (int part = 0; stay != null && part < stay.nodes.length; part++) {
            nodes.get(stay.nodes[part]).unreserve(job);
        }
    }

    /// Puts a reservation that was lifted back.
    void putBack(long job) {
        Stay stay = stays.get(job);
        for (int part = 0; stay != null && part < stay.nodes.length; part++) {
            Node node = nodes.get(stay.nodes[part]);
            node.reserve(job, stay.demands[part], stay.from, stay.until);
        }
    }

    /// A run has been told to give way: it will be gone soon.
    ///
    /// @param until when it can be counted on to have gone
    void giveWay(long job, long now, long until) {
        Stay stay = stays.get(job);
        if (stay != null && stay.stake != null && !stay.stake.told()) {
            Stake told = Stake.told(until, stay.stake.suspends());
            remove(job);
            enter(job, new Stay(stay.nodes, stay.demands, 0, now, true, told));
            touch(stay.nodes);
        }
    }

    /// Whether a job runs.
    boolean runs(long job) {
        Stay stay = stays.get(job);
        return stay != null && stay.running;
    }

    /// When a run is expected to end; at once where there is none.
    long end(long job, long now) {
        Stay stay = stays.get(job);
        if (stay == null || !stay.running) {
            return now;
        }
        return stay.until <= now ? now + Search.OVERRUN_MILLIS : stay.until;
    }

    /// Whether a run has been told to give way, or ends anyhow, and holds what it will give.
    boolean told(long job) {
        Stay stay = stays.get(job);
        return stay != null && stay.running && stay.stake != null && stay.stake.told();
    }

    /// Lets a run give way, for a look at what could be without it.
    void liftRun(long job) {
        for (int index : nodesOf(job)) {
            Node node = nodes.get(index);
            node.giveWay(job);
            node.kind.refresh(node);
        }
    }

    /// Puts a run that was lifted back.
    void putRunBack(long job) {
        for (int index : nodesOf(job)) {
            Node node = nodes.get(index);
            node.takeBack(job);
            node.kind.refresh(node);
        }
    }

    /// What the run of a job has to lose that may give way.
    Stake stake(long job) {
        Stay stay = stays.get(job);
        if (stay == null || stay.stake == null) {
            throw new IllegalStateException(
                    "look at job " + job + ": it has no run that gives way");
        }
        return stay.stake;
    }

    /// What a job has on its nodes; none for one that is not known.
    Demand[] demandsOf(long job) {
        Stay stay = stays.get(job);
        return stay == null ? new Demand[0] : stay.demands;
    }

    /// The nodes that a job has, and those where it wants nobody else; none for one that is not
    /// known.
    int[] nodesOf(long job) {
        Stay stay = stays.get(job);
        return stay == null ? new int[0] : stay.nodes;
    }

    /// What a class takes on these nodes, larger parts first.
    Demand[] demands(FitClass fit, int[] onNodes) {
        return demands(fit, onNodes, Search.WHOLE);
    }

    /// The same.
    ///
    /// @param lane of the shared GPU of which the only part takes some; [Search#WHOLE] for none
    Demand[] demands(FitClass fit, int[] onNodes, int lane) {
        FitClass on = fit.onParts(onNodes.length);
        var demands = new Demand[onNodes.length];
        for (int part = 0; part < demands.length; part++) {
            int kind = kind(onNodes[part]);
            Demand whole = on.demand(part, kind);
            demands[part] =
                    Objects.requireNonNull(
                            lane == Search.WHOLE ? whole : fit.wayOn(kind, lane),
                            () -> "class " + fit.id + " cannot run on nodes of kind " + kind);
        }
        return demands;
    }

    int kind(int node) {
        return nodes.get(node).kind.number;
    }

    /// The nodes on which something came free since the last call.
    BitSet settle() {
        var since = (BitSet) touched.clone();
        touched.clear();
        return since;
    }
}
