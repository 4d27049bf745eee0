package io.berth.core.placement;

import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.core.limits.Guarantees;
import io.berth.core.limits.JobUse;
import io.berth.core.request.Eligibility;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

/// The guarantees of a configuration's accounts, with what runs and waits for its cleared nodes in
/// this cell. Where nobody is guaranteed anything, or nobody has it back, it counts nothing.
final class Queues {

    final Guarantees guarantees;

    /// Of each partition.
    private final Function<String, Prices> prices;

    private final NodeTable nodes;

    private final boolean none;

    Queues(Configuration configuration, Function<String, Prices> prices, NodeTable nodes) {
        this.guarantees = new Guarantees(configuration);
        this.prices = prices;
        this.nodes = nodes;
        this.none = guarantees.none() || !configuration.cluster().preemptRules().reclaims();
    }

    boolean none() {
        return none;
    }

    /// A job holds resources.
    ///
    /// @param gres other resources than GPUs that it was given
    /// @param cpus that it takes of its nodes, by part
    void holds(
            JobStatus job,
            Run run,
            Map<String, Long> gpusByType,
            List<Gres> gres,
            IntUnaryOperator cpus) {
        if (none) {
            return;
        }
        guarantees.holds(job, run, use(job.description(), cpus).holding(gpusByType, gres).tres());
    }

    /// Nodes are cleared for a job.
    void holds(JobStatus cleared) {
        if (none) {
            return;
        }
        Clearing clearing = Objects.requireNonNull(cleared.clearing());
        guarantees.holds(
                cleared.job(),
                cleared.description().account(),
                clearing.since(),
                clearing.until(),
                wanted(cleared.description()));
    }

    void forget(JobId job) {
        guarantees.leaves(job);
    }

    /// How many grounds there are.
    int grounds() {
        return none ? 1 : guarantees.grounds() + 1;
    }

    /// What a run stands on, as a number. The last one is of components of heterogeneous jobs that
    /// would take another one along which stands on a guarantee: nobody has their places back.
    int ground(JobStatus job) {
        if (none) {
            return 0;
        }
        boolean bound =
                job.description().het() != null
                        && Eligibility.together(job).stream()
                                .anyMatch(it -> !it.equals(job.job()) && guarantees.stands(it));
        return bound
                ? guarantees.grounds()
                : guarantees.ground(job.job(), job.description().account());
    }

    /// Finds out who stands on a guarantee from now on.
    ///
    /// @return the runs of which that has changed, and those that start and end with them
    Set<JobId> settle(Function<JobId, JobStatus> known) {
        var changed = new TreeSet<JobId>();
        for (JobId id : guarantees.settle()) {
            JobStatus job = known.apply(id);
            changed.addAll(
                    job.description().het() == null ? List.of(id) : Eligibility.together(job));
        }
        return changed;
    }

    /// Whether a waiting job would stand on that account's guarantee.
    boolean covers(int queue, JobDescription job) {
        return guarantees.covers(queue, wanted(job));
    }

    /// Whether a waiting job would keep its place from another one, by what its account is
    /// guaranteed.
    boolean stands(JobDescription job, JobDescription other) {
        int ground = guarantees.borrowed(other.account());
        return guarantees.rights(job.account()).stream()
                .anyMatch(it -> it.grounds().get(ground) && covers(it.queue(), job));
    }

    private Map<String, Long> wanted(JobDescription job) {
        JobUse asked = use(job, part -> nodes.takenCpus(job, part));
        Map<String, Long> gpus = nodes.mostGpus(job);
        return (gpus.isEmpty() ? asked : asked.holding(gpus, List.of())).tres();
    }

    private JobUse use(JobDescription job, IntUnaryOperator cpus) {
        return JobUse.asked(job, prices.apply(job.partition()), cpus);
    }
}
