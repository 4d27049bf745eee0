package io.berth.agent.group;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The kernel's setting `favordynmods` (Linux 6.0). With it a process moves from one group to
/// another at once, instead of after a grace period of the kernel, some 10 ms and more, and each
/// fork and end of a process takes a little longer. It is one for the machine and all groups of
/// both versions, and an option of version 2.
///
/// An option that is not given with it is taken away: those that the machine has are given too, and
/// nothing is done where they are not to be seen.
///
/// Source: cgroup-v2.rst, "Mounting"; fsopen(2), fsconfig(2); kernel/cgroup/cgroup.c,
/// `apply_cgroup_root_flags`.
final class FavorDynmods {

    static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private static final String OPTION = "favordynmods";
    private static final String VERSION_2 = " - cgroup2 ";

    /// The numbers are the same on all kinds of machines.
    private static final NativeLong FSOPEN = new NativeLong(430);

    private static final NativeLong FSCONFIG = new NativeLong(431);
    private static final int FSOPEN_CLOEXEC = 1;
    private static final int FSCONFIG_SET_FLAG = 0;
    private static final int FSCONFIG_CMD_CREATE = 6;

    private FavorDynmods() {}

    /// Sets it, if it is not set; nothing is mounted for that. Why it cannot be; nothing if it is.
    ///
    /// @param mounts /proc/self/mountinfo
    static Optional<String> set(Kernel kernel, Path mounts) throws IOException {
        Optional<List<String>> seen = options(mounts);
        if (seen.isEmpty()) {
            return Optional.of("version 2 is not mounted here, whose options are to be kept");
        }
        List<String> had = seen.get();
        if (had.contains(OPTION)) {
            return Optional.empty();
        }
        var wanted = new ArrayList<String>(had);
        wanted.add(OPTION);
        String asked = "cgroup2";
        try {
            int context = kernel.syscall(FSOPEN, asked, FSOPEN_CLOEXEC).intValue();
            try {
                for (String option : wanted) {
                    asked = option;
                    kernel.syscall(FSCONFIG, context, FSCONFIG_SET_FLAG, option, null, 0);
                }
                asked = String.join(",", wanted);
                kernel.syscall(FSCONFIG, context, FSCONFIG_CMD_CREATE, null, null, 0);
            } finally {
                kernel.close(context);
            }
        } catch (LastErrorException e) {
            return Optional.of(
                    "the kernel refuses %s: error %d".formatted(asked, e.getErrorCode()));
        }
        return options(mounts).filter(now -> !now.contains(OPTION)).isPresent()
                ? Optional.of("the kernel keeps its own, as in a cgroup namespace")
                : Optional.empty();
    }

    /// Whether it is set, as far as can be seen.
    static boolean isSet(Path mounts) throws IOException {
        return options(mounts).filter(has -> has.contains(OPTION)).isPresent();
    }

    /// Those that the machine has, as a mount of version 2 tells; nothing if there is none.
    private static Optional<List<String>> options(Path mounts) throws IOException {
        return Files.readAllLines(mounts).stream()
                .filter(line -> line.contains(VERSION_2))
                .map(line -> List.of(line.substring(line.lastIndexOf(' ') + 1).split(",")))
                .map(options -> options.stream().filter(it -> !it.matches("r[ow]")).toList())
                .findFirst();
    }
}
