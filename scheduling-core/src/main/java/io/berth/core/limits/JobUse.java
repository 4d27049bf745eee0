package io.berth.core.limits;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry.Prices;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// What one job counts for limits.
///
/// @param tres amounts in all, named as [Tres] names them
/// @param perNode amounts on the node where it uses most
/// @param limitSeconds its time limit; 0 is unlimited
public record JobUse(
        String user,
        String account,
        String partition,
        String qos,
        Map<String, Long> tres,
        Map<String, Long> perNode,
        long limitSeconds) {

    public JobUse {
        tres = Collections.unmodifiableSortedMap(new TreeMap<>(tres));
        perNode = Collections.unmodifiableSortedMap(new TreeMap<>(perNode));
    }

    /// A job without a time limit counts as this long for limits of minutes.
    private static final long UNLIMITED_SECONDS = 365L * 86_400;

    /// How long it may take for limits of minutes.
    public long longestSeconds() {
        return limitSeconds == 0 ? UNLIMITED_SECONDS : limitSeconds;
    }

    /// What a job asks for. Memory that is asked for as all of a node counts nothing; GPUs of no
    /// stated type count as `gres/gpu` alone.
    ///
    /// @param prices that make the billing of it
    public static JobUse asked(JobDescription job, Prices prices) {
        return asked(job, prices, job.request()::cpusOn);
    }

    /// The same where a job gets more CPUs than it asks for.
    ///
    /// @param cpus that it has on its nodes, by part
    public static JobUse asked(JobDescription job, Prices prices, IntUnaryOperator cpus) {
        ResourceRequest request = job.request();
        SortedMap<String, Long> all = new TreeMap<>();
        for (int node = 0; node < request.nodes(); node++) {
            amounts(request, node, cpus)
                    .forEach((name, amount) -> all.merge(name, amount, Saturated::plus));
        }
        all.put(Tres.BILLING, billing(request, all, prices) / 1000);
        return new JobUse(
                job.user(),
                job.account(),
                job.partition(),
                job.qos(),
                all,
                amounts(request, 0, cpus),
                job.timeLimitSeconds());
    }

    /// The job on the GPUs that it was given, whose types are known, and with the other resources
    /// that it was given: all of its nodes if it has these to itself, however few it asks for.
    ///
    /// @param byType GPUs of each type
    /// @param given on all its nodes; none if it is not known yet
    public JobUse holding(Map<String, Long> byType, List<Gres> given) {
        var held = new TreeMap<>(tres);
        held.keySet().removeIf(it -> it.startsWith(Tres.GPU + ":"));
        byType.forEach((type, count) -> held.put(Tres.gpu(type), count));
        long gpus = byType.values().stream().mapToLong(Long::longValue).sum();
        if (gpus > held.getOrDefault(Tres.GPU, 0L)) {
            held.put(Tres.GPU, gpus);
        }
        for (Gres gres : given) {
            String name = Tres.gres(gres.name());
            held.keySet().removeIf(it -> it.equals(name) || it.startsWith(name + ":"));
        }
        given.forEach(gres -> add(held, gres));
        return new JobUse(user, account, partition, qos, held, perNode, limitSeconds);
    }

    private static SortedMap<String, Long> amounts(
            ResourceRequest request, int node, IntUnaryOperator cpus) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        amounts.put(Tres.NODE, 1L);
        amounts.put(Tres.CPU, (long) cpus.applyAsInt(node));
        amounts.put(Tres.MEMORY, request.memoryMibOn(node, 0));
        int gpus = request.gpusOn(node);
        if (gpus > 0) {
            amounts.put(Tres.GPU, (long) gpus);
            request.gpuTypesOn(node).forEach((type, of) -> amounts.put(Tres.gpu(type), (long) of));
        }
        ShareRequest share = request.gpus().share();
        if (share != null) {
            amounts.put(share.sharing().tres(), share.amount());
        }
        request.gres().forEach(gres -> add(amounts, gres));
        return amounts;
    }

    private static void add(Map<String, Long> amounts, Gres gres) {
        amounts.merge(Tres.gres(gres.name()), gres.count(), Saturated::plus);
        if (gres.type() != null) {
            amounts.merge(Tres.gres(gres.kind()), gres.count(), Saturated::plus);
        }
    }

    /// In thousandths. In how many shards a GPU is given out depends on the node: one counts as
    /// all.
    private static long billing(ResourceRequest request, Map<String, Long> amounts, Prices prices) {
        long gpus = 0;
        for (GpuRequest one : request.gpus().ofEach()) {
            String type = one.type();
            long count = amounts.getOrDefault(type == null ? Tres.GPU : Tres.gpu(type), 0L);
            gpus = Saturated.plus(gpus, Saturated.times(count, price(prices, type)));
        }
        long cpus = Saturated.times(amounts.getOrDefault(Tres.CPU, 0L), prices.cpu());
        long memory = Saturated.times(amounts.getOrDefault(Tres.MEMORY, 0L), prices.gib()) / 1024;
        ShareRequest share = request.gpus().share();
        long gpuPrice = price(prices, request.gpus().type());
        long part =
                share == null
                        ? 0
                        : share.sharing() == GpuSharing.MPS
                                ? Saturated.times(gpuPrice, share.amount()) / 100
                                : gpuPrice;
        return Saturated.plus(Saturated.plus(cpus, memory), Saturated.plus(gpus, part));
    }

    private static long price(Prices prices, @Nullable String type) {
        return type == null ? prices.gpu() : prices.gpuByType().getOrDefault(type, prices.gpu());
    }
}
