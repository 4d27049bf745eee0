package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.JobId;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.limits.Guarantees;
import io.berth.core.limits.JobUse;
import io.berth.core.limits.LimitPolicy;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How an account stands, with all below it: what it is guaranteed, what of that it has, and what
/// it has beyond.
///
/// @param parent null for an account right under the root
/// @param guarantee by the names of [Tres]; empty is nothing
/// @param used by its runs
/// @param borrowed of that, by runs that do not stand on a guarantee of it or below it
/// @param lent of its guarantee, what its runs do not use and what is not free on any node that is
///   open: others use it. Told of CPUs, memory and GPUs
/// @param running its jobs that hold something
/// @param pending its jobs that wait
public record QueueStatus(
        String account,
        @Nullable String parent,
        Map<String, Long> guarantee,
        Map<String, Long> used,
        Map<String, Long> borrowed,
        Map<String, Long> lent,
        int running,
        int pending) {

    /// All accounts of a cell, in the order of its configuration, and what nodes have.
    ///
    /// @param capacity of the nodes that are open
    /// @param guaranteed of the topmost accounts with a guarantee together
    public record All(
            List<QueueStatus> queues, Map<String, Long> capacity, Map<String, Long> guaranteed) {}

    /// Nothing if no configuration is in force.
    public static All of(CellState state) {
        return state.configuration()
                .map(it -> new Count(state, it).all())
                .orElse(new All(List.of(), Map.of(), Map.of()));
    }

    /// One count of all runs.
    private static final class Count {
        private final CellState state;
        private final Configuration configuration;
        private final Guarantees guarantees;
        private final LimitPolicy policy;
        private final Map<String, TreeMap<String, Long>> used = new TreeMap<>();
        private final Map<String, Integer> running = new TreeMap<>();
        private final Map<String, Integer> pending = new TreeMap<>();

        Count(CellState state, Configuration configuration) {
            this.state = state;
            this.configuration = configuration;
            this.guarantees = new Guarantees(configuration);
            this.policy = new LimitPolicy(configuration);
        }

        All all() {
            for (JobId id : state.holding()) {
                JobStatus job = state.knownJob(id);
                holds(job, Objects.requireNonNull(job.run()));
            }
            for (JobId id : state.pending()) {
                configuration
                        .lineage(state.knownJob(id).description().account())
                        .forEach(it -> pending.merge(it, 1, Integer::sum));
            }
            guarantees.settle();
            var capacity = new TreeMap<String, Long>();
            var free = new TreeMap<String, Long>();
            state.nodes().stream()
                    .filter(NodeStatus::open)
                    .forEach(it -> count(it, capacity, free));
            var queues = new ArrayList<QueueStatus>();
            var guaranteed = new TreeMap<String, Long>();
            for (Account account : configuration.accounts().values()) {
                queues.add(status(account, free));
                if (topmost(account.name())) {
                    plus(guaranteed, guarantees.guarantee(account.name()), 1);
                }
            }
            return new All(queues, capacity, guaranteed);
        }

        private void holds(JobStatus job, Run run) {
            String account = job.description().account();
            List<Allocation> allocations = run.allocations();
            List<Gres> gres = allocations.stream().flatMap(it -> it.gres().stream()).toList();
            JobUse use =
                    JobUse.asked(
                                    job.description(),
                                    policy.prices(job.description().partition()),
                                    part -> allocations.get(part).cpus().size())
                            .holding(run.gpusByType(), gres);
            guarantees.holds(job, run, use.tres());
            for (String name : configuration.lineage(account)) {
                running.merge(name, 1, Integer::sum);
                plus(used.computeIfAbsent(name, _ -> new TreeMap<>()), use.tres(), 1);
            }
        }

        private void count(
                NodeStatus node, Map<String, Long> capacity, TreeMap<String, Long> free) {
            var has = new TreeMap<String, Long>();
            has.put(Tres.CPU, (long) node.seen().inventory().cpus());
            has.put(Tres.MEMORY, node.seen().inventory().memoryMib());
            var idle = new TreeMap<String, Gpu>();
            node.usableGpus().forEach(it -> idle.put(it.uuid(), it));
            plus(capacity, has, 1);
            idle.values().forEach(it -> plus(capacity, one(it), 1));
            plus(free, has, 1);
            for (JobId id : state.jobsOn(node.node())) {
                Run run = Objects.requireNonNull(state.knownJob(id).run());
                for (Allocation it : run.held()) {
                    if (it.node().equals(node.node())) {
                        free.merge(Tres.CPU, (long) -it.cpus().size(), Long::sum);
                        free.merge(Tres.MEMORY, -it.memoryMib(), Long::sum);
                        it.gpus().forEach(idle::remove);
                    }
                }
            }
            idle.values().forEach(it -> plus(free, one(it), 1));
        }

        private static Map<String, Long> one(Gpu gpu) {
            return Map.of(Tres.GPU, 1L, Tres.gpu(gpu.type()), 1L);
        }

        private static void plus(Map<String, Long> sum, Map<String, Long> more, int sign) {
            more.forEach((name, amount) -> sum.merge(name, sign * amount, Long::sum));
        }

        private boolean topmost(String account) {
            return configuration.lineage(account).stream()
                    .skip(1)
                    .allMatch(it -> guarantees.guarantee(it).isEmpty());
        }

        private QueueStatus status(Account account, Map<String, Long> free) {
            String name = account.name();
            Map<String, Long> guarantee = guarantees.guarantee(name);
            Map<String, Long> standing = guarantees.standing(name);
            var its = used.getOrDefault(name, new TreeMap<>());
            var borrowed = new TreeMap<>(its);
            plus(borrowed, standing, -1);
            borrowed.values().removeIf(it -> it <= 0);
            var lent = new TreeMap<String, Long>();
            guarantee.forEach((resource, amount) -> {
                Long left = free.get(resource);
                long idle = amount - standing.getOrDefault(resource, 0L);
                if (left != null && idle > Math.max(0, left)) {
                    lent.put(resource, idle - Math.max(0, left));
                }
            });
            return new QueueStatus(
                    name,
                    account.parent(),
                    guarantee,
                    its,
                    borrowed,
                    lent,
                    running.getOrDefault(name, 0),
                    pending.getOrDefault(name, 0));
        }
    }
}
