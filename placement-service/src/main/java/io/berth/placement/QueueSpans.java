package io.berth.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.JobId;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Submission;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.log.trace.Span;
import io.berth.log.trace.Spans;
import io.berth.log.trace.TraceContext;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The spans of jobs that wait: each from its submission to the round that first placed it, as a
/// part of the request that submitted it. A tenure knows of the submissions that it has read
/// itself: a job that is placed by a successor has no such span.
final class QueueSpans {

    private final Spans spans;
    private final Map<JobId, Waiting> waiting = new HashMap<>();

    private record Waiting(TraceContext request, Instant since) {}

    QueueSpans(Spans spans) {
        this.spans = spans;
    }

    /// Notes what was submitted in a trace.
    void read(Input input, ConsumerRecord<byte[], byte[]> record) {
        if (!spans.wanted() || !(input instanceof Input.Asked(Submission.Submitted it, _))) {
            return;
        }
        var header = record.headers().lastHeader(TraceContext.HEADER);
        if (header == null || header.value() == null) {
            return;
        }
        TraceContext.parse(new String(header.value(), StandardCharsets.US_ASCII))
                .filter(TraceContext::sampled)
                .ifPresent(request -> {
                    var since = new Waiting(request, Instant.ofEpochMilli(record.timestamp()));
                    it.jobs().forEach(one -> waiting.put(one.job(), since));
                });
    }

    /// Ends the spans of the jobs that a round placed, which is in the log now.
    void written(List<Fact> facts) {
        if (waiting.isEmpty()) {
            return;
        }
        for (Fact fact : facts) {
            if (fact instanceof Fact.Announced(JobEvent.Placed placed)) {
                Waiting it = waiting.remove(placed.job());
                if (it != null) {
                    spans.ended(span(placed, it));
                }
            } else if (fact instanceof Fact.Announced(JobEvent.Ended ended)) {
                waiting.remove(ended.job());
            }
        }
    }

    private static Span span(JobEvent.Placed placed, Waiting waiting) {
        String nodes =
                placed.allocations().stream()
                        .map(Allocation::node)
                        .map(Object::toString)
                        .collect(Collectors.joining(","));
        return new Span(
                waiting.request().child(),
                waiting.request(),
                Span.Kind.INTERNAL,
                "wait for placement",
                waiting.since(),
                Instant.now(),
                Map.of("berth.job", placed.job().toString(), "berth.nodes", nodes),
                false);
    }
}
