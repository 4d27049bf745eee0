package io.berth.core.state;

import io.berth.contracts.Allocation;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/// The facts of one decision as they come together: the state as it is, under the changes decided
/// so far. The state itself does not change.
public final class Draft {

    /// Makes the order that has this epoch and number.
    @FunctionalInterface
    public interface Numbered {
        Order order(long epoch, long number);
    }

    private final CellState state;
    private final Map<JobId, JobStatus> jobs = new LinkedHashMap<>();
    private final Map<NodeName, NodeStatus> nodes = new LinkedHashMap<>();
    private final List<Fact> words = new ArrayList<>();

    public Draft(CellState state) {
        this.state = state;
    }

    public CellState state() {
        return state;
    }

    /// The jobs that are changed so far, as they then are.
    public Map<JobId, JobStatus> jobs() {
        return Collections.unmodifiableMap(jobs);
    }

    public JobStatus job(JobId job) {
        JobStatus drafted = jobs.get(job);
        return drafted == null ? state.knownJob(job) : drafted;
    }

    public void change(JobStatus status) {
        jobs.put(status.job(), status);
    }

    public NodeStatus node(NodeName node) {
        NodeStatus drafted = nodes.get(node);
        if (drafted != null) {
            return drafted;
        }
        return state.node(node)
                .orElseThrow(() ->
                        new IllegalStateException(
                                "look up node " + node + ": it never registered"));
    }

    public void change(NodeStatus status) {
        nodes.put(status.node(), status);
    }

    public void announce(JobEvent event) {
        words.add(new Fact.Announced(event));
    }

    /// Whether no other run holds any of the CPUs that this job's run was given, or only such as
    /// share theirs as it does, and as few as its partition lets be on a CPU.
    public boolean cpusFree(JobStatus job) {
        Run own = Objects.requireNonNull(job.run());
        if (own.sharesCpus()) {
            return cpusShared(job, own);
        }
        for (Allocation wanted : Objects.requireNonNull(job.run()).allocations()) {
            var others = new TreeSet<>(state.jobsOn(wanted.node()));
            others.addAll(jobs.keySet());
            others.remove(job.job());
            for (JobId other : others) {
                Run run = job(other).run();
                if (run != null && run.held().stream().anyMatch(it -> overlap(it, wanted))) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean cpusShared(JobStatus job, Run own) {
        String partition = job.description().partition();
        int most =
                state.configuration()
                        .map(it -> it.partitions().get(partition))
                        .map(it -> it.partitionRules().ofNodes().mostJobsOnCpu())
                        .orElse(1);
        for (Allocation wanted : own.allocations()) {
            var others = new TreeSet<>(state.jobsOn(wanted.node()));
            others.addAll(jobs.keySet());
            others.remove(job.job());
            var holders = new TreeMap<Integer, Integer>();
            for (JobId other : others) {
                JobStatus its = job(other);
                Run run = its.run();
                if (run != null && run.held().stream().anyMatch(it -> overlap(it, wanted))) {
                    boolean with =
                            run.sharesCpus() && its.description().partition().equals(partition);
                    count(holders, run, wanted, with ? 1 : most);
                }
            }
            if (holders.values().stream().anyMatch(count -> count >= most)) {
                return false;
            }
        }
        return true;
    }

    /// Counts a run on those of the CPUs that it holds.
    private static void count(
            TreeMap<Integer, Integer> holders, Run run, Allocation wanted, int times) {
        for (Allocation it : run.held()) {
            BitSet both = it.cpus().toBitSet();
            both.and(wanted.cpus().toBitSet());
            if (it.node().equals(wanted.node())) {
                both.stream().forEach(cpu -> holders.merge(cpu, times, Integer::sum));
            }
        }
    }

    private static boolean overlap(Allocation one, Allocation other) {
        return one.node().equals(other.node()) && one.cpus().intersects(other.cpus());
    }

    /// Gives the node its next order.
    public void order(NodeName node, Numbered numbered) {
        NodeStatus before = node(node);
        long number = before.number() + 1;
        words.add(new Fact.Ordered(numbered.order(before.epoch(), number)));
        change(before.numbered(number));
    }

    /// Writes an order that is not numbered: Sync or Refused.
    public void orderUnnumbered(Order order) {
        words.add(new Fact.Ordered(order));
    }

    /// The changes first, then orders and events in the order in which they were decided.
    public List<Fact> facts() {
        var facts = new ArrayList<Fact>(jobs.size() + nodes.size() + words.size());
        jobs.values().forEach(status -> facts.add(new Fact.JobChanged(status)));
        nodes.values().forEach(status -> facts.add(new Fact.NodeChanged(status)));
        facts.addAll(words);
        return List.copyOf(facts);
    }
}
