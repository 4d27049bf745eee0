package io.berth.agent.group;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import org.jspecify.annotations.Nullable;

/// What is asked of the kernel that Java has no words for.
interface Kernel extends Library {

    /// With arguments as syscall(2) takes them.
    NativeLong syscall(NativeLong number, @Nullable Object... arguments) throws LastErrorException;

    int open(String path, int flags) throws LastErrorException;

    int close(int file) throws LastErrorException;

    int kill(int pid, int signal) throws LastErrorException;

    /// That of this machine.
    ///
    /// @throws LinkageError if no library can be unpacked and loaded here
    static Kernel here() {
        return Loaded.KERNEL;
    }

    /// Loaded when it is needed.
    final class Loaded {
        private static final Kernel KERNEL = Native.load("c", Kernel.class);

        private Loaded() {}
    }
}
