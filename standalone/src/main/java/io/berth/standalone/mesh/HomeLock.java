package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The right to run the mesh of a home: held by one process at a time, and let go by the kernel
/// when that ends. The file holds the process id; it is never deleted, nor opened a second time by
/// the holder: to close a file lets go of the locks that the process has on it.
public final class HomeLock implements AutoCloseable {

    private final FileChannel channel;

    private HomeLock(FileChannel channel) {
        this.channel = channel;
    }

    /// The lock, unless another process holds it.
    public static Optional<HomeLock> take(MeshHome home) throws IOException {
        var channel =
                FileChannel.open(home.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!lock(channel)) {
            channel.close();
            return Optional.empty();
        }
        channel.truncate(0);
        String pid = Long.toString(ProcessHandle.current().pid());
        channel.write(ByteBuffer.wrap(pid.getBytes(US_ASCII)), 0);
        return Optional.of(new HomeLock(channel));
    }

    /// The process that holds the lock of a home, if another than this one does.
    public static OptionalLong holder(MeshHome home) throws IOException {
        try (var channel = FileChannel.open(home.lock(), StandardOpenOption.WRITE)) {
            String pid = lock(channel) ? "" : Files.readString(home.lock(), US_ASCII).strip();
            return pid.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(pid));
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (channel.isOpen()) {
            channel.truncate(0);
            channel.close();
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }
}
