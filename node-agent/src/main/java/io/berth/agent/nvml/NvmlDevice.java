package io.berth.agent.nvml;

import static io.berth.agent.nvml.Nvml.require;
import static io.berth.agent.nvml.Nvml.told;
import static io.berth.agent.nvml.Nvml.zeroed;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.contracts.GpuHardware.Fabric;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// One GPU, or one MIG instance, of the library. A getter answers nothing where the driver or the
/// GPU does not tell, and throws where the GPU is lost.
record NvmlDevice(NvmlLibrary library, Pointer handle) {

    private static final int TEXT_BYTES = 96;
    private static final int PCI_BYTES = 68;
    private static final int PROCESS_BYTES = 24;
    private static final int PROCESS_MEMORY = 8;

    private static final int USE_BYTES = 32;
    private static final int USE_TIME = 8;
    private static final int USE_PERCENT = 16;
    private static final int ALL = 100;

    /// NVML_VALUE_NOT_AVAILABLE, as an amount of memory.
    private static final long NOT_AVAILABLE = -1;

    private static final int PROCESSES = 256;

    /// More than a machine has.
    private static final int MAX_PROCESSES = 1 << 22;

    private static final int CPU_WORDS = 64;
    private static final int NODE_SCOPE = 0;
    private static final int FABRIC_NOT_STARTED = 1;
    private static final int FABRIC_IN_PROGRESS = 2;
    private static final int FABRIC_COMPLETED = 3;

    /// More than any GPU has: 18 links up to Hopper, 36 in the headers that know Blackwell.
    private static final int MAX_LINKS = 36;

    @FunctionalInterface
    private interface IntCall {
        int into(Pointer device, IntByReference value);
    }

    /// What is at the other end of an NVLink.
    enum End {
        GPU,
        PROCESSOR,
        SWITCH,
        UNKNOWN;

        /// By nvmlIntNvLinkDeviceType_t.
        static End of(int type) {
            return switch (type) {
                case 0 -> GPU;
                case 1 -> PROCESSOR;
                case 2 -> SWITCH;
                default -> UNKNOWN;
            };
        }
    }

    /// One active NVLink.
    ///
    /// @param busId of what is at its other end; `?` for a switch that tells none
    record Link(End end, String busId) {}

    String uuid() throws NvmlFailure {
        return Nvml.text(
                        "nvmlDeviceGetUUID",
                        TEXT_BYTES,
                        (bytes, size) -> library.nvmlDeviceGetUUID(handle, bytes, size))
                .orElseThrow(() -> new NvmlFailure("nvmlDeviceGetUUID", NvmlFailure.NOT_SUPPORTED));
    }

    Optional<String> name() throws NvmlFailure {
        return Nvml.text(
                "nvmlDeviceGetName",
                TEXT_BYTES,
                (bytes, size) -> library.nvmlDeviceGetName(handle, bytes, size));
    }

    Optional<String> serial() throws NvmlFailure {
        return Nvml.text(
                "nvmlDeviceGetSerial",
                TEXT_BYTES,
                (bytes, size) -> library.nvmlDeviceGetSerial(handle, bytes, size));
    }

    Optional<Integer> minor() throws NvmlFailure {
        return number("nvmlDeviceGetMinorNumber", library::nvmlDeviceGetMinorNumber);
    }

    String busId() throws NvmlFailure {
        Memory pci = zeroed(PCI_BYTES);
        require("nvmlDeviceGetPciInfo_v3", () -> library.nvmlDeviceGetPciInfo_v3(handle, pci));
        return Nvml.busId(pci);
    }

    Optional<String> computeCapability() throws NvmlFailure {
        var major = new IntByReference();
        var minor = new IntByReference();
        return told(
                        "nvmlDeviceGetCudaComputeCapability",
                        () -> library.nvmlDeviceGetCudaComputeCapability(handle, major, minor))
                ? Optional.of(major.getValue() + "." + minor.getValue())
                : Optional.empty();
    }

    /// Its memory in bytes: nvmlMemory_t's total, free and used.
    long[] memory() throws NvmlFailure {
        Memory memory = zeroed(3 * Long.BYTES);
        require("nvmlDeviceGetMemoryInfo", () -> library.nvmlDeviceGetMemoryInfo(handle, memory));
        return memory.getLongArray(0, 3);
    }

    /// The host's CPUs nearest to it.
    Optional<BitSet> cpus() throws NvmlFailure {
        var words = new long[CPU_WORDS];
        return told(
                        "nvmlDeviceGetCpuAffinity",
                        () -> library.nvmlDeviceGetCpuAffinity(handle, CPU_WORDS, words))
                ? Optional.of(BitSet.valueOf(words))
                : Optional.empty();
    }

    Optional<Integer> numaNode() throws NvmlFailure {
        var words = new long[CPU_WORDS];
        if (!told(
                "nvmlDeviceGetMemoryAffinity",
                () -> library.nvmlDeviceGetMemoryAffinity(handle, CPU_WORDS, words, NODE_SCOPE))) {
            return Optional.empty();
        }
        int first = BitSet.valueOf(words).nextSetBit(0);
        return first < 0 ? Optional.empty() : Optional.of(first);
    }

    /// The nearest that both have in common on the PCI bus: 0 a board, 10 a bridge, 20 several
    /// bridges, 30 a host bridge, 40 a NUMA node, 50 the system.
    Optional<Integer> ancestor(NvmlDevice other) throws NvmlFailure {
        return number(
                "nvmlDeviceGetTopologyCommonAncestor",
                (device, level) ->
                        library.nvmlDeviceGetTopologyCommonAncestor(device, other.handle(), level));
    }

    /// The active NVLinks to GPUs and switches, in their order.
    List<Link> links() throws NvmlFailure {
        var links = new ArrayList<Link>();
        for (int link = 0; link < MAX_LINKS; link++) {
            int number = link;
            Optional<Integer> active =
                    number(
                            "nvmlDeviceGetNvLinkState",
                            (device, value) ->
                                    library.nvmlDeviceGetNvLinkState(device, number, value));
            if (active.orElse(0) == 0) {
                continue;
            }
            End end =
                    number(
                                    "nvmlDeviceGetNvLinkRemoteDeviceType",
                                    (device, value) ->
                                            library.nvmlDeviceGetNvLinkRemoteDeviceType(
                                                    device, number, value))
                            .map(End::of)
                            .orElse(End.UNKNOWN);
            Memory pci = zeroed(PCI_BYTES);
            boolean addressed =
                    told(
                            "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                            () -> library.nvmlDeviceGetNvLinkRemotePciInfo_v2(handle, number, pci));
            if (end != End.PROCESSOR && (addressed || end == End.SWITCH)) {
                links.add(new Link(end, addressed ? Nvml.busId(pci) : "?"));
            }
        }
        return links;
    }

    boolean split() throws NvmlFailure {
        var pending = new IntByReference();
        return number(
                                "nvmlDeviceGetMigMode",
                                (device, current) ->
                                        library.nvmlDeviceGetMigMode(device, current, pending))
                        .orElse(0)
                == 1;
    }

    /// How many MIG instances it may have; 0 if it is not in MIG mode.
    int mostInstances() throws NvmlFailure {
        return number("nvmlDeviceGetMaxMigDeviceCount", library::nvmlDeviceGetMaxMigDeviceCount)
                .orElse(0);
    }

    /// The MIG instances of a GPU that is split.
    List<NvmlDevice> instances() throws NvmlFailure {
        int max = mostInstances();
        var instances = new ArrayList<NvmlDevice>();
        for (int index = 0; index < max; index++) {
            int place = index;
            var instance = new PointerByReference();
            if (told(
                    "nvmlDeviceGetMigDeviceHandleByIndex",
                    () -> library.nvmlDeviceGetMigDeviceHandleByIndex(handle, place, instance))) {
                instances.add(new NvmlDevice(library, instance.getValue()));
            }
        }
        return instances;
    }

    Optional<Integer> gpuInstance() throws NvmlFailure {
        return number("nvmlDeviceGetGpuInstanceId", library::nvmlDeviceGetGpuInstanceId);
    }

    Optional<Integer> computeInstance() throws NvmlFailure {
        return number("nvmlDeviceGetComputeInstanceId", library::nvmlDeviceGetComputeInstanceId);
    }

    /// Whether it is still to be joined to the fabric that it stands in: until then no program can
    /// use it.
    boolean joining() throws NvmlFailure {
        return fabricInfo()
                .map(told -> told.getByte(24))
                .filter(state -> state == FABRIC_NOT_STARTED || state == FABRIC_IN_PROGRESS)
                .isPresent();
    }

    /// Its place in a fabric of several nodes, once the fabric is complete.
    Optional<Fabric> fabric() throws NvmlFailure {
        Memory told = fabricInfo().orElse(null);
        if (told == null) {
            return Optional.empty();
        }
        var bytes = java.nio.ByteBuffer.wrap(told.getByteArray(0, 16));
        var cluster = new UUID(bytes.getLong(), bytes.getLong());
        boolean complete = told.getByte(24) == FABRIC_COMPLETED && told.getInt(16) == 0;
        return complete && !cluster.equals(new UUID(0, 0))
                ? Optional.of(new Fabric(cluster.toString(), told.getInt(20)))
                : Optional.empty();
    }

    /// nvmlGpuFabricInfo_t: the cluster's UUID at byte 0, status at 16, clique at 20, state at 24.
    private Optional<Memory> fabricInfo() throws NvmlFailure {
        Memory told = zeroed(28);
        return told(
                        "nvmlDeviceGetGpuFabricInfo",
                        () -> library.nvmlDeviceGetGpuFabricInfo(handle, told))
                ? Optional.of(told)
                : Optional.empty();
    }

    Optional<Integer> powerLimitMilliwatts() throws NvmlFailure {
        return number("nvmlDeviceGetEnforcedPowerLimit", library::nvmlDeviceGetEnforcedPowerLimit);
    }

    Optional<Boolean> ecc() throws NvmlFailure {
        var pending = new IntByReference();
        return number(
                        "nvmlDeviceGetEccMode",
                        (device, current) -> library.nvmlDeviceGetEccMode(device, current, pending))
                .map(mode -> mode == 1);
    }

    /// Share of the last moments in which it worked, in percent: the first word of
    /// nvmlUtilization_t.
    Optional<Integer> use() throws NvmlFailure {
        Memory rates = zeroed(2 * Integer.BYTES);
        return told(
                        "nvmlDeviceGetUtilizationRates",
                        () -> library.nvmlDeviceGetUtilizationRates(handle, rates))
                ? Optional.of(rates.getInt(0))
                : Optional.empty();
    }

    Optional<Long> milliwatts() throws NvmlFailure {
        return number("nvmlDeviceGetPowerUsage", library::nvmlDeviceGetPowerUsage)
                .map(Integer::toUnsignedLong);
    }

    Optional<Long> millijoules() throws NvmlFailure {
        var energy = new LongByReference();
        return told(
                        "nvmlDeviceGetTotalEnergyConsumption",
                        () -> library.nvmlDeviceGetTotalEnergyConsumption(handle, energy))
                ? Optional.of(energy.getValue())
                : Optional.empty();
    }

    Optional<Integer> celsius() throws NvmlFailure {
        return number(
                "nvmlDeviceGetTemperature",
                (device, value) -> library.nvmlDeviceGetTemperature(device, 0, value));
    }

    /// A clock in MHz: 1 is that of the multiprocessors, 2 that of the memory.
    Optional<Integer> clock(int which) throws NvmlFailure {
        return number(
                "nvmlDeviceGetClockInfo",
                (device, value) -> library.nvmlDeviceGetClockInfo(device, which, value));
    }

    /// Memory errors since the driver was loaded: 0 counts the corrected, 1 the others.
    Optional<Long> eccErrors(int type) throws NvmlFailure {
        var count = new LongByReference();
        return told(
                        "nvmlDeviceGetTotalEccErrors",
                        () -> library.nvmlDeviceGetTotalEccErrors(handle, type, 0, count))
                ? Optional.of(count.getValue())
                : Optional.empty();
    }

    /// The processes that compute on it, clients of MPS too, with what they have of its memory: the
    /// first two words of each nvmlProcessInfo_t.
    ///
    /// @param uuid its own
    List<ProcessMemory> processes(String uuid) throws NvmlFailure {
        var processes = new LinkedHashMap<Long, ProcessMemory>();
        add(
                processes,
                uuid,
                "nvmlDeviceGetComputeRunningProcesses_v3",
                library::nvmlDeviceGetComputeRunningProcesses_v3);
        add(
                processes,
                uuid,
                "nvmlDeviceGetMPSComputeRunningProcesses_v3",
                library::nvmlDeviceGetMPSComputeRunningProcesses_v3);
        return List.copyOf(processes.values());
    }

    @FunctionalInterface
    private interface ProcessCall {
        int into(Pointer device, IntByReference count, Pointer processes);
    }

    private void add(
            Map<Long, ProcessMemory> processes, String uuid, String function, ProcessCall call)
            throws NvmlFailure {
        Filled told = filled(PROCESS_BYTES, (count, all) -> call.into(handle, count, all));
        if (!told(function, told::code)) {
            return;
        }
        for (int i = 0; i < told.count(); i++) {
            long place = (long) i * PROCESS_BYTES;
            long bytes = told.all().getLong(place + PROCESS_MEMORY);
            var process =
                    new ProcessMemory(
                            uuid,
                            Integer.toUnsignedLong(told.all().getInt(place)),
                            bytes == NOT_AVAILABLE ? null : Long.valueOf(bytes >> 20));
            processes.merge(
                    process.process(), process, (old, other) -> old.mib() == null ? other : old);
        }
    }

    @FunctionalInterface
    private interface ArrayCall {
        int into(IntByReference count, Pointer all);
    }

    /// An array as the driver has filled it, or the answer with which it has not.
    private record Filled(int code, Memory all, int count) {}

    /// Asks for an array, with more room until all of it has some.
    private static Filled filled(int bytes, ArrayCall call) {
        for (int room = PROCESSES; ; room *= 2) {
            var count = new IntByReference(room);
            Memory all = zeroed(room * bytes);
            int code = Nvml.code(() -> call.into(count, all));
            if (code != NvmlFailure.INSUFFICIENT_SIZE || room >= MAX_PROCESSES) {
                return new Filled(code, all, Math.min(count.getValue(), room));
            }
        }
    }

    /// How much each process made it work, in percent of the time: the mean of the samples that the
    /// driver has taken since the last of those before. A process without any did nothing.
    ///
    /// @param at the last sample's, by the driver's clock
    record ProcessUse(long at, Map<Long, Integer> percent) {}

    /// By nvmlProcessUtilizationSample_t: the process, the time and, of what it used, that of the
    /// multiprocessors.
    ///
    /// @param since the time of the last sample that is known; 0 for all that the driver has
    Optional<ProcessUse> use(long since) throws NvmlFailure {
        Filled told =
                filled(
                        USE_BYTES,
                        (count, all) ->
                                library.nvmlDeviceGetProcessUtilization(handle, all, count, since));
        if (told.code() == NvmlFailure.NOT_FOUND) {
            return Optional.of(new ProcessUse(since, Map.of()));
        }
        if (!told("nvmlDeviceGetProcessUtilization", told::code)) {
            return Optional.empty();
        }
        Memory all = told.all();
        long last = since;
        var samples = new TreeMap<Long, List<Integer>>();
        for (int i = 0; i < told.count(); i++) {
            long place = (long) i * USE_BYTES;
            long at = all.getLong(place + USE_TIME);
            if (at > since) {
                last = Math.max(last, at);
                samples.computeIfAbsent(
                                Integer.toUnsignedLong(all.getInt(place)), _ -> new ArrayList<>())
                        .add(Math.clamp(all.getInt(place + USE_PERCENT), 0, ALL));
            }
        }
        var percent = new TreeMap<Long, Integer>();
        samples.forEach((process, each) -> percent.put(process, mean(each)));
        return Optional.of(new ProcessUse(last, percent));
    }

    private static int mean(List<Integer> percent) {
        return (int) Math.round(percent.stream().mapToInt(Integer::intValue).average().orElse(0));
    }

    /// Whether the repair of its memory waits for a reset: pages to be retired (before Ampere), or
    /// rows whose remapping is due or failed.
    boolean repairPending() throws NvmlFailure {
        var unused = new IntByReference();
        var pending = new IntByReference();
        var failed = new IntByReference();
        boolean rows =
                told(
                                "nvmlDeviceGetRemappedRows",
                                () ->
                                        library.nvmlDeviceGetRemappedRows(
                                                handle, unused, unused, pending, failed))
                        && pending.getValue() + failed.getValue() > 0;
        return rows
                || number(
                                        "nvmlDeviceGetRetiredPagesPendingStatus",
                                        library::nvmlDeviceGetRetiredPagesPendingStatus)
                                .orElse(0)
                        == 1;
    }

    private Optional<Integer> number(String function, IntCall call) throws NvmlFailure {
        var value = new IntByReference();
        return told(function, () -> call.into(handle, value))
                ? Optional.of(value.getValue())
                : Optional.empty();
    }
}
