package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.LogManager;

/// The log of this process, the broker's too.
public final class SupervisorLog {

    private SupervisorLog() {}

    public static void to(Path file) throws IOException {
        LogFiles.setAsideIfLarge(file);
        String settings =
                """
                handlers=java.util.logging.FileHandler
                .level=INFO
                org.apache.kafka.level=WARNING
                kafka.level=WARNING
                state.change.logger.level=WARNING
                java.util.logging.FileHandler.pattern=%s
                java.util.logging.FileHandler.append=true
                java.util.logging.FileHandler.formatter=java.util.logging.SimpleFormatter
                java.util.logging.SimpleFormatter.format=%%1$tF %%1$tT.%%1$tL %%4$-7s %%3$s: %%5$s%%6$s%%n
                """
                        .formatted(file.toString().replace("%", "%%").replace("\\", "\\\\"));
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(settings.getBytes(UTF_8)));
    }
}
