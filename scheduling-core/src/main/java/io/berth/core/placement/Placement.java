package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.placement.PriorityOrder.Candidate;
import io.berth.core.request.Neighbours;
import io.berth.core.request.NodeFilter;
import io.berth.core.request.Throttles;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Decides which waiting jobs start now, and where.
///
/// *Goals*, ranked: never hold a resource twice; keep the order of priority.
///
/// *Constraints*: a job's nodes are in its partition, registered and heard from; each gives the job
/// its CPUs, memory and whole GPUs of the type asked for; all of a job's nodes start together or
/// none does.
///
/// *Method*: jobs are tried in the order of [PriorityOrder]. A job takes the first nodes by name
/// that have room, and on each the lowest free CPUs and GPUs. The first job that finds no room
/// keeps for itself every node that could ever hold a part of it: later jobs may use only other
/// nodes, so nobody overtakes it on the resources that it waits for.
///
/// *Example*: one node with 8 GPUs, 6 held. In order come A (8 GPUs), B (1 GPU). A waits for
/// `Resources` and keeps the node; B waits for `Priority`, though a GPU is free.
///
/// Source: the main scheduling loop of Slurm, without backfill (sched/builtin).
public final class Placement {

    /// Of several reasons, from several alternatives, the first of these is shown.
    private static final List<Reason> BY_HOPE =
            List.of(
                    Reason.RESOURCES,
                    Reason.PRIORITY,
                    Reason.REQ_NODE_NOT_AVAIL,
                    Reason.BAD_CONSTRAINTS);

    private final CellState state;
    private final Configuration configuration;
    private final long now;
    private final FreeNodes free;
    private final TreeSet<NodeName> kept = new TreeSet<>();
    private final Throttles throttles;
    private final Neighbours neighbours;
    private final Draft draft;

    private Placement(CellState state, Configuration configuration, long now) {
        this.state = state;
        this.configuration = configuration;
        this.now = now;
        this.free = new FreeNodes(state);
        this.throttles = new Throttles(state);
        this.neighbours = new Neighbours(state);
        this.draft = new Draft(state);
    }

    /// The facts of one pass over the waiting jobs. Nothing starts before a configuration is in
    /// force.
    public static List<Fact> decide(CellState state, long now) {
        Configuration configuration = state.configuration().orElse(null);
        if (configuration == null || state.pending().isEmpty()) {
            return List.of();
        }
        return new Placement(state, configuration, now).decide();
    }

    /// A waiting job's priority at that time, in millionths of a point.
    public static long priority(CellState state, JobStatus job, long now) {
        return PriorityOrder.priority(state, job, now);
    }

    private List<Fact> decide() {
        PriorityQueue<Candidate> order = PriorityOrder.of(state, configuration, now);
        for (Candidate next = order.poll(); next != null; next = order.poll()) {
            JobStatus job = next.job();
            Reason reason = tryToStart(job);
            if (reason != Reason.NONE && reason != job.reason()) {
                draft.change(Transitions.reasoned(job, reason));
            }
        }
        return draft.facts();
    }

    /// Starts the job, or says why not. NONE: it starts.
    private Reason tryToStart(JobStatus job) {
        Partition partition = configuration.partitions().get(job.description().partition());
        if (partition == null) {
            return Reason.PARTITION_CONFIG;
        }
        ResourceRequest request = job.description().request();
        if (partition.maxNodes() != 0 && request.nodes() > partition.maxNodes()) {
            return Reason.PARTITION_NODE_LIMIT;
        }
        if (overTime(partition, job.description().timeLimitSeconds())) {
            return Reason.PARTITION_TIME_LIMIT;
        }
        if (!throttles.admits(job)) {
            return Reason.JOB_ARRAY_TASK_LIMIT;
        }
        var reasons = EnumSet.noneOf(Reason.class);
        for (NodeFilter filter : NodeFilter.of(request.where())) {
            Reason reason = tryToStart(job, partition, filter);
            if (reason == Reason.NONE) {
                return reason;
            }
            reasons.add(reason);
        }
        return BY_HOPE.stream().filter(reasons::contains).findFirst().orElseThrow();
    }

    private Reason tryToStart(JobStatus job, Partition partition, NodeFilter filter) {
        ResourceRequest request = job.description().request();
        List<NodeStatus> able = nodesThatCould(partition, request, filter);
        if (!covers(able, request)) {
            return Reason.BAD_CONSTRAINTS;
        }
        List<NodeStatus> up = able.stream().filter(NodeStatus::open).toList();
        if (!covers(up, request)) {
            return Reason.REQ_NODE_NOT_AVAIL;
        }
        List<NodeStatus> open = up.stream().filter(node -> !kept.contains(node.node())).toList();
        List<NodeStatus> alone =
                open.stream()
                        .filter(node -> neighbours.admit(node.node(), job.description()))
                        .toList();
        List<Allocation> allocations = choose(alone, request);
        if (allocations.size() == request.nodes() && suffices(allocations, partition, filter)) {
            start(job, allocations);
            return Reason.NONE;
        }
        boolean first = open.size() == up.size();
        able.forEach(node -> kept.add(node.node()));
        return first ? Reason.RESOURCES : Reason.PRIORITY;
    }

    private boolean suffices(List<Allocation> allocations, Partition partition, NodeFilter filter) {
        List<NodeStatus> nodes =
                allocations.stream()
                        .map(allocation -> state.node(allocation.node()).orElseThrow())
                        .toList();
        return filter.suffices(nodes, inPartition(partition).map(NodeStatus::node).toList());
    }

    private static boolean overTime(Partition partition, long limitSeconds) {
        return partition.maxTimeSeconds() != 0
                && (limitSeconds == 0 || limitSeconds > partition.maxTimeSeconds());
    }

    /// The registered nodes of the partition that the filter admits and that could hold at least
    /// the smallest part of the request: the required ones first, then by name.
    private List<NodeStatus> nodesThatCould(
            Partition partition, ResourceRequest request, NodeFilter filter) {
        return inPartition(partition)
                .filter(filter::admits)
                .filter(node -> FreeNodes.couldFit(node, request, request.nodes() - 1))
                .sorted(Comparator.comparing(node -> !filter.requires(node.node())))
                .toList();
    }

    private Stream<NodeStatus> inPartition(Partition partition) {
        boolean all = partition.nodes().equals(List.of("ALL"));
        return state.nodes().stream()
                .filter(node -> all || partition.nodes().contains(node.node().value()));
    }

    /// Whether these nodes, with nothing on them, could hold the whole request.
    private static boolean covers(List<NodeStatus> nodes, ResourceRequest request) {
        int largest = largestParts(request);
        long forLargest =
                nodes.stream().filter(node -> FreeNodes.couldFit(node, request, 0)).count();
        return nodes.size() >= request.nodes() && forLargest >= largest;
    }

    /// How many parts of the request are as large as its first: the rest has one task less each.
    private static int largestParts(ResourceRequest request) {
        int remainder = request.tasks() % request.nodes();
        return remainder == 0 ? request.nodes() : remainder;
    }

    /// The first nodes with room now, the larger parts first; as many as were found.
    private List<Allocation> choose(List<NodeStatus> open, ResourceRequest request) {
        int large = largestParts(request);
        var largeParts = new ArrayList<Allocation>();
        var smallParts = new ArrayList<Allocation>();
        for (NodeStatus node : open) {
            if (largeParts.size() < large) {
                Allocation fit = free.fit(node, request, largeParts.size());
                if (fit != null) {
                    largeParts.add(fit);
                    continue;
                }
            }
            if (smallParts.size() < request.nodes() - large) {
                Allocation fit = free.fit(node, request, large + smallParts.size());
                if (fit != null) {
                    smallParts.add(fit);
                }
            }
            if (largeParts.size() + smallParts.size() == request.nodes()) {
                break;
            }
        }
        largeParts.addAll(smallParts);
        return largeParts;
    }

    private void start(JobStatus job, List<Allocation> allocations) {
        allocations.forEach(free::take);
        throttles.started(job);
        allocations.forEach(it -> neighbours.came(it.node(), job.description()));
        long rate = Billing.rate(configuration.cluster().prices(), state, allocations);
        List<Part> parts =
                allocations.stream()
                        .map(allocation -> new Part(allocation, Part.Phase.ORDERED, 0, 0))
                        .toList();
        int lease = job.ended().size() + 1;
        draft.change(Transitions.placed(job, new Run(lease, now, 0, false, rate, null, parts)));
        draft.announce(new JobEvent.Placed(job.job(), now, lease, allocations, rate));
        for (int index = 0; index < allocations.size(); index++) {
            Launching.order(draft, draft.job(job.job()), index);
        }
    }
}
