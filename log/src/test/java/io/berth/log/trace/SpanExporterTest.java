package io.berth.log.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import io.berth.embedded.FreePorts;
import io.berth.embedded.TraceCollector;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SpanExporterTest {

    private static final TraceContext CALLER =
            new TraceContext("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true);
    private static final Instant BEGUN = Instant.ofEpochSecond(1_700_000_000, 5);

    private static Span span(TraceContext context) {
        return new Span(
                context,
                CALLER,
                Span.Kind.SERVER,
                "POST /v1/jobs",
                BEGUN,
                BEGUN.plusMillis(12),
                Map.of("berth.job", "17"),
                true);
    }

    @Test
    void a_span_is_sent_as_opentelemetry_has_it() throws IOException {
        try (var collector = TraceCollector.start()) {
            var context = new TraceContext(CALLER.traceId(), "aaaaaaaaaaaaaaaa", true);
            try (var exporter = new SpanExporter(collector.endpoint(), "submit-service")) {
                exporter.ended(span(context));
            }

            assertThat(collector.bodies()).hasSize(1);
            JsonNode ours =
                    Json.mapper().readTree(collector.bodies().getFirst()).at("/resourceSpans/0");
            assertThat(ours.at("/resource/attributes"))
                    .hasToString(
                            "[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"submit-service\"}}]");
            assertThat(ours.at("/scopeSpans/0/spans/0"))
                    .isEqualTo(
                            Json.mapper()
                                    .readTree(
                                            """
                                            {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "aaaaaaaaaaaaaaaa",
                                             "parentSpanId": "00f067aa0ba902b7", "name": "POST /v1/jobs", "kind": 2,
                                             "startTimeUnixNano": "1700000000000000005", "endTimeUnixNano": "1700000000012000005",
                                             "attributes": [{"key": "berth.job", "value": {"stringValue": "17"}}],
                                             "status": {"code": 2}}
                                            """));
        }
    }

    @Test
    void the_end_does_not_break_off_what_is_being_sent() throws Exception {
        try (var collector = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI endpoint = URI.create("http://127.0.0.1:" + collector.getLocalPort());
            var exporter = new SpanExporter(endpoint, "submit-service");
            exporter.ended(span(new TraceContext(CALLER.traceId(), "aaaaaaaaaaaaaaaa", true)));
            try (Socket sent = collector.accept()) {
                Thread end = Thread.ofPlatform().start(exporter::close);

                assertThat(end.join(Duration.ofMillis(300))).isFalse();

                sent.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
                end.join();
            }
        }
    }

    @Test
    void a_trace_that_nobody_keeps_is_not_sent() throws IOException {
        try (var collector = TraceCollector.start()) {
            try (var exporter = new SpanExporter(collector.endpoint(), "submit-service")) {
                exporter.ended(span(new TraceContext(CALLER.traceId(), CALLER.spanId(), false)));
            }

            assertThat(collector.bodies()).isEmpty();
        }
    }

    @Test
    void a_collector_that_is_away_keeps_nobody_waiting() {
        var nobody = URI.create("http://127.0.0.1:" + FreePorts.next() + "/v1/traces");
        try (var exporter = new SpanExporter(nobody, "submit-service")) {
            for (int i = 0; i < 10_000; i++) {
                exporter.ended(span(CALLER));
            }
            assertThat(exporter.wanted()).isTrue();
        }
    }
}
