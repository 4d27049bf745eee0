package io.berth.agent;

import io.berth.agent.host.LiveProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How long the runs of a node may go on without a word from the log: a file beside them, which
/// their shims look at every second, and which only an acknowledged heartbeat renews. So a node
/// that is cut off ends its runs, its agent dead or alive, and placement, which knows after what
/// time, may give their jobs to others.
///
/// It counts from the moment that a heartbeat was written, which is before anybody read it, in
/// milliseconds since boot, which no clock that is set can change. Without a duration there is no
/// file, and runs go on.
final class Lease {

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    private final Path file;
    private final @Nullable Duration fenceAfter;
    private volatile long until;

    private Lease(Path file, @Nullable Duration fenceAfter, long until) {
        this.file = file;
        this.fenceAfter = fenceAfter;
        this.until = until;
    }

    /// The lease of a node, as an earlier agent left it, but for one that a longer duration or an
    /// earlier boot made.
    static Lease open(Path file, @Nullable Duration fenceAfter) throws IOException {
        if (fenceAfter == null) {
            Files.deleteIfExists(file);
            return new Lease(file, null, Long.MAX_VALUE);
        }
        long longest = LiveProcess.uptimeMillis() + fenceAfter.toMillis();
        long until =
                Files.exists(file)
                        ? Math.min(longest, Long.parseLong(Files.readString(file).strip()))
                        : longest;
        write(file, until);
        return new Lease(file, fenceAfter, until);
    }

    /// What placement is told; null if runs go on whatever happens.
    @Nullable Long seconds() {
        return fenceAfter == null ? null : fenceAfter.toSeconds();
    }

    /// What was written at that time, in milliseconds since boot, stands in the log.
    synchronized void heard(long written) {
        if (fenceAfter == null || written + fenceAfter.toMillis() <= until) {
            return;
        }
        try {
            write(file, written + fenceAfter.toMillis());
            until = written + fenceAfter.toMillis();
        } catch (IOException e) {
            LOG.atError().setCause(e).log("Lease not renewed: the node's runs will be ended");
        }
    }

    /// Whether nothing was heard for so long that the node's runs end.
    boolean over() {
        return fenceAfter != null && LiveProcess.uptimeMillis() > until;
    }

    /// In place and always as long, so that a full disk does not keep it from being renewed.
    private static void write(Path file, long until) throws IOException {
        byte[] text = "%020d\n".formatted(until).getBytes(StandardCharsets.US_ASCII);
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text), 0);
        }
    }
}
