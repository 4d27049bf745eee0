package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.core.engine.Tenant;
import io.berth.core.state.CellState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Who may be on a node beside whom: a job that wants its nodes for its user alone, or is in a
/// partition that does, is on none with a job of another user; and the jobs of a partition together
/// have so many CPUs of a node at most.
///
/// Users are told apart only where somebody wants nodes for one: else jobs of all users are of the
/// same classes.
///
/// Source: sbatch(1), `--exclusive=user`; slurm.conf(5), `ExclusiveUser`, `MaxCPUsPerNode`.
final class Tenants {

    private final Configuration configuration;
    private final List<String> partitions;
    private final boolean byUser;
    private final Map<String, Integer> users = new HashMap<>();

    Tenants(CellState state, Configuration configuration) {
        this.configuration = configuration;
        this.partitions = List.copyOf(configuration.partitions().keySet());
        this.byUser =
                configuration.partitions().values().stream()
                                .anyMatch(it -> it.partitionRules().ofNodes().ofOneUser())
                        || Stream.of(state.pending(), state.holding())
                                .flatMap(Collection<JobId>::stream)
                                .anyMatch(job -> alone(state.knownJob(job).description()));
    }

    /// Whether users are told apart, if that job wants it.
    boolean covers(JobDescription job) {
        return byUser || !alone(job);
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
        int user = byUser ? users.computeIfAbsent(job.user(), _ -> users.size() + 1) : 0;
        return new Tenant(
                user, byUser && alone(job), capped ? partitions.indexOf(job.partition()) : -1);
    }

    /// By partition, how many CPUs of a node its jobs may have together; 0 is any number.
    int[] caps() {
        return configuration.partitions().values().stream().mapToInt(Tenants::most).toArray();
    }

    /// Whether a job of a partition may have so many CPUs of a node.
    boolean allows(String partition, int cpus) {
        int most = most(configuration.partitions().get(partition));
        return most == 0 || cpus <= most;
    }

    private static int most(@Nullable Partition partition) {
        return partition == null ? 0 : partition.partitionRules().maxCpusPerNode();
    }
}
