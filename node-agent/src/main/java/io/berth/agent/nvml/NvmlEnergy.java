package io.berth.agent.nvml;

import io.berth.agent.gpu.EnergyCounters;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The energy counters of a machine's whole NVIDIA GPUs.
public final class NvmlEnergy implements EnergyCounters {

    private static final Logger LOG = LoggerFactory.getLogger(NvmlEnergy.class);

    private final Nvml nvml;
    private final Map<String, NvmlDevice> devices = new HashMap<>();

    private NvmlEnergy(Nvml nvml) {
        this.nvml = nvml;
    }

    /// The counters of all GPUs that answer and are not split; nothing where there is no library.
    ///
    /// @param library the driver's library, by name or path
    public static Optional<NvmlEnergy> open(String library) {
        try {
            Optional<Nvml> nvml = Nvml.open(library);
            if (nvml.isEmpty()) {
                return Optional.empty();
            }
            var energy = new NvmlEnergy(nvml.get());
            int count = nvml.get().deviceCount();
            for (int place = 0; place < count; place++) {
                energy.add(place);
            }
            return Optional.of(energy);
        } catch (NvmlFailure e) {
            LOG.atWarn().addKeyValue("cause", e.reason()).log("Energy of GPUs is not counted");
            return Optional.empty();
        }
    }

    private void add(int place) {
        try {
            NvmlDevice device = nvml.device(place);
            if (!device.split()) {
                devices.put(device.uuid(), device);
            }
        } catch (NvmlFailure e) {
            LOG.atWarn()
                    .addKeyValue("gpu", place)
                    .addKeyValue("cause", e.reason())
                    .log("Energy of GPU is not counted");
        }
    }

    @Override
    public boolean has(String uuid) {
        return devices.containsKey(uuid);
    }

    @Override
    public Map<String, Long> read(Collection<String> uuids) {
        Map<String, Long> counters = new HashMap<>();
        for (String uuid : uuids) {
            NvmlDevice device = devices.get(uuid);
            if (device != null) {
                try {
                    device.millijoules().ifPresent(it -> counters.put(uuid, it));
                } catch (NvmlFailure e) {
                    // The watch of the GPUs says that it is lost.
                }
            }
        }
        return counters;
    }

    @Override
    public void close() {
        nvml.close();
    }
}
