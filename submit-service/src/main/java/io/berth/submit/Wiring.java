package io.berth.submit;

import io.berth.log.EventWriter;
import io.berth.log.KafkaConnection;
import io.berth.log.trace.SpanExporter;
import io.berth.log.trace.Spans;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;

/// What the gateway's parts share beside the connection to the brokers.
final class Wiring {
    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
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
    Spans spans(SubmitConfig config) {
        return config.tracesEndpoint()
                .<Spans>map(it -> new SpanExporter(it, "submit-service"))
                .orElse(Spans.NONE);
    }

    void close(@Disposes Spans spans) {
        spans.close();
    }
}
