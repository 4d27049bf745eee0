package io.berth.agent.launch;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.nio.file.Path;

/// A lease on a file, for writing, which is kept until this is closed: who opens the file waits for
/// it.
///
/// Source: fcntl(2).
record LeasedFile(int file) implements AutoCloseable {

    private static final Kernel KERNEL = Native.load("c", Kernel.class);

    interface Kernel extends Library {
        int open(String path, int flags) throws LastErrorException;

        int fcntl(int file, int command, int argument) throws LastErrorException;

        int close(int file) throws LastErrorException;
    }

    static LeasedFile of(Path path) {
        int file = KERNEL.open(path.toString(), 0);
        int setSignal = 10;
        int urgent = 23;
        int setLease = 1024;
        int write = 1;
        // What tells of a break is to be a signal that nobody dies of.
        KERNEL.fcntl(file, setSignal, urgent);
        KERNEL.fcntl(file, setLease, write);
        return new LeasedFile(file);
    }

    @Override
    public void close() {
        KERNEL.close(file);
    }
}
