package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MigGpu;
import io.berth.slurm.GresConf;
import io.berth.slurm.GresConf.GpuLine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The GPUs that drivers tell of, as a gres.conf will have them: of another type, beside other
/// cores, with other links, or left out. A driver's word holds in all that no line says, and no
/// line makes a GPU that no driver tells of.
public final class PinnedGpus {

    /// The variables that tell programs NVIDIA's GPUs.
    static final List<String> NVIDIA = List.of("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES");

    private static final List<String> AMD = List.of("ROCR_VISIBLE_DEVICES");

    private final FoundGpus told;

    /// By UUID the line of a GPU, or of an instance where it has one of its own.
    private final Map<String, GpuLine> lines = new LinkedHashMap<>();

    /// GPUs of which lines name instances: they are as they are, and not divided anew.
    private final Set<String> byInstance = new HashSet<>();

    private final List<String> contradictions = new ArrayList<>();

    private PinnedGpus(FoundGpus told) {
        this.told = told;
    }

    /// What came of it.
    ///
    /// @param contradictions where the file and the machine are at odds, in one line each; GPUs
    ///   that are in the machine and do not work, or are split into nothing, may be those that are
    ///   missed
    public record Pinned(FoundGpus gpus, List<String> contradictions) {}

    public static Pinned of(FoundGpus told, GresConf conf, SystemFiles files, Host host) {
        if (conf.gpus().isEmpty()) {
            return new Pinned(conf.detected() ? told : none(told), List.of());
        }
        var pinned = new PinnedGpus(told);
        pinned.match(conf.gpus());
        FoundGpus gpus = pinned.linked(pinned.changed(HostCores.read(files, host)));
        return new Pinned(gpus, List.copyOf(pinned.contradictions));
    }

    /// Those that tell programs a GPU, as its line says or else its vendor's.
    static List<String> variables(GresConf conf, Gpu gpu) {
        List<String> said = line(conf, gpu).map(GpuLine::variables).orElse(null);
        GpuHardware hardware = gpu.hardware();
        boolean amd = hardware != null && hardware.vendor() == Vendor.AMD;
        return said != null ? said : amd ? AMD : NVIDIA;
    }

    /// The line on a GPU that the node gives out: one that names its file, else one of its type.
    static Optional<GpuLine> line(GresConf conf, Gpu gpu) {
        String file = file(gpu);
        List<GpuLine> naming =
                conf.gpus().stream().filter(it -> it.files().contains(file)).toList();
        return naming.stream()
                .filter(it -> isInstance(it, gpu))
                .findFirst()
                .or(() -> naming.stream().filter(it -> it.capabilities().isEmpty()).findFirst())
                .or(() ->
                        conf.gpus().stream()
                                .filter(it -> it.files().isEmpty())
                                .filter(it ->
                                        it.type() == null
                                                || gpu.type().equals(it.type())
                                                || gpu.type().startsWith(it.type() + "_"))
                                .findFirst());
    }

    /// Whether a line speaks of just this instance.
    private static boolean isInstance(GpuLine line, Gpu gpu) {
        GpuHardware hardware = gpu.hardware();
        BitSet missing = line.capabilities().toBitSet();
        if (missing.isEmpty() || hardware == null || hardware.mig() == null) {
            return false;
        }
        missing.andNot(hardware.mig().capabilities().toBitSet());
        return missing.isEmpty();
    }

    private static FoundGpus none(FoundGpus told) {
        return new FoundGpus(
                List.of(), null, told.drivers(), told.outOfService(), List.of(), told.taken());
    }

    /// Finds the line of each GPU: one that names its file, else the first that has room for it.
    private void match(List<GpuLine> all) {
        Map<String, String> byFile = new LinkedHashMap<>();
        told.gpus().forEach(gpu -> byFile.put(file(gpu), FoundGpus.physical(gpu)));
        for (GpuLine line : all) {
            var missing = new ArrayList<>(line.files());
            missing.removeAll(byFile.keySet());
            if (missing.size() > unknown()) {
                contradict(
                        line,
                        "there is no GPU %s: found are %s"
                                .formatted(
                                        String.join(", ", missing),
                                        byFile.isEmpty() ? "none" : byFile.keySet()));
            }
            if (line.capabilities().isEmpty()) {
                for (String file : line.files()) {
                    String uuid = byFile.get(file);
                    if (uuid != null) {
                        lines.put(uuid, line);
                    }
                }
            } else if (missing.isEmpty()) {
                matchInstance(line);
            }
        }
        all.stream().filter(line -> line.files().isEmpty()).forEach(this::matchAny);
    }

    private void matchInstance(GpuLine line) {
        Optional<Gpu> instance =
                told.gpus().stream()
                        .filter(gpu -> line.files().contains(file(gpu)) && isInstance(line, gpu))
                        .findFirst();
        if (instance.isPresent()) {
            lines.put(instance.get().uuid(), line);
            byInstance.add(FoundGpus.physical(instance.get()));
        } else if (unknown() == 0) {
            contradict(line, "there is no instance with these capabilities");
        }
    }

    private @Nullable GpuLine lineOf(Gpu gpu) {
        GpuLine own = lines.get(gpu.uuid());
        return own == null ? lines.get(FoundGpus.physical(gpu)) : own;
    }

    private void matchAny(GpuLine line) {
        Set<String> fit =
                told.gpus().stream()
                        .filter(gpu -> isOf(line.type(), gpu))
                        .map(FoundGpus::physical)
                        .filter(uuid -> !lines.containsKey(uuid) && !byInstance.contains(uuid))
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        long wanted = Math.max(1, line.count());
        if (wanted - fit.size() > unknown()) {
            contradict(line, "%d such GPUs are left of those found".formatted(fit.size()));
        }
        fit.stream()
                .limit(line.count() > 0 ? line.count() : fit.size())
                .forEach(uuid -> lines.put(uuid, line));
    }

    /// As Slurm compares: a part of the product's name will do.
    private static boolean isOf(@Nullable String type, Gpu gpu) {
        String product = gpu.name().replaceAll(" MIG \\S+$", "");
        return type == null
                || GpuTypes.of(product).equals(type)
                || product.toLowerCase(Locale.ROOT).replace(' ', '_').contains(type);
    }

    /// How many GPUs there are of which nobody knows what lines mean them.
    private long unknown() {
        if (told.drivers().stream().anyMatch(driver -> driver.problem() != null)) {
            return Long.MAX_VALUE;
        }
        Set<String> known =
                told.gpus().stream().map(FoundGpus::physical).collect(Collectors.toSet());
        return told.outOfService().size()
                + told.migGpus().stream().filter(gpu -> !known.contains(gpu.uuid())).count();
    }

    private void contradict(GpuLine line, String how) {
        contradictions.add(line.place() + ": " + how);
    }

    /// The GPU's device file, by which lines name it.
    private static String file(Gpu gpu) {
        GpuHardware hardware = gpu.hardware();
        return hardware != null && hardware.renderMinor() != null
                ? "/dev/dri/renderD" + hardware.renderMinor()
                : "/dev/nvidia" + gpu.minor();
    }

    /// Those that have a line, as it says.
    private FoundGpus changed(HostCores cores) {
        var gpus = new ArrayList<Gpu>();
        var places = new ArrayList<Integer>();
        Set<String> leftOut = new HashSet<>();
        for (int place = 0; place < told.gpus().size(); place++) {
            Gpu gpu = told.gpus().get(place);
            GpuLine line = lineOf(gpu);
            if (line == null) {
                leftOut.add(FoundGpus.physical(gpu));
            } else {
                places.add(place);
                gpus.add(near(typed(gpu, line), line, cores));
            }
        }
        GpuLinks links = told.links();
        return new FoundGpus(
                gpus,
                links == null ? null : links.among(places),
                told.drivers(),
                told.outOfService(),
                told.migGpus().stream()
                        .filter(gpu ->
                                !leftOut.contains(gpu.uuid()) && !byInstance.contains(gpu.uuid()))
                        .map(this::typed)
                        .toList(),
                told.taken());
    }

    private static Gpu typed(Gpu gpu, GpuLine line) {
        String type = line.type();
        boolean whole = gpu.parent() == null || !line.capabilities().isEmpty();
        if (type == null) {
            return gpu;
        }
        return new Gpu(
                gpu.index(),
                gpu.uuid(),
                whole ? type : GpuTypes.ofInstance(type, gpu.name()),
                gpu.name(),
                gpu.minor(),
                gpu.memoryMib(),
                gpu.numaNode(),
                gpu.hardware());
    }

    private MigGpu typed(MigGpu gpu) {
        GpuLine line = lines.get(gpu.uuid());
        return line == null || line.type() == null
                ? gpu
                : new MigGpu(
                        gpu.index(),
                        gpu.uuid(),
                        line.type(),
                        gpu.profiles(),
                        gpu.instances(),
                        gpu.failure(),
                        gpu.dividing());
    }

    private Gpu near(Gpu gpu, GpuLine line, HostCores cores) {
        GpuHardware hardware = gpu.hardware();
        if (line.cores() == null || hardware == null) {
            return gpu;
        }
        if (line.cores().toBitSet().length() > cores.count()) {
            contradict(
                    line,
                    "Cores=%s: this machine has %d, from 0".formatted(line.cores(), cores.count()));
            return gpu;
        }
        IndexSet cpus = cores.cpus(line.cores());
        return new Gpu(
                gpu.index(),
                gpu.uuid(),
                gpu.type(),
                gpu.name(),
                gpu.minor(),
                gpu.memoryMib(),
                cores.numaNode(cpus),
                new GpuHardware(
                        hardware.vendor(),
                        hardware.busId(),
                        hardware.serial(),
                        hardware.computeCapability(),
                        cpus,
                        hardware.powerLimitWatts(),
                        hardware.ecc(),
                        hardware.switchLinks(),
                        hardware.fabric(),
                        hardware.mig(),
                        hardware.renderMinor()));
    }

    /// With the links that lines count.
    private FoundGpus linked(FoundGpus kept) {
        List<Gpu> gpus = kept.gpus();
        GpuLinks links = kept.links();
        var words = new String[gpus.size()][];
        for (int place = 0; place < words.length; place++) {
            words[place] =
                    links == null
                            ? "? ".repeat(words.length).split(" ")
                            : links.rows().get(place).split(" ");
        }
        var pinned = new BitSet();
        for (int place = 0; place < words.length; place++) {
            GpuLine line = Objects.requireNonNull(lineOf(gpus.get(place)));
            if (!line.links().isEmpty() && fits(line, place, gpus)) {
                pinned.set(place);
                for (int to = 0; to < words.length; to++) {
                    String word = word(line.links().get(to), words[place][to]);
                    if (to < place && pinned.get(to) && !word.equals(words[place][to])) {
                        contradict(
                                line,
                                "the line of %s counts other links".formatted(file(gpus.get(to))));
                    }
                    words[place][to] = word;
                    words[to][place] = word;
                }
            }
        }
        return pinned.isEmpty()
                ? kept
                : new FoundGpus(
                        gpus,
                        FoundGpus.matrix(words.length, (from, to) -> words[from][to]),
                        kept.drivers(),
                        kept.outOfService(),
                        kept.migGpus(),
                        kept.taken());
    }

    /// @param told the driver's; without links of the GPUs' own it is the way over PCI
    private static String word(int count, String told) {
        return count > 0 ? "NV" + count : GpuLinks.Path.of(told).linked() ? "?" : told;
    }

    /// Whether a line's links are to the GPUs that there are. Where some do not work they are not.
    private boolean fits(GpuLine line, int place, List<Gpu> gpus) {
        List<Integer> links = line.links();
        boolean whole = gpus.stream().allMatch(gpu -> gpu.parent() == null);
        boolean fits =
                whole
                        && links.size() == gpus.size()
                        && links.indexOf(-1) == place
                        && links.lastIndexOf(-1) == place;
        if (!fits && unknown() == 0) {
            contradict(
                    line,
                    whole
                            ? "Links are %d numbers here, the one in place %d, from 0, -1"
                                    .formatted(gpus.size(), place)
                            : "Links are of GPUs that are not split");
        }
        return fits;
    }
}
