package io.berth.agent.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// An operator's test of a GPU that stands aside, empty: a program that is given the GPU's UUID and
/// ends with 0 if jobs may have it again.
///
/// @param program nothing lets every GPU pass that the driver finds no fault with
public record GpuTest(Optional<Path> program) {

    private static final long LIMIT_SECONDS = 300;

    /// Runs it. Why the GPU did not pass, in one line; nothing if it did.
    Optional<String> failure(String uuid) {
        if (program.isEmpty()) {
            return Optional.empty();
        }
        try {
            var builder = new ProcessBuilder(program.get().toString(), uuid);
            builder.environment().put("CUDA_VISIBLE_DEVICES", uuid);
            builder.redirectInput(Path.of("/dev/null").toFile());
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            Process process = builder.start();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of(program.get() + " took longer than " + LIMIT_SECONDS + " s");
            }
            return process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(program.get() + " ended with " + process.exitValue());
        } catch (IOException e) {
            return Optional.of(program.get() + " cannot be run: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }
}
