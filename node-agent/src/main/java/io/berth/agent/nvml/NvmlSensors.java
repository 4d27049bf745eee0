package io.berth.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import io.berth.agent.gpu.GpuLost;
import io.berth.agent.gpu.GpuSensors;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.agent.gpu.Xid;
import io.berth.agent.nvml.NvmlDevice.ProcessUse;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the NVIDIA GPUs of a machine measure and report.
public final class NvmlSensors implements GpuSensors {

    private static final Logger LOG = LoggerFactory.getLogger(NvmlSensors.class);

    private static final long XID_EVENT = 0x8;
    private static final int EVENT_BYTES = 32;
    private static final int EVENT_TYPE = 8;
    private static final int EVENT_CODE = 16;
    private static final int EVENT_GPU_INSTANCE = 24;
    private static final int EVENT_COMPUTE_INSTANCE = 28;

    private static final int NO_INSTANCE = -1;

    /// Processes of a GPU that a sample names.
    private static final int MOST_TOLD = 256;

    private final Nvml nvml;
    private final Map<String, NvmlDevice> devices = new LinkedHashMap<>();

    /// By place, why a GPU does not answer.
    private final Map<Integer, String> silent = new TreeMap<>();

    /// Of each GPU the time of the last sample of its processes.
    private final Map<String, Long> seen = new HashMap<>();

    private @Nullable Pointer events;

    private NvmlSensors(Nvml nvml) {
        this.nvml = nvml;
    }

    /// The sensors of all GPUs that answer; nothing where there is no library.
    ///
    /// @param library the driver's, by name or path
    public static Optional<NvmlSensors> open(String library) {
        try {
            Optional<Nvml> nvml = Nvml.open(library);
            return nvml.isEmpty() ? Optional.empty() : Optional.of(of(nvml.get()));
        } catch (NvmlFailure e) {
            LOG.atWarn().addKeyValue("cause", e.reason()).log("GPUs are not watched");
            return Optional.empty();
        }
    }

    private static NvmlSensors of(Nvml nvml) throws NvmlFailure {
        var sensors = new NvmlSensors(nvml);
        int count = nvml.deviceCount();
        sensors.listen();
        for (int place = 0; place < count; place++) {
            sensors.silent.put(place, "");
        }
        var unused = sensors.more();
        return sensors;
    }

    @Override
    public List<String> more() {
        var found = new ArrayList<String>();
        for (int place : List.copyOf(silent.keySet())) {
            try {
                NvmlDevice device = nvml.device(place);
                String uuid = device.uuid();
                devices.put(uuid, device);
                silent.remove(place);
                listen(uuid, device);
                found.add(uuid);
            } catch (NvmlFailure e) {
                if (!e.reason().equals(silent.put(place, e.reason()))) {
                    LOG.atWarn()
                            .addKeyValue("gpu", place)
                            .addKeyValue("cause", e.reason())
                            .log("GPU is not watched");
                }
            }
        }
        return found;
    }

    @Override
    public Set<String> uuids() {
        return devices.keySet();
    }

    @Override
    public List<Reading> read(String uuid, Health health) throws GpuLost {
        try {
            return readings(uuid, health);
        } catch (NvmlFailure e) {
            throw new GpuLost(e.reason());
        }
    }

    private List<Reading> readings(String uuid, Health health) throws NvmlFailure {
        NvmlDevice gpu = device(uuid);
        if (!gpu.split()) {
            return List.of(read(gpu, uuid, health));
        }
        var readings = new ArrayList<Reading>();
        for (NvmlDevice instance : gpu.instances()) {
            try {
                readings.add(read(instance, instance.uuid(), health));
            } catch (NvmlFailure e) {
                // One that has just gone, as the GPU is divided anew, does not answer.
                if (e.lost()) {
                    throw e;
                }
            }
        }
        return readings;
    }

    private Reading read(NvmlDevice device, String uuid, Health health) throws NvmlFailure {
        List<ProcessMemory> processes = device.processes(uuid);
        var sample =
                new GpuSample(
                        uuid,
                        device.use().orElse(null),
                        device.memory()[2] >> 20,
                        device.milliwatts().orElse(null),
                        device.millijoules().orElse(null),
                        device.celsius().orElse(null),
                        device.clock(1).orElse(null),
                        device.clock(2).orElse(null),
                        device.eccErrors(0).orElse(null),
                        device.eccErrors(1).orElse(null),
                        processes.stream().map(ProcessMemory::process).limit(MOST_TOLD).toList(),
                        health);
        Optional<ProcessUse> use = device.use(seen.getOrDefault(uuid, 0L));
        use.ifPresent(it -> seen.put(uuid, it.at()));
        return new Reading(sample, processes, use.map(ProcessUse::percent).orElse(null));
    }

    @Override
    public Optional<String> fault(String uuid) {
        try {
            var unused = device(uuid).memory();
            return device(uuid).repairPending()
                    ? Optional.of("its memory waits for a repair by reset")
                    : Optional.empty();
        } catch (NvmlFailure e) {
            return Optional.of(e.reason());
        }
    }

    @Override
    public Optional<ErrorEvent> awaitError(long millis) {
        Pointer set = events;
        if (set == null) {
            pause(millis);
            return Optional.empty();
        }
        Memory event = Nvml.zeroed(EVENT_BYTES);
        int code = Nvml.code(() -> nvml.library().nvmlEventSetWait_v2(set, event, (int) millis));
        if (code != 0) {
            if (code != NvmlFailure.TIMEOUT) {
                pause(millis);
            }
            return Optional.empty();
        }
        if (event.getLong(EVENT_TYPE) != XID_EVENT) {
            return Optional.empty();
        }
        Pointer device = event.getPointer(0);
        int number = (int) event.getLong(EVENT_CODE);
        return devices.entrySet().stream()
                .filter(it -> it.getValue().handle().equals(device))
                .map(it -> new ErrorEvent(it.getKey(), new Xid(number), in(it.getKey(), event)))
                .findFirst();
    }

    /// The instances that an event tells of: those of a GPU instance, or one of its compute
    /// instances. An event of a whole GPU tells of none.
    private List<String> in(String uuid, Memory event) {
        int gpuInstance = event.getInt(EVENT_GPU_INSTANCE);
        int computeInstance = event.getInt(EVENT_COMPUTE_INSTANCE);
        var in = new ArrayList<String>();
        if (gpuInstance != NO_INSTANCE) {
            try {
                for (NvmlDevice instance : device(uuid).instances()) {
                    if (instance.gpuInstance().orElse(NO_INSTANCE) == gpuInstance
                            && (computeInstance == NO_INSTANCE
                                    || instance.computeInstance().orElse(NO_INSTANCE)
                                            == computeInstance)) {
                        in.add(instance.uuid());
                    }
                }
            } catch (NvmlFailure e) {
                // Who cannot tell them apart tells of all.
                return List.of(uuid);
            }
        }
        return in.isEmpty() ? List.of(uuid) : in;
    }

    @Override
    public String variable() {
        return "CUDA_VISIBLE_DEVICES";
    }

    @Override
    public void close() {
        Pointer set = events;
        if (set != null) {
            var unused = nvml.library().nvmlEventSetFree(set);
        }
        nvml.close();
    }

    private void listen() {
        var set = new PointerByReference();
        if (Nvml.code(() -> nvml.library().nvmlEventSetCreate(set)) != 0) {
            LOG.warn("The driver reports no errors of GPUs");
            return;
        }
        events = set.getValue();
    }

    private void listen(String uuid, NvmlDevice device) {
        Pointer set = events;
        if (set == null) {
            return;
        }
        int code =
                Nvml.code(() ->
                        nvml.library().nvmlDeviceRegisterEvents(device.handle(), XID_EVENT, set));
        if (code != 0) {
            LOG.atWarn()
                    .addKeyValue("gpu", uuid)
                    .addKeyValue("cause", NvmlFailure.word(code))
                    .log("GPU reports no errors");
        }
    }

    private NvmlDevice device(String uuid) {
        return Objects.requireNonNull(devices.get(uuid), uuid);
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
