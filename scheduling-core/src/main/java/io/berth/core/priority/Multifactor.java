package io.berth.core.priority;

import io.berth.contracts.JobDescription;
import io.berth.contracts.Rank;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.Terms;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Objects;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Slurm's multifactor priority: a job's own part of it, which is all but fair share.
///
/// Method: `Σ weight × factor + site factor - nice`, each factor from 0 to 1 and each product
/// rounded once, half up, to millionths of a point.
///
/// - *Age* is waiting / `maxAge`, at most 1. The rank carries it as points per second and a cap;
///   the slope is rounded up, so that the factor is 1 at `maxAge` and not after it.
/// - *Job size* is the mean of nodes asked / nodes of the cell and CPUs asked / CPUs of the cell; 1
///   minus that where small jobs are favoured; 0 while the cell's size is unknown.
/// - *Partition* is the partition's job factor / the largest one of all partitions.
/// - *QOS* is its priority / the largest priority of all.
/// - *Association* is the priority of the user's association, or where that has none of the nearest
///   account above, / the largest of all.
/// - *TRES*: for each resource with a weight, what the job asks for / what the cell has.
///
/// With `sizeByTime` the size is CPUs asked, or if that is more those that its nodes have on the
/// average, / minutes of the time limit / CPUs of the cell; 0 without a time limit.
///
/// Example: 1 node and 8 CPUs of 8 nodes with 1024 CPUs, weight 1000: `1000 × (1/8 + 8/1024) / 2` =
/// 66.406250 points, which `sprio` shows as 66.
///
/// Source: `slurm.conf(5)`, PriorityWeight* and PriorityFlags, of Slurm 22.05; "Multifactor
/// Priority Plugin"; what the program does of `SMALL_RELATIVE_TO_TIME`.
public final class Multifactor {

    private static final long POINT = 1_000_000;

    private Multifactor() {}

    /// @param version of the inputs; becomes the rank's
    public static Rank rank(
            JobDescription job, Configuration configuration, ClusterSize size, long version) {
        Cluster cluster = configuration.cluster();
        var weights = cluster.weights();
        long association = association(job, configuration);
        long tres = tres(job.request(), cluster.priorityRules(), size);
        Integer site = job.conditions().siteFactor();
        return new Rank(
                version,
                cluster.priorityRules().sizeByTime()
                        ? sizeByTime(job, cluster, size)
                        : jobSize(job.request(), cluster, size),
                partition(job.partition(), configuration),
                relative(
                        weights.qos(),
                        configuration.qos().get(job.qos()),
                        configuration.qos().values(),
                        Qos::priority),
                -job.nice() * POINT,
                Math.ceilDiv(weights.age() * POINT, Math.max(1, cluster.maxAgeSeconds())),
                weights.age() * POINT,
                association == 0 ? null : association,
                tres == 0 ? null : tres,
                site == null ? null : site * POINT);
    }

    /// The part of a partition, in millionths of a point.
    public static long partition(String name, Configuration configuration) {
        return relative(
                configuration.cluster().weights().partition(),
                configuration.partitions().get(name),
                configuration.partitions().values(),
                Partition::jobFactor);
    }

    private static long sizeByTime(JobDescription job, Cluster cluster, ClusterSize size) {
        if (size.nodes() == 0 || size.cpus() == 0) {
            return 0;
        }
        BigInteger cpus = BigInteger.valueOf(size.cpus());
        BigInteger nodes = BigInteger.valueOf(size.nodes());
        BigInteger asked =
                BigInteger.valueOf(job.request().totalCpus())
                        .multiply(nodes)
                        .max(BigInteger.valueOf(job.request().nodes()).multiply(cpus));
        long minutes = Math.ceilDiv(job.timeLimitSeconds(), 60L);
        BigInteger whole = cpus.multiply(nodes).multiply(BigInteger.valueOf(Math.max(1, minutes)));
        BigInteger part = minutes == 0 ? BigInteger.ZERO : asked.min(whole);
        return weighted(
                cluster.weights().jobSize(),
                cluster.favorSmall() ? whole.subtract(part) : part,
                whole);
    }

    private static long association(JobDescription job, Configuration configuration) {
        int weight = configuration.cluster().priorityRules().associationWeight();
        if (weight == 0) {
            return 0;
        }
        int largest =
                Stream.concat(
                                configuration.associations().stream().map(Association::ownTerms),
                                configuration.accounts().values().stream().map(Account::ownTerms))
                        .mapToInt(Terms::priority)
                        .max()
                        .orElse(0);
        int own = associationPriority(job, configuration);
        return largest == 0
                ? 0
                : weighted(weight, BigInteger.valueOf(own), BigInteger.valueOf(largest));
    }

    private static int associationPriority(JobDescription job, Configuration configuration) {
        for (Association it : configuration.associations()) {
            if (it.account().equals(job.account())
                    && it.user().equals(job.user())
                    && it.ownTerms().priority() != 0) {
                return it.ownTerms().priority();
            }
        }
        return configuration.lineage(job.account()).stream()
                .map(configuration.accounts()::get)
                .filter(Objects::nonNull)
                .mapToInt(it -> it.ownTerms().priority())
                .filter(it -> it != 0)
                .findFirst()
                .orElse(0);
    }

    private static long tres(ResourceRequest request, PriorityRules rules, ClusterSize size) {
        long points = 0;
        for (var weight : rules.tresWeights().entrySet()) {
            long whole = size.of(weight.getKey());
            if (whole > 0) {
                long part = Math.min(whole, Requested.amount(request, weight.getKey()));
                points +=
                        weighted(
                                weight.getValue(),
                                BigInteger.valueOf(part),
                                BigInteger.valueOf(whole));
            }
        }
        return points;
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

    private static long weighted(long weight, BigInteger part, BigInteger whole) {
        return BigInteger.valueOf(Math.multiplyExact(weight, POINT))
                .multiply(part)
                .shiftLeft(1)
                .add(whole)
                .divide(whole.shiftLeft(1))
                .longValueExact();
    }
}
