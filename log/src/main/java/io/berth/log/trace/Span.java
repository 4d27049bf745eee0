package io.berth.log.trace;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A part of a trace: what was done, from when until when.
///
/// @param parent the span that it is a part of; null for a trace's first
/// @param attributes what it was done with, such as `berth.job`
/// @param failed whether it came to nothing
public record Span(
        TraceContext context,
        @Nullable TraceContext parent,
        Kind kind,
        String name,
        Instant begun,
        Instant ended,
        Map<String, String> attributes,
        boolean failed) {

    /// Whether it answers a caller.
    public enum Kind {
        INTERNAL(1),
        SERVER(2);

        /// OpenTelemetry's number of it.
        final int number;

        Kind(int number) {
            this.number = number;
        }
    }
}
