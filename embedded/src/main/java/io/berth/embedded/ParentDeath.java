package io.berth.embedded;

import java.util.List;

/// Binds a process to this one, so that it ends with it even if this one is killed: the kernel
/// sends it a signal when the *thread* that forked it ends.
public final class ParentDeath {

    private ParentDeath() {}

    /// The words before its command. Where this process has ended before the kernel was told, the
    /// command does not begin. They need `setpriv`, which is part of Linux distributions.
    ///
    /// @param signal such as `KILL`
    public static List<String> sends(String signal) {
        return List.of(
                "setpriv",
                "--pdeathsig",
                signal,
                "sh",
                "-c",
                "[ \"$PPID\" = \"$0\" ] && exec \"$@\"",
                Long.toString(ProcessHandle.current().pid()));
    }
}
