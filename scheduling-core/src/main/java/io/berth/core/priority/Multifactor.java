package io.berth.core.priority;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Rank;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import java.math.BigInteger;
import java.util.Collection;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Slurm's multifactor priority: a job's own part of it, which is all but fair share.
///
/// Method: `Σ weight × factor - nice`, each factor from 0 to 1 and each product rounded once, half
/// up, to millionths of a point.
///
/// - *Age* is waiting / `maxAge`, at most 1. The rank carries it as points per second and a cap;
///   the slope is rounded up, so that the factor is 1 at `maxAge` and not after it.
/// - *Job size* is the mean of nodes asked / nodes of the cell and CPUs asked / CPUs of the cell; 1
///   minus that where small jobs are favoured; 0 while the cell's size is unknown.
/// - *Partition* is the partition's job factor / the largest one of all partitions.
/// - *QOS* is its priority / the largest priority of all.
///
/// Example: 1 node and 8 CPUs of 8 nodes with 1024 CPUs, weight 1000: `1000 × (1/8 + 8/1024) / 2` =
/// 66.406250 points, which `sprio` shows as 66.
///
/// Source: `slurm.conf(5)`, PriorityWeight*, of Slurm 22.05; "Multifactor Priority Plugin".
public final class Multifactor {

    private static final long POINT = 1_000_000;

    private Multifactor() {}

    /// @param version of the inputs; becomes the rank's
    public static Rank rank(
            JobDescription job, Configuration configuration, ClusterSize size, long version) {
        Cluster cluster = configuration.cluster();
        var weights = cluster.weights();
        return new Rank(
                version,
                jobSize(job.request(), cluster, size),
                relative(
                        weights.partition(),
                        configuration.partitions().get(job.partition()),
                        configuration.partitions().values(),
                        Partition::jobFactor),
                relative(
                        weights.qos(),
                        configuration.qos().get(job.qos()),
                        configuration.qos().values(),
                        Qos::priority),
                -job.nice() * POINT,
                Math.ceilDiv(weights.age() * POINT, Math.max(1, cluster.maxAgeSeconds())),
                weights.age() * POINT);
    }

    private static long jobSize(ResourceRequest request, Cluster cluster, ClusterSize size) {
        if (size.nodes() == 0 || size.cpus() == 0) {
            return 0;
        }
        BigInteger clusterNodes = BigInteger.valueOf(size.nodes());
        BigInteger clusterCpus = BigInteger.valueOf(size.cpus());
        long nodes = Math.min(request.nodes(), size.nodes());
        long cpus = Math.min(request.totalCpus(), size.cpus());
        if (cluster.favorSmall()) {
            nodes = size.nodes() - nodes;
            cpus = size.cpus() - cpus;
        }
        BigInteger sum =
                BigInteger.valueOf(nodes)
                        .multiply(clusterCpus)
                        .add(BigInteger.valueOf(cpus).multiply(clusterNodes));
        return weighted(
                cluster.weights().jobSize(), sum, clusterNodes.multiply(clusterCpus).shiftLeft(1));
    }

    private static <T> long relative(
            int weight, @Nullable T own, Collection<T> all, ToIntFunction<T> value) {
        int largest = all.stream().mapToInt(value).max().orElse(0);
        if (own == null || largest == 0) {
            return 0;
        }
        return weighted(
                weight, BigInteger.valueOf(value.applyAsInt(own)), BigInteger.valueOf(largest));
    }

    private static long weighted(int weight, BigInteger part, BigInteger whole) {
        return BigInteger.valueOf(weight * POINT)
                .multiply(part)
                .shiftLeft(1)
                .add(whole)
                .divide(whole.shiftLeft(1))
                .longValueExact();
    }
}
