package io.berth.log;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topic.Cleanup;
import io.berth.contracts.topic.Topic.Spread;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// One broker for all tests of the module, given to those that ask for a [KafkaConnection]. Each
/// test takes topics of its own.
final class SharedBroker implements ParameterResolver {
    private record Running(Path directory, KafkaBroker broker) implements AutoCloseable {
        static Running start() {
            try {
                Path directory = Files.createTempDirectory("berth-log-test");
                var broker = KafkaBroker.start(directory, FreePorts.next(), FreePorts.next());
                return new Running(directory, broker);
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

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == KafkaConnection.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Running running =
                context.getRoot()
                        .getStore(Namespace.create(SharedBroker.class))
                        .computeIfAbsent(Running.class, _ -> Running.start(), Running.class);
        return new KafkaConnection(running.broker().bootstrapServers());
    }

    /// A new topic of job events with one partition a cell.
    static Topic<JobEvent> topic(Cleanup cleanup) {
        return named("test." + UUID.randomUUID(), cleanup);
    }

    static Topic<JobEvent> named(String name, Cleanup cleanup) {
        return new Topic<>(
                name,
                "test",
                JobEvent.class,
                event -> event.job().toString(),
                Spread.CELL,
                cleanup,
                Duration.ofDays(1),
                1 << 20);
    }

    /// A new topic that exists, with one partition.
    static Topic<JobEvent> createdTopic(KafkaConnection kafka) {
        var topic = topic(Cleanup.DELETE);
        try (var admin = kafka.admin()) {
            new TopicDeclarations(1, 8, (short) 1).create(admin, List.of(topic));
        }
        return topic;
    }

    /// Writes a Started of each of these jobs, one after the other.
    static List<RecordMetadata> write(KafkaConnection kafka, Topic<JobEvent> topic, long... jobs) {
        var events = new Events<>(topic, "test");
        try (var writer = new EventWriter(kafka::producer)) {
            return LongStream.of(jobs)
                    .mapToObj(job ->
                            writer.write(events.record(0, started(job), "started/" + job))
                                    .orTimeout(10, TimeUnit.SECONDS)
                                    .join())
                    .toList();
        }
    }

    static JobEvent started(long job) {
        return new JobEvent.Started(new JobId(job), 5, 1);
    }

    static JobEvent queued(long job) {
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE);
        return new JobEvent.Queued(
                new JobId(job),
                5,
                new JobDescription(
                        "alice", "a", "p", "q", "größer", request, LaunchMode.BATCH, 0, 0, true));
    }
}
