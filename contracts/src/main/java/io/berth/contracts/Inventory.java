package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// What a node has.
///
/// @param cpus logical CPUs, with ids from 0
/// @param memoryMib memory in MiB that jobs may have
/// @param gpus the GPUs, by index
/// @param isolation what the agent can enforce and has verified on this host
/// @param simulated whether GPUs, or all of it, are declared and not there
/// @param profile the declared profile, if any, such as `dgx-a100`
/// @param links how the GPUs reach one another; null if it is not known
/// @param hardware what else was found; null if it is declared, or written by an older agent
/// @param migGpus the GPUs in MIG mode, of whose instances `gpus` has those that jobs may have
/// @param gres resources other than GPUs that its agent tells of, one of a name and type
public record Inventory(
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        int cpus,
        long memoryMib,
        List<Gpu> gpus,
        List<Isolation> isolation,
        boolean simulated,
        @Nullable String profile,
        String os,
        String architecture,
        @Nullable GpuLinks links,
        @Nullable Hardware hardware,
        @Added @JsonInclude(Include.NON_EMPTY) List<MigGpu> migGpus,
        @Added @JsonInclude(Include.NON_EMPTY) List<Gres> gres) {

    public Inventory {
        gres = gres == null ? List.of() : gres.stream().sorted().toList();
        gpus = List.copyOf(gpus);
        migGpus = migGpus == null ? List.of() : List.copyOf(migGpus);
        isolation = isolation.stream().distinct().sorted().toList();
        if (links != null && links.rows().size() != gpus.size()) {
            throw new IllegalArgumentException(
                    "links of %d GPUs for %d".formatted(links.rows().size(), gpus.size()));
        }
    }

    /// An inventory without resources other than GPUs.
    public Inventory(
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            int cpus,
            long memoryMib,
            List<Gpu> gpus,
            List<Isolation> isolation,
            boolean simulated,
            @Nullable String profile,
            String os,
            String architecture,
            @Nullable GpuLinks links,
            @Nullable Hardware hardware,
            List<MigGpu> migGpus) {
        this(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                links,
                hardware,
                migGpus,
                List.of());
    }

    /// An inventory without GPUs in MIG mode.
    public Inventory(
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            int cpus,
            long memoryMib,
            List<Gpu> gpus,
            List<Isolation> isolation,
            boolean simulated,
            @Nullable String profile,
            String os,
            String architecture,
            @Nullable GpuLinks links,
            @Nullable Hardware hardware) {
        this(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                links,
                hardware,
                List.of());
    }

    /// An inventory of which no more is known.
    public Inventory(
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            int cpus,
            long memoryMib,
            List<Gpu> gpus,
            List<Isolation> isolation,
            boolean simulated,
            @Nullable String profile,
            String os,
            String architecture) {
        this(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                null,
                null);
    }

    /// The same node, enforcing that.
    public Inventory enforcing(Collection<Isolation> enforced) {
        return new Inventory(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                List.copyOf(enforced),
                simulated,
                profile,
                os,
                architecture,
                links,
                hardware,
                migGpus,
                gres);
    }

    /// The same node with other resources beside its GPUs.
    public Inventory having(List<Gres> others) {
        return new Inventory(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                gpus,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                links,
                hardware,
                migGpus,
                others);
    }

    /// The same with one of the GPUs in MIG mode otherwise.
    public Inventory withMig(String uuid, UnaryOperator<MigGpu> change) {
        return with(
                gpus,
                links,
                migGpus.stream()
                        .map(gpu -> gpu.uuid().equals(uuid) ? change.apply(gpu) : gpu)
                        .toList());
    }

    /// The same with one of the GPUs in MIG mode otherwise, and without instances of it.
    public Inventory emptied(String uuid, UnaryOperator<MigGpu> change) {
        List<Integer> kept =
                IntStream.range(0, gpus.size())
                        .filter(place -> !uuid.equals(gpus.get(place).parent()))
                        .boxed()
                        .toList();
        return with(
                kept.stream().map(gpus::get).toList(),
                links == null ? null : links.among(kept),
                withMig(uuid, change).migGpus());
    }

    /// The same node with other GPUs, of which nobody knows how they reach one another.
    public Inventory withGpus(List<Gpu> others, List<MigGpu> othersInMigMode) {
        return with(others, null, othersInMigMode);
    }

    private Inventory with(
            List<Gpu> others, @Nullable GpuLinks theirLinks, List<MigGpu> othersInMigMode) {
        return new Inventory(
                sockets,
                coresPerSocket,
                threadsPerCore,
                cpus,
                memoryMib,
                others,
                isolation,
                simulated,
                profile,
                os,
                architecture,
                theirLinks,
                hardware,
                othersInMigMode,
                gres);
    }

    /// The NVLink fabric of several nodes in which all its GPUs stand; null if there is none.
    public @Nullable String fabric() {
        List<String> fabrics =
                gpus.stream()
                        .map(gpu -> gpu.hardware() == null ? null : gpu.hardware().fabric())
                        .map(it -> it == null ? "" : it.cluster() + "/" + it.clique())
                        .distinct()
                        .toList();
        return fabrics.size() != 1 || fabrics.getFirst().isEmpty() ? null : fabrics.getFirst();
    }

    /// The GPU in MIG mode with that UUID.
    public Optional<MigGpu> migGpu(String uuid) {
        return migGpus.stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
    }

    /// The instances of a GPU that is split.
    ///
    /// @param uuid the GPU's own
    public List<Gpu> instancesOf(String uuid) {
        return gpus.stream().filter(gpu -> uuid.equals(gpu.parent())).toList();
    }
}
