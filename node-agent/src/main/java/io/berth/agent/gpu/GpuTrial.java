package io.berth.agent.gpu;

import io.berth.agent.launch.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An operator's test of a GPU that stands aside, empty: a program that is given the GPU's UUID and
/// ends with 0 if jobs may have it again.
///
/// @param program nothing lets every GPU pass that the driver finds no fault with
public record GpuTrial(Optional<Path> program, Commands commands) {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    /// Runs it. Why the GPU did not pass, in one line; nothing if it did.
    Optional<String> failure(String uuid) {
        if (program.isEmpty()) {
            return Optional.empty();
        }
        String name = program.get().toString();
        try {
            int status =
                    commands.run(List.of(name, uuid), Map.of("CUDA_VISIBLE_DEVICES", uuid), LIMIT)
                            .status();
            return status == 0
                    ? Optional.empty()
                    : Optional.of("%s ended with %d".formatted(name, status));
        } catch (IOException e) {
            return Optional.of("%s was not run to its end: %s".formatted(name, e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }
}
