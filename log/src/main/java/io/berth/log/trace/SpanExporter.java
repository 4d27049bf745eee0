package io.berth.log.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends spans to an OpenTelemetry collector, a second's together, as [OTLP over
/// HTTP](https://opentelemetry.io/docs/specs/otlp/) in JSON. What a collector does not take, or not
/// soon enough, is lost: a trace is worth no waiting.
public final class SpanExporter implements Spans {

    private static final Logger LOG = LoggerFactory.getLogger(SpanExporter.class);
    private static final int MOST_WAITING = 4096;
    private static final int MOST_AT_ONCE = 512;
    private static final Duration GATHER = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final URI endpoint;
    private final HttpRequest.Builder request;
    private final String service;
    private final BlockingQueue<Span> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER).build();

    /// Held while spans are sent: the end waits for that, and does not break it off.
    private final Lock sending = new ReentrantLock();

    private final Thread thread;
    private boolean failing;

    /// @param endpoint such as `http://collector:4318/v1/traces`
    /// @param service whose spans these are
    /// @throws IllegalArgumentException if no request can be sent there
    public SpanExporter(URI endpoint, String service) {
        this.endpoint = endpoint;
        this.request =
                HttpRequest.newBuilder(endpoint)
                        .timeout(ANSWER)
                        .header("Content-Type", "application/json");
        this.service = service;
        this.thread = Thread.ofPlatform().name("spans").daemon().start(this::run);
    }

    @Override
    public boolean wanted() {
        return true;
    }

    @Override
    public void ended(Span span) {
        if (span.context().sampled()) {
            var unused = waiting.offer(span);
        }
    }

    @Override
    public void close() {
        try {
            boolean quiet = sending.tryLock(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
            thread.interrupt();
            if (quiet) {
                sending.unlock();
            }
            thread.join(ANSWER);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        boolean closing = false;
        while (!closing) {
            var together = new ArrayList<Span>();
            try {
                together.add(waiting.take());
                if (waiting.size() < MOST_AT_ONCE) {
                    Thread.sleep(GATHER);
                }
            } catch (InterruptedException e) {
                closing = true;
            }
            waiting.drainTo(together, MOST_AT_ONCE);
            sending.lock();
            try {
                closing |= Thread.interrupted();
                if (!together.isEmpty()) {
                    closing |= !send(together);
                }
            } finally {
                sending.unlock();
            }
        }
        http.shutdownNow();
    }

    /// Whether it was not interrupted.
    private boolean send(List<Span> spans) {
        try {
            var posted = request.copy().POST(BodyPublishers.ofByteArray(body(spans))).build();
            int status = http.send(posted, BodyHandlers.discarding()).statusCode();
            said(status / 100 == 2 ? "" : "it answers " + status);
        } catch (IOException e) {
            said(e.toString());
        } catch (InterruptedException e) {
            return false;
        }
        return true;
    }

    private void said(String problem) {
        if (!problem.isEmpty() && !failing) {
            LOG.warn("Spans are lost, {} does not take them: {}", endpoint, problem);
        }
        failing = !problem.isEmpty();
    }

    private byte[] body(List<Span> spans) throws JsonProcessingException {
        ObjectNode body = Json.mapper().createObjectNode();
        ObjectNode ours = body.putArray("resourceSpans").addObject();
        attribute(ours.putObject("resource").putArray("attributes"), "service.name", service);
        ObjectNode scope = ours.putArray("scopeSpans").addObject();
        scope.putObject("scope").put("name", "berth");
        ArrayNode array = scope.putArray("spans");
        spans.forEach(span -> write(span, array.addObject()));
        return Json.mapper().writeValueAsBytes(body);
    }

    private static void write(Span span, ObjectNode json) {
        json.put("traceId", span.context().traceId()).put("spanId", span.context().spanId());
        if (span.parent() != null) {
            json.put("parentSpanId", span.parent().spanId());
        }
        json.put("name", span.name())
                .put("kind", span.kind().number)
                .put("startTimeUnixNano", nanos(span.begun()))
                .put("endTimeUnixNano", nanos(span.ended()));
        ArrayNode attributes = json.putArray("attributes");
        span.attributes().forEach((key, value) -> attribute(attributes, key, value));
        if (span.failed()) {
            json.putObject("status").put("code", 2);
        }
    }

    private static void attribute(ArrayNode attributes, String key, String value) {
        attributes.addObject().put("key", key).putObject("value").put("stringValue", value);
    }

    /// A 64-bit number is a text in this JSON.
    private static String nanos(Instant at) {
        return at.getEpochSecond() + "%09d".formatted(at.getNano());
    }
}
