package io.berth.agent.nvml;

import io.berth.contracts.MigPlacement;
import java.util.List;
import java.util.Optional;

/// Divides the GPUs of this machine by MIG.
///
/// @param library the driver's library, by name or path
public record MigDriver(String library) {

    /// Divides a GPU anew, all of it. Takes seconds, or as long as a sick GPU hangs.
    ///
    /// @param uuid the GPU's
    /// @throws NvmlFailure if that did not come to its end: the GPU is left as far as it came
    public void divide(String uuid, List<MigPlacement> into) throws NvmlFailure {
        Optional<Nvml> found = Nvml.open(library);
        if (found.isEmpty()) {
            throw NvmlFailure.missing("no " + library);
        }
        try (Nvml nvml = found.get()) {
            new NvmlMig(device(nvml, uuid)).divide(into);
        }
    }

    private static NvmlDevice device(Nvml nvml, String uuid) throws NvmlFailure {
        int count = nvml.deviceCount();
        for (int place = 0; place < count; place++) {
            NvmlDevice device = nvml.device(place);
            if (device.uuid().equals(uuid)) {
                return device;
            }
        }
        throw NvmlFailure.missing("no GPU " + uuid);
    }
}
