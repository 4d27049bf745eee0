package io.berth.agent;

import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The broker of all tests of a JVM, with all topics, and placement by hand on it.
final class TestBroker {

    private static final KafkaConnection SHARED = start();
    private static final HandPlacement PLACEMENT = new HandPlacement(SHARED);

    private TestBroker() {}

    static KafkaConnection shared() {
        return SHARED;
    }

    static HandPlacement placement() {
        return PLACEMENT;
    }

    private static KafkaConnection start() {
        try {
            Path folder = Files.createTempDirectory("agent-broker");
            KafkaBroker broker = KafkaBroker.start(folder, FreePorts.next(), FreePorts.next());
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> {
                                broker.close();
                                Folders.delete(folder);
                            }));
            var connection = new KafkaConnection(broker.bootstrapServers());
            TestTopics.create(connection);
            return connection;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
