package io.berth.slurm.session;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// Bytes of a file, a pipe or a terminal, of which a thread that waits for more is woken by
/// [#close]. A JVM that ends gives threads which read from anything else 0.3 s to be done with it.
/// Not for virtual threads, which nothing wakes.
public final class WakeableInput extends InputStream {
    private final FileChannel channel;

    public WakeableInput(FileChannel channel) {
        this.channel = channel;
    }

    /// What this process is given to read.
    public static WakeableInput ofProcess() {
        return new WakeableInput(new FileInputStream(FileDescriptor.in).getChannel());
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread that reads could not be woken");
        }
        return channel.read(ByteBuffer.wrap(into, from, length));
    }

    /// Whoever reads meets with an [IOException].
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
