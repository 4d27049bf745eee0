package io.berth.placement;

import io.berth.contracts.topic.Access;
import io.berth.embedded.GuardedBroker;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// One broker for all tests of the module. Each test that asks for a [CellHarness] gets a new cell
/// on it. Placement comes to it as on a cluster: over TLS, and with the rights that the access
/// rules give it.
final class OneBroker implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(OneBroker.class);

    private record Running(Path directory, GuardedBroker broker, KafkaConnection placement)
            implements AutoCloseable {
        static Running start() {
            try {
                Path directory = Files.createTempDirectory("berth-placement-test");
                GuardedBroker broker = GuardedBroker.start(directory);
                var settings = admit(broker);
                return new Running(
                        directory,
                        broker,
                        KafkaConnection.of(name -> Optional.ofNullable(settings.get(name))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            broker.close();
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /// Placement's connection to a broker, by settings.
    static Map<String, String> admit(GuardedBroker broker) throws IOException {
        return broker.admit(
                Access.PLACEMENT.client(),
                Access.PLACEMENT.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CellHarness.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Running running =
                context.getRoot()
                        .getStore(NAMESPACE)
                        .computeIfAbsent(Running.class, _ -> Running.start(), Running.class);
        var cell = new CellHarness(running.placement(), running.broker().bootstrapServers());
        context.getStore(NAMESPACE).put(cell, cell);
        return cell;
    }
}
