package io.berth.agent.nvml;

import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.GpuTypes;
import io.berth.agent.host.Host;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Fabric;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.IndexSet;
import io.berth.contracts.MigGpu;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// NVIDIA's GPUs of this machine, as the driver and the kernel tell of them. Whatever fails is a
/// GPU out of service or a driver with a problem, each with a line that says why.
public final class NvidiaGpus {

    private static final String VENDOR_ID = "0x10de";
    private static final String MIG_MINORS = "/proc/driver/nvidia-caps/mig-minors";

    /// A GPU instance's, and that of the compute instance in it.
    private static final int CAPABILITIES = 2;

    private final Nvml nvml;
    private final SystemFiles files;
    private final Host host;
    private final List<Seen> seen = new ArrayList<>();
    private final List<MigGpu> mig = new ArrayList<>();
    private final List<OutOfService> out = new ArrayList<>();

    /// How many indices each took when it was last read.
    private final List<Integer> before;

    private NvidiaGpus(Nvml nvml, SystemFiles files, Host host, List<Integer> before) {
        this.nvml = nvml;
        this.files = files;
        this.host = host;
        this.before = before;
    }

    /// One GPU of the inventory and the physical GPU behind it.
    private record Seen(Gpu gpu, NvmlDevice device, String busId, List<NvmlDevice.Link> links) {}

    /// Finds them.
    ///
    /// @param library the driver's library, [Nvml#LIBRARY] or a path
    /// @param before how many indices each took when they were last read, in PCI order: one that
    ///   does not even tell whether it is in MIG mode takes as many again
    public static FoundGpus find(
            String library, SystemFiles files, Host host, List<Integer> before) {
        try {
            Optional<Nvml> nvml = Nvml.open(library);
            if (nvml.isEmpty()) {
                return without(library, files);
            }
            try (Nvml open = nvml.get()) {
                return new NvidiaGpus(open, files, host, before).read();
            }
        } catch (NvmlFailure e) {
            return failed(files, e.reason());
        }
    }

    /// Finds them on a thread of its own. A driver that does not answer within that time is one
    /// with a problem; that thread hangs on until it does.
    public static FoundGpus within(Duration limit, String library, SystemFiles files, Host host)
            throws InterruptedException {
        var thread = Thread.ofPlatform().name("gpus-first").daemon();
        var found =
                CompletableFuture.supplyAsync(
                        () -> find(library, files, host, List.of()), thread::start);
        try {
            return found.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return failed(
                    files,
                    "it has not answered for %d ms, as one does whose GPU hangs"
                            .formatted(limit.toMillis()));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static FoundGpus without(String library, SystemFiles files) {
        int there = files.gpus(VENDOR_ID);
        if (there == 0) {
            return FoundGpus.NONE;
        }
        String problem =
                "%d on the PCI bus, but no %s: install the driver".formatted(there, library);
        return problem(files, new GpuDriver(Vendor.NVIDIA, null, null, problem));
    }

    private static FoundGpus failed(SystemFiles files, String why) {
        String version = files.text("/sys/module/nvidia/version").orElse(null);
        return problem(files, new GpuDriver(Vendor.NVIDIA, version, null, why));
    }

    /// GPUs of which nothing is told keep their indices.
    private static FoundGpus problem(SystemFiles files, GpuDriver driver) {
        List<Integer> taken = Collections.nCopies(files.gpus(VENDOR_ID), 1);
        return new FoundGpus(List.of(), null, List.of(driver), List.of(), List.of(), taken);
    }

    private FoundGpus read() throws NvmlFailure {
        int count = nvml.deviceCount();
        int index = 0;
        var taken = new ArrayList<Integer>();
        for (int place = 0; place < count; place++) {
            String[] known = new String[2];
            int seenBefore = seen.size();
            int outBefore = out.size();
            int takes = place < before.size() ? before.get(place) : 1;
            try {
                NvmlDevice device = nvml.device(place);
                takes = device.split() ? Math.max(1, device.mostInstances()) : 1;
                add(device, place, index, known);
            } catch (NvmlFailure e) {
                seen.subList(seenBefore, seen.size()).clear();
                out.subList(outBefore, out.size()).clear();
                Health health = e.answered() ? Health.DRAINED : Health.LOST;
                out.add(new OutOfService(index, known[0], known[1], health, e.reason()));
            }
            taken.add(takes);
            index += takes;
        }
        var driver = new GpuDriver(Vendor.NVIDIA, nvml.driverVersion(), nvml.cudaVersion(), null);
        return new FoundGpus(
                seen.stream().map(Seen::gpu).toList(), links(), List.of(driver), out, mig, taken);
    }

    /// Adds a GPU, or its instances, from that index on.
    private void add(NvmlDevice device, int place, int index, String[] known) throws NvmlFailure {
        String uuid = device.uuid();
        known[0] = uuid;
        String busId = device.busId();
        known[1] = busId;
        int minor = minor(device, busId);
        String product = device.name().orElse("NVIDIA GPU");
        List<NvmlDevice.Link> links = device.links();
        int numaNode = numaNode(device, busId);
        GpuHardware hardware = hardware(device, busId, links, null);
        String type = GpuTypes.of(product);
        if (!device.split()) {
            if (device.joining()) {
                throw NvmlFailure.missing(
                        "its NVLink fabric is not complete: the fabric manager has yet to join it");
            }
            long mib = device.memory()[0] >> 20;
            var gpu = new Gpu(index, uuid, type, product, minor, mib, numaNode, hardware);
            seen.add(new Seen(gpu, device, busId, links));
            return;
        }
        List<NvmlDevice> instances = device.instances();
        for (int i = 0; i < instances.size(); i++) {
            NvmlDevice instance = instances.get(i);
            String name = instance.name().orElse(product);
            MigInstance part = mig(uuid, minor, instance);
            if (part.capabilities().size() < CAPABILITIES) {
                out.add(
                        new OutOfService(
                                index + i,
                                instance.uuid(),
                                busId,
                                Health.DRAINED,
                                "%s does not tell what opens instance %d/%d of GPU %d"
                                        .formatted(
                                                MIG_MINORS,
                                                part.gpuInstance(),
                                                part.computeInstance(),
                                                minor)));
                continue;
            }
            var gpu =
                    new Gpu(
                            index + i,
                            instance.uuid(),
                            GpuTypes.ofInstance(type, name),
                            name,
                            minor,
                            instance.memory()[0] >> 20,
                            numaNode,
                            hardware(device, busId, links, part));
            seen.add(new Seen(gpu, device, busId, links));
        }
        Optional<String> untold = divisible(device, place, uuid, type);
        if (instances.isEmpty() && untold.isPresent()) {
            String why =
                    "it is in MIG mode and split into nothing, and how it may be split is not told: ";
            out.add(new OutOfService(index, uuid, busId, Health.DRAINED, why + untold.get()));
        }
    }

    /// Notes how a GPU in MIG mode may be split. Why that is not told, if it is not: who may not
    /// ask for it, as one who is not root, has its instances all the same.
    private Optional<String> divisible(NvmlDevice device, int place, String uuid, String type)
            throws NvmlFailure {
        try {
            Optional<MigGpu> gpu = new NvmlMig(device).gpu(place, uuid, type);
            gpu.ifPresent(mig::add);
            return gpu.isPresent() ? Optional.empty() : Optional.of("no profiles");
        } catch (NvmlFailure e) {
            if (e.lost()) {
                throw e;
            }
            return Optional.of(e.reason());
        }
    }

    private GpuHardware hardware(
            NvmlDevice device, String busId, List<NvmlDevice.Link> links, @Nullable MigInstance mig)
            throws NvmlFailure {
        Map<String, Integer> switches = new TreeMap<>();
        for (NvmlDevice.Link link : links) {
            if (isSwitch(link)) {
                switches.merge(link.busId(), 1, Integer::sum);
            }
        }
        Optional<Fabric> fabric = device.fabric();
        return new GpuHardware(
                Vendor.NVIDIA,
                busId,
                device.serial().orElse(null),
                device.computeCapability().orElse(null),
                device.cpus().map(host::cpusHere).orElse(null),
                device.powerLimitMilliwatts().map(milliwatts -> milliwatts / 1000).orElse(null),
                device.ecc().orElse(null),
                switches,
                fabric.orElse(null),
                mig,
                null);
    }

    /// What the driver does not tell is guessed: what is no GPU of the machine is a switch. A GPU
    /// that is lost may be one by the kernel's word alone.
    private boolean isSwitch(NvmlDevice.Link link) throws NvmlFailure {
        if (link.end() != NvmlDevice.End.UNKNOWN) {
            return link.end() == NvmlDevice.End.SWITCH;
        }
        int count = nvml.deviceCount();
        for (int place = 0; place < count; place++) {
            try {
                if (nvml.device(place).busId().equals(link.busId())) {
                    return false;
                }
            } catch (NvmlFailure e) {
                continue;
            }
        }
        return !files.isGpu(link.busId());
    }

    /// The number of the device file, which is not the index. Drivers that do not tell it write it
    /// under /proc.
    private int minor(NvmlDevice device, String busId) throws NvmlFailure {
        Optional<Integer> told = device.minor();
        if (told.isPresent()) {
            return told.get();
        }
        String path = "/proc/driver/nvidia/gpus/" + busId + "/information";
        return SystemFiles.number(files.field(path, "Device Minor"))
                .map(Math::toIntExact)
                .orElseThrow(() ->
                        new NvmlFailure(
                                "nvmlDeviceGetMinorNumber", NvmlFailure.FUNCTION_NOT_FOUND));
    }

    private int numaNode(NvmlDevice device, String busId) throws NvmlFailure {
        Optional<Long> kernel =
                SystemFiles.number(files.text(SystemFiles.PCI + "/" + busId + "/numa_node"))
                        .filter(node -> node >= 0);
        return kernel.isPresent() ? Math.toIntExact(kernel.get()) : device.numaNode().orElse(-1);
    }

    /// The instance's ids, and the capability devices that open it: its GPU instance's and its own.
    private MigInstance mig(String parent, int minor, NvmlDevice instance) throws NvmlFailure {
        int gpuInstance = instance.gpuInstance().orElse(-1);
        int computeInstance = instance.computeInstance().orElse(-1);
        String gi = "gpu%d/gi%d".formatted(minor, gpuInstance);
        var capabilities = new BitSet();
        for (String name : List.of(gi, gi + "/ci" + computeInstance)) {
            SystemFiles.number(files.field(MIG_MINORS, name + "/access"))
                    .ifPresent(number -> capabilities.set(Math.toIntExact(number)));
        }
        return new MigInstance(parent, gpuInstance, computeInstance, IndexSet.of(capabilities));
    }

    private @Nullable GpuLinks links() throws NvmlFailure {
        if (seen.isEmpty()) {
            return null;
        }
        var words = new String[seen.size()][seen.size()];
        for (int from = 0; from < words.length; from++) {
            for (int to = 0; to < words.length; to++) {
                words[from][to] = from == to ? "X" : word(seen.get(from), seen.get(to));
            }
        }
        return FoundGpus.matrix(words.length, (from, to) -> words[from][to]);
    }

    /// Straight NVLinks; or those to switches, of which each GPU can drive all toward any other; or
    /// the way over PCI.
    private static String word(Seen from, Seen to) throws NvmlFailure {
        if (from.busId().equals(to.busId())) {
            return "PIX";
        }
        long straight = from.links().stream().filter(it -> it.busId().equals(to.busId())).count();
        long nvlinks = straight > 0 ? straight : Math.min(switched(from), switched(to));
        if (nvlinks > 0) {
            return "NV" + nvlinks;
        }
        Optional<Integer> ancestor = from.device().ancestor(to.device());
        return ancestor.map(NvidiaGpus::pciWord).orElse("?");
    }

    private static int switched(Seen gpu) {
        GpuHardware hardware = gpu.gpu().hardware();
        return hardware == null
                ? 0
                : hardware.switchLinks().values().stream().mapToInt(it -> it).sum();
    }

    private static String pciWord(int level) {
        return switch (level) {
            case 0, 10 -> "PIX";
            case 20 -> "PXB";
            case 30 -> "PHB";
            case 40 -> "NODE";
            case 50 -> "SYS";
            default -> "?";
        };
    }
}
