package io.berth.standalone;

import io.berth.standalone.mesh.CannotStart;
import io.berth.standalone.mesh.Offer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What may be asked of `berth up`.
///
/// @param home the folder of the mesh, if not the configured one
record UpOptions(@Nullable Path home, Offer offer) {

    private static final String NO_PROFILE = "none";
    private static final String DEFAULT_PROFILE = "dgx-a100";
    private static final Path NVIDIA_DRIVER = Path.of("/proc/driver/nvidia");

    /// A host without an NVIDIA driver declares GPUs unless it is told not to.
    ///
    /// @throws CannotStart if an argument is not understood
    static UpOptions parse(List<String> words) {
        @Nullable Path home = null;
        Optional<String> virtual = Optional.empty();
        Optional<String> profile =
                Files.exists(NVIDIA_DRIVER) ? Optional.empty() : Optional.of(DEFAULT_PROFILE);
        var arguments = new Arguments(words);
        while (!arguments.isEmpty()) {
            String option = arguments.option();
            switch (option) {
                case "--detach" -> {} // The script does that.
                case "--home" -> home = Path.of(arguments.value(option));
                case "--virtual" -> virtual = Optional.of(arguments.value(option));
                case "--gpu-profile" ->
                        profile =
                                Optional.of(arguments.value(option))
                                        .filter(name -> !name.equals(NO_PROFILE));
                default -> throw new CannotStart("up does not know " + option);
            }
        }
        return new UpOptions(home, new Offer(true, profile, virtual));
    }
}
