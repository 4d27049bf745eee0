package io.berth.submit;

import io.berth.log.Clocks;
import io.berth.log.EventWriter;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.log.trace.SpanExporter;
import io.berth.log.trace.Spans;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// What the gateway's parts share beside the connection to the brokers.
final class Wiring {
    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
    }

    @Produces
    @Singleton
    Clocks clocks() {
        return Clocks.SYSTEM;
    }

    @Produces
    @Singleton
    TopicDeclarations declarations(
            @ConfigProperty(name = "berth.cells", defaultValue = "1") int cells,
            @ConfigProperty(name = "berth.node-partitions", defaultValue = "8") int nodePartitions,
            @ConfigProperty(name = "berth.replicas", defaultValue = "1") short replicas) {
        return new TopicDeclarations(cells, nodePartitions, replicas);
    }

    @Produces
    @Singleton
    EventWriter writer(KafkaConnection kafka, SubmitConfig config) {
        return new EventWriter(() -> kafka.producer(config.writeTimeout()));
    }

    void close(@Disposes EventWriter writer) {
        writer.close();
    }

    @Produces
    @Singleton
    JobRoom room(SubmitConfig config, Clocks clocks) {
        return new JobRoom(config.maxJobs(), clocks::millis);
    }

    @Produces
    @Singleton
    Spans spans(SubmitConfig config) {
        return config.tracesEndpoint()
                .<Spans>map(it -> new SpanExporter(it, "submit-service"))
                .orElse(Spans.NONE);
    }

    void close(@Disposes Spans spans) {
        spans.close();
    }
}
