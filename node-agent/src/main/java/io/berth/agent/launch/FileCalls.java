package io.berth.agent.launch;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;

/// What of the C library handles files as Java does not.
interface FileCalls extends Library {

    int open(String path, int flags) throws LastErrorException;

    NativeLong read(int file, byte[] into, NativeLong size) throws LastErrorException;

    NativeLong lseek(int file, NativeLong by, int from) throws LastErrorException;

    int close(int file) throws LastErrorException;

    int unlinkat(int folder, String name, int flags) throws LastErrorException;

    int mount(String source, String place, String type, NativeLong flags, String options)
            throws LastErrorException;

    int umount2(String place, int flags) throws LastErrorException;

    NativeLong syscall(NativeLong number, Object... arguments) throws LastErrorException;

    /// Loaded when it is first called.
    final class Loaded {
        static final FileCalls C = Native.load("c", FileCalls.class);

        private Loaded() {}
    }
}
