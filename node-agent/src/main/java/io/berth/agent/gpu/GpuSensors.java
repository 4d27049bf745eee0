package io.berth.agent.gpu;

import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What one vendor's driver tells of the GPUs of a machine: what they measure and report. It
/// belongs to one thread.
public interface GpuSensors extends AutoCloseable {

    /// What a GPU, or an instance of one, does at a moment.
    ///
    /// @param memory what each process on it has of its memory
    /// @param use by process, how much that made it work since it was read before, in percent,
    ///   where that is not 0; null if the driver does not tell
    record Reading(
            GpuSample sample, List<ProcessMemory> memory, @Nullable Map<Long, Integer> use) {}

    /// An error of a GPU.
    ///
    /// @param uuid of the whole GPU
    /// @param in the instances of it that it is an error of; the GPU itself if it is of all
    record ErrorEvent(String uuid, GpuError error, List<String> in) {}

    /// The whole GPUs, by their indices.
    Set<String> uuids();

    /// The whole GPUs that did not answer before, and do now.
    List<String> more();

    /// What a GPU does now: one reading of it, or one of each of its instances.
    List<Reading> read(String uuid, Health health) throws GpuLost;

    /// Why a GPU should be reset or repaired, if it should.
    Optional<String> fault(String uuid);

    /// Waits for an error of any GPU, so long at most.
    Optional<ErrorEvent> awaitError(long millis);

    /// The variable that tells a program which of them are its.
    String variable();

    @Override
    void close();
}
