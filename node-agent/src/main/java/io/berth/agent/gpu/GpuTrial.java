package io.berth.agent.gpu;

import io.berth.agent.launch.Commands;
import io.berth.agent.launch.HostCheck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An operator's test of a GPU that stands aside, empty: a program that is given the GPU's UUID and
/// ends with 0 if jobs may have it again.
///
/// @param test nothing lets every GPU pass that the driver finds no fault with
public record GpuTrial(Optional<HostCheck> test) {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /// @param program of the operator, if he has one
    public static GpuTrial by(Optional<Path> program, Commands commands) {
        return new GpuTrial(program.map(it -> new HostCheck(it, LIMIT, commands)));
    }

    /// Runs it. Why the GPU did not pass, in one line; nothing if it did.
    ///
    /// @param variable that tells it which GPU is its
    Optional<String> failure(String uuid, String variable) {
        if (test.isEmpty()) {
            return Optional.empty();
        }
        try {
            return test.get().failure(List.of(uuid), Map.of(variable, uuid));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }
}
