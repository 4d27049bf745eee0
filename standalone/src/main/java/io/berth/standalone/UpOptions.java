package io.berth.standalone;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What may be asked of `berth up`.
///
/// @param home the folder of the mesh, if not the configured one
/// @param virtual nodes that are only declared, such as `4xdgx-a100`
/// @param gpuProfile GPUs that are declared for this host, if any
/// @param hostNode whether this host itself is a node
record UpOptions(
        @Nullable Path home,
        Optional<String> virtual,
        Optional<String> gpuProfile,
        boolean hostNode) {

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
        return new UpOptions(home, virtual, profile, true);
    }

    /// Whether any GPU is only declared.
    boolean simulates() {
        return gpuProfile().isPresent() || virtual().isPresent();
    }
}
