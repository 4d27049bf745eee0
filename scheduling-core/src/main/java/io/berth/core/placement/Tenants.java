package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules.Use;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.core.engine.Shared;
import io.berth.core.engine.Tenant;
import io.berth.core.state.CellState;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Who may be on a node beside whom: a job that wants its nodes for its user alone, or is in a
/// partition that does, is on none with a job of another user; one that shares its blocks with
/// nobody, as it asks or its partition has it, is in none with any other; the jobs of a partition
/// together have so many CPUs of a node at most; and those of some have their CPUs together.
///
/// Users are told apart only if they want nodes for themselves: the jobs of all others are of the
/// same classes.
///
/// Source: sbatch(1), `--exclusive=user`, `--exclusive=topo`, `--oversubscribe`; slurm.conf(5),
/// `ExclusiveUser`, `ExclusiveTopo`, `MaxCPUsPerNode`, `OverSubscribe`.
final class Tenants {

    private final Configuration configuration;
    private final List<String> partitions;

    /// Those who want nodes for themselves.
    private final Map<String, Integer> users = new HashMap<>();

    /// Those of the others that somebody asked for.
    private final Set<String> together = new HashSet<>();

    Tenants(CellState state, Configuration configuration) {
        this.configuration = configuration;
        this.partitions = List.copyOf(configuration.partitions().keySet());
        Stream.of(state.pending(), state.holding())
                .flatMap(Collection<JobId>::stream)
                .flatMap(job -> Partitions.each(state.knownJob(job).description()).stream())
                .filter(this::alone)
                .forEach(this::user);
    }

    /// Whether that job's user is told apart, if it wants it.
    boolean covers(JobDescription job) {
        return !together.contains(job.user()) || !anywhereAlone(job);
    }

    /// Whether it is to be alone with others of its user in one of its partitions.
    private boolean anywhereAlone(JobDescription job) {
        return Partitions.each(job).stream().anyMatch(this::alone);
    }

    /// 0 for one who is not told apart. One who was not at first is not later either: he has runs
    /// that are not known as his.
    private int user(JobDescription job) {
        if (!together.contains(job.user()) && anywhereAlone(job)) {
            users.putIfAbsent(job.user(), users.size() + 1);
        }
        int user = users.getOrDefault(job.user(), 0);
        if (user == 0) {
            together.add(job.user());
        }
        return user;
    }

    private boolean alone(JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        return job.request().where().sharing() == Sharing.USER
                || (partition != null && partition.partitionRules().ofNodes().ofOneUser());
    }

    /// For whom a job holds what it holds. One that has its nodes to itself has all their CPUs, and
    /// there is nobody who could have others.
    Tenant of(JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        boolean capped = most(partition) > 0 && job.request().where().sharing() != Sharing.NODE;
        int user = user(job);
        return new Tenant(
                user,
                user > 0 && alone(job),
                capped ? partitions.indexOf(job.partition()) : -1,
                ownsBlocks(job));
    }

    /// Whether a job has its blocks to itself: it asks for that, or its partition has it so.
    boolean ownsBlocks(JobDescription job) {
        Partition it = configuration.partitions().get(job.partition());
        return job.request().where().sharing() == Sharing.TOPOLOGY
                || (it != null && it.partitionRules().ofNodes().ofOneJobEachBlock());
    }

    /// With whom a job may have its CPUs together; null is with nobody. One that asks on which
    /// sockets it lies has its own, as one whose blocks are for nobody else.
    @Nullable Shared shared(JobDescription job) {
        return shared(job.partition(), job.request());
    }

    /// The same of what a job of a partition asks for.
    @Nullable Shared shared(String partition, ResourceRequest request) {
        Partition it = configuration.partitions().get(partition);
        Use use = it == null ? Use.ANY : it.partitionRules().ofNodes();
        OverSubscribe rule = use.overSubscribe();
        return rule == null
                        || !rule.admits(request.where().sharing())
                        || use.ofOneJobEachBlock()
                        || Seats.bySocket(request)
                ? null
                : new Shared(partitions.indexOf(partition), rule.jobs(), null);
    }

    /// CPUs that a run of a job of a partition holds, and others may hold too.
    Shared held(String partition, BitSet cpus) {
        return Shared.held(partitions.indexOf(partition), cpus);
    }

    /// By partition, how many CPUs of a node its jobs may have together; 0 is any number.
    int[] caps() {
        return configuration.partitions().values().stream().mapToInt(Tenants::most).toArray();
    }

    /// Whether a job of a partition may have so many CPUs of a node, wherever they lie there.
    boolean allows(String partition, int cpus) {
        int most = most(configuration.partitions().get(partition));
        return most == 0 || cpus <= most;
    }

    private static int most(@Nullable Partition partition) {
        return partition == null ? 0 : partition.partitionRules().maxCpusPerNode();
    }
}
