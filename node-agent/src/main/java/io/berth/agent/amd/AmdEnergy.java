package io.berth.agent.amd;

import io.berth.agent.gpu.EnergyCounters;
import io.berth.agent.host.AmdGpus;
import io.berth.agent.host.AmdGpus.Device;
import io.berth.agent.host.SystemFiles;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The energy counters of a machine's AMD GPUs. A part of a GPU has none, and one that sleeps is
/// not woken for it.
public final class AmdEnergy implements EnergyCounters {

    private final SystemFiles files;
    private final Map<String, String> buses;

    private AmdEnergy(SystemFiles files, Map<String, String> buses) {
        this.files = files;
        this.buses = buses;
    }

    /// Those of all whole GPUs; nothing where there are none.
    public static Optional<AmdEnergy> open(SystemFiles files) {
        Map<String, String> buses =
                AmdGpus.devices(files).stream()
                        .filter(gpu -> !gpu.part())
                        .collect(Collectors.toMap(Device::uuid, Device::busId));
        return buses.isEmpty() ? Optional.empty() : Optional.of(new AmdEnergy(files, buses));
    }

    @Override
    public boolean has(String uuid) {
        return buses.containsKey(uuid);
    }

    @Override
    public Map<String, Long> read(Collection<String> uuids) {
        Map<String, Long> counters = new HashMap<>();
        for (String uuid : uuids) {
            String bus = buses.get(uuid);
            if (bus != null) {
                var card = new AmdCard(files, bus);
                if (!card.asleep()) {
                    card.millijoules().ifPresent(it -> counters.put(uuid, it));
                }
            }
        }
        return counters;
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
