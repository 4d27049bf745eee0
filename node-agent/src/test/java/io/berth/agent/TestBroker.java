package io.berth.agent;

import io.berth.contracts.topic.Topics;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// The broker of all tests of a JVM, with the topics that placement and the gateway would have
/// made.
final class TestBroker {

    static final TopicDeclarations DECLARATIONS = new TopicDeclarations(1, 8, (short) 1);

    private static final KafkaConnection SHARED = start();
    private static final HandPlacement PLACEMENT = new HandPlacement(SHARED);

    private TestBroker() {}

    static KafkaConnection shared() {
        return SHARED;
    }

    static HandPlacement placement() {
        return PLACEMENT;
    }

    static void createTopics(KafkaConnection connection) {
        try (var admin = connection.admin()) {
            DECLARATIONS.create(admin, Topics.writtenBy("placement-service"));
            DECLARATIONS.create(admin, Topics.writtenBy("submit-service"));
            DECLARATIONS.create(admin, Topics.writtenBy("node-agent"));
        }
    }

    private static KafkaConnection start() {
        try {
            Path folder = Files.createTempDirectory("agent-broker");
            KafkaBroker broker = KafkaBroker.start(folder, FreePorts.next(), FreePorts.next());
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> {
                                broker.close();
                                delete(folder);
                            }));
            var connection = new KafkaConnection(broker.bootstrapServers());
            createTopics(connection);
            return connection;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
