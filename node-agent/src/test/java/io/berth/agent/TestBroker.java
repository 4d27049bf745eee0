package io.berth.agent;

import io.berth.contracts.topic.Access;
import io.berth.embedded.GuardedBroker;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The broker of all tests of a JVM, with all topics, and placement by hand on it. Agents come to
/// it as on a cluster: over TLS, and with the rights that the access rules give them.
final class TestBroker {

    /// Begins with the first test that comes to it.
    private static final class Running {
        static final GuardedBroker BROKER = start();
        static final KafkaConnection SHARED = agent(BROKER);
        static final HandPlacement PLACEMENT = new HandPlacement(unbound());
    }

    private TestBroker() {}

    /// An agent's.
    static KafkaConnection shared() {
        return Running.SHARED;
    }

    /// Of who may do all.
    static KafkaConnection unbound() {
        return new KafkaConnection(Running.BROKER.bootstrapServers());
    }

    static HandPlacement placement() {
        return Running.PLACEMENT;
    }

    /// An agent's connection to a broker, by settings.
    static Map<String, String> admit(GuardedBroker broker) throws IOException {
        return broker.admit(
                Access.AGENT.client(),
                Access.AGENT.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    private static KafkaConnection agent(GuardedBroker broker) {
        try {
            var settings = admit(broker);
            return KafkaConnection.of(name -> Optional.ofNullable(settings.get(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static GuardedBroker start() {
        try {
            Path folder = Files.createTempDirectory("agent-broker");
            GuardedBroker broker = GuardedBroker.start(folder);
            Runtime.getRuntime()
                    .addShutdownHook(
                            new Thread(() -> {
                                broker.close();
                                Folders.delete(folder);
                            }));
            TestTopics.create(new KafkaConnection(broker.bootstrapServers()));
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
