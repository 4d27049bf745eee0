package io.berth.standalone.mesh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The log files of the parts, which a part appends to from its start to its end.
final class LogFiles {

    private static final long LARGE = 16L << 20;

    private LogFiles() {}

    /// Renames a log that is large, so that the part that starts now begins a new one. The one that
    /// was set aside before is lost.
    static void setAsideIfLarge(Path log) throws IOException {
        if (Files.exists(log) && Files.size(log) > LARGE) {
            Files.move(
                    log,
                    log.resolveSibling(log.getFileName() + ".1"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
