package io.berth.accounting;

import io.berth.accounting.db.Archive;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Archives and deletes jobs that ended longer ago than is kept, whole months at a time; looks each
/// hour. Without the setting it does nothing.
@ApplicationScoped
public class RetentionLoop {

    private static final Logger LOG = Logger.getLogger(RetentionLoop.class);
    private static final Duration BETWEEN = Duration.ofHours(1);

    private final Archive archive;
    private final AccountingConfig config;
    private final Semaphore stopping = new Semaphore(0);
    private @Nullable Thread thread;

    public RetentionLoop(Archive archive, AccountingConfig config) {
        this.archive = archive;
        this.config = config;
    }

    public synchronized void start() {
        if (thread == null && config.keep().isPresent()) {
            thread = Thread.ofPlatform().name("retention").start(() -> run(config.keep().get()));
        }
    }

    public synchronized void stop() {
        if (thread != null) {
            stopping.release();
            Threads.end(thread);
            thread = null;
        }
    }

    private void run(Duration keep) {
        try {
            // The books migrate the tables first.
            for (var pause = Duration.ofMinutes(1);
                    !stopping.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
                    pause = BETWEEN) {
                try {
                    purge(Clock.systemUTC().instant().minus(keep), config.archive());
                } catch (SQLException | IOException | RuntimeException e) {
                    LOG.warnf("Old jobs are not archived now: %s", Causes.words(e));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Archives and deletes the months that were over by then.
    ///
    /// @param folder of the archive; without, nothing is written
    /// @throws IOException if the archive cannot be written; nothing is deleted then
    void purge(Instant before, Optional<Path> folder) throws SQLException, IOException {
        YearMonth current = YearMonth.from(before.atOffset(ZoneOffset.UTC));
        if (folder.isPresent()) {
            Files.createDirectories(folder.get());
        }
        for (Optional<YearMonth> month = archive.oldest();
                month.isPresent() && month.get().isBefore(current);
                month = archive.oldest()) {
            long jobs = archive.purge(month.get(), folder);
            LOG.infof(
                    "%d jobs that ended in %s are %s",
                    jobs, month.get(), folder.isPresent() ? "archived" : "deleted");
        }
    }
}
