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
/// not woken for it. Of two dies, which are a GPU each, the first counts for both, and nothing
/// tells which two they are: who has all GPUs of the machine has all that is counted.
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
        long uncounted = counters.values().stream().filter(it -> it == 0).count();
        boolean all = uuids.containsAll(buses.keySet());
        if (!all || uncounted > counters.size() - uncounted) {
            counters.values().removeIf(it -> it == 0);
        }
        return counters;
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
