package io.berth.placement;

import io.berth.embedded.GuardedBroker;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.placement.kafka.CellLog;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A broker with the topics that other services write.
public final class CellResource implements QuarkusTestResourceLifecycleManager {

    private @Nullable GuardedBroker broker;
    private @Nullable Path directory;

    @Override
    public Map<String, String> start() {
        try {
            directory = Files.createTempDirectory("berth-placement");
            broker = GuardedBroker.start(directory);
            try (var admin = new KafkaConnection(broker.bootstrapServers()).admin()) {
                new TopicDeclarations(1, 8, (short) 1).create(admin, CellLog.read());
            }
            return OneBroker.admit(broker);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void stop() {
        if (broker != null) {
            broker.close();
        }
        if (directory != null) {
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
