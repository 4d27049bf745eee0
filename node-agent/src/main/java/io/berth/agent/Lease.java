package io.berth.agent;

import io.berth.agent.host.LiveProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How long the runs of a node may go on without a word from the log: a file beside them, which
/// their shims look at every second, and which only an acknowledged heartbeat renews; once it is
/// over, only a registration begins another one. So a node that is cut off ends its runs, its agent
/// dead or alive, and placement, which knows after what time, may give their jobs to others.
///
/// It counts from the moment that a heartbeat was written, which is before anybody read it, in
/// milliseconds since boot, which no clock that is set can change. Without a duration there is no
/// file, and runs go on.
final class Lease {

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    /// Where it is kept, for those who look at it.
    interface Kept {

        /// What an earlier agent left, if one did.
        OptionalLong read() throws IOException;

        void write(long until) throws IOException;

        void remove() throws IOException;
    }

    private final Kept kept;
    private final @Nullable Duration fenceAfter;
    private final LongSupplier uptime;
    private volatile long until;

    private Lease(Kept kept, @Nullable Duration fenceAfter, LongSupplier uptime, long until) {
        this.kept = kept;
        this.fenceAfter = fenceAfter;
        this.uptime = uptime;
        this.until = until;
    }

    /// The lease of a node, as an earlier agent left it in that file.
    static Lease open(Path file, @Nullable Duration fenceAfter) throws IOException {
        return open(new LeaseFile(file), fenceAfter, LiveProcess::uptimeMillis);
    }

    /// The lease of a node, as an earlier agent left it, but for one that a longer duration or an
    /// earlier boot made.
    ///
    /// @param uptime milliseconds since boot
    static Lease open(Kept kept, @Nullable Duration fenceAfter, LongSupplier uptime)
            throws IOException {
        if (fenceAfter == null) {
            kept.remove();
            return new Lease(kept, null, uptime, Long.MAX_VALUE);
        }
        long longest = uptime.getAsLong() + fenceAfter.toMillis();
        long until = Math.min(longest, kept.read().orElse(longest));
        kept.write(until);
        return new Lease(kept, fenceAfter, uptime, until);
    }

    /// Milliseconds since boot.
    long now() {
        return uptime.getAsLong();
    }

    /// What placement is told; null if runs go on whatever happens.
    @Nullable Long seconds() {
        return fenceAfter == null ? null : fenceAfter.toSeconds();
    }

    /// A heartbeat that was written at that time, in milliseconds since boot, stands in the log. A
    /// lease that is over stays so: who looked at it may have ended a run, and placement may have
    /// given its job to others.
    void heard(long written) {
        if (!over()) {
            begin(written);
        }
    }

    /// A registration that was written at that time stands in the log.
    synchronized void begin(long written) {
        if (fenceAfter == null || written + fenceAfter.toMillis() <= until) {
            return;
        }
        try {
            kept.write(written + fenceAfter.toMillis());
            until = written + fenceAfter.toMillis();
        } catch (IOException e) {
            LOG.atError().setCause(e).log("Lease not renewed: the node's runs will be ended");
        }
    }

    /// Whether nothing was heard for so long that the node's runs end.
    boolean over() {
        return fenceAfter != null && now() > until;
    }
}
