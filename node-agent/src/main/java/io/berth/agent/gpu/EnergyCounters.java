package io.berth.agent.gpu;

import java.util.Collection;
import java.util.Map;

/// The energy counters of one vendor's whole GPUs in a machine. They belong to one thread, but for
/// [#has].
public interface EnergyCounters extends AutoCloseable {

    /// Whether that GPU is one of theirs.
    boolean has(String uuid);

    /// The counters of those of the GPUs that have one, by UUID, in millijoules.
    Map<String, Long> read(Collection<String> uuids);

    @Override
    void close();
}
