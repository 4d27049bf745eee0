package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.MigGpu;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The GPUs of a machine, with the drivers that told of them.
///
/// @param gpus those that work, in PCI order
/// @param links how those reach one another; null if nothing tells
/// @param migGpus those in MIG mode that work, with what they could be split into
/// @param taken how many indices each GPU of the machine takes, in PCI order: one in MIG mode as
///   many as it may have instances, so that those of others stay what they are when it is divided
public record FoundGpus(
        List<Gpu> gpus,
        @Nullable GpuLinks links,
        List<GpuDriver> drivers,
        List<OutOfService> outOfService,
        List<MigGpu> migGpus,
        List<Integer> taken) {

    public static final FoundGpus NONE =
            new FoundGpus(List.of(), null, List.of(), List.of(), List.of());

    /// Why a GPU stands aside.
    public record Aside(Health health, String reason) {}

    public FoundGpus {
        gpus = List.copyOf(gpus);
        drivers = List.copyOf(drivers);
        outOfService = List.copyOf(outOfService);
        migGpus = List.copyOf(migGpus);
        taken = List.copyOf(taken);
    }

    /// GPUs that take one index each.
    public FoundGpus(
            List<Gpu> gpus,
            @Nullable GpuLinks links,
            List<GpuDriver> drivers,
            List<OutOfService> outOfService,
            List<MigGpu> migGpus) {
        this(
                gpus,
                links,
                drivers,
                outOfService,
                migGpus,
                Collections.nCopies(gpus.size() + outOfService.size(), 1));
    }

    /// The GPUs of two vendors in one machine: the second's indices go on from the first's. Nothing
    /// tells how they reach one another.
    public FoundGpus and(FoundGpus others) {
        int first = taken.stream().mapToInt(Integer::intValue).sum();
        Stream<Gpu> shifted =
                others.gpus.stream()
                        .map(gpu ->
                                new Gpu(
                                        first + gpu.index(),
                                        gpu.uuid(),
                                        gpu.type(),
                                        gpu.name(),
                                        gpu.minor(),
                                        gpu.memoryMib(),
                                        gpu.numaNode(),
                                        gpu.hardware()));
        Stream<OutOfService> out =
                others.outOfService.stream()
                        .map(gpu ->
                                new OutOfService(
                                        first + gpu.index(),
                                        gpu.uuid(),
                                        gpu.busId(),
                                        gpu.health(),
                                        gpu.reason()));
        GpuLinks told = others.gpus.isEmpty() ? links : gpus.isEmpty() ? others.links : null;
        return new FoundGpus(
                Stream.concat(gpus.stream(), shifted).toList(),
                told,
                Stream.concat(drivers.stream(), others.drivers.stream()).toList(),
                Stream.concat(outOfService.stream(), out).toList(),
                Stream.concat(migGpus.stream(), others.migGpus.stream()).toList(),
                Stream.concat(taken.stream(), others.taken.stream()).toList());
    }

    /// Whether a GPU works, by its UUID; of one in MIG mode, be it without instances, too.
    public boolean has(String uuid) {
        return gpus.stream().anyMatch(gpu -> physical(gpu).equals(uuid))
                || migGpus.stream().anyMatch(gpu -> gpu.uuid().equals(uuid));
    }

    /// The same without those GPUs, which are put out of service.
    ///
    /// @param aside by UUID; of a split GPU all instances go with it
    public FoundGpus without(Map<String, Aside> aside) {
        var kept = new ArrayList<Integer>();
        var out = new ArrayList<>(outOfService);
        for (int place = 0; place < gpus.size(); place++) {
            Gpu gpu = gpus.get(place);
            Aside why = aside.getOrDefault(gpu.uuid(), aside.get(physical(gpu)));
            if (why == null) {
                kept.add(place);
            } else {
                String bus = gpu.hardware() == null ? null : gpu.hardware().busId();
                out.add(new OutOfService(gpu.index(), gpu.uuid(), bus, why.health(), why.reason()));
            }
        }
        return new FoundGpus(
                kept.stream().map(gpus::get).toList(),
                links == null ? null : links.among(kept),
                drivers,
                out,
                migGpus.stream().filter(gpu -> !aside.containsKey(gpu.uuid())).toList(),
                taken);
    }

    /// UUID of the whole GPU that this one is, or is an instance of.
    public static String physical(Gpu gpu) {
        return Objects.requireNonNullElse(gpu.parent(), gpu.uuid());
    }

    /// A matrix of that many GPUs.
    public static GpuLinks matrix(int size, LinkWord word) {
        return new GpuLinks(
                IntStream.range(0, size)
                        .mapToObj(row ->
                                String.join(
                                        " ",
                                        IntStream.range(0, size)
                                                .mapToObj(column ->
                                                        row == column ? "X" : word.of(row, column))
                                                .toList()))
                        .toList());
    }

    /// The word for the way between two GPUs.
    @FunctionalInterface
    public interface LinkWord {
        String of(int from, int to);
    }
}
