package io.berth.agent.launch;

import io.berth.contracts.event.Order.Launch;
import io.berth.log.trace.Span;
import io.berth.log.trace.Spans;
import io.berth.log.trace.TraceContext;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The span of a launch: from the order to the code's start, as a part of the request that
/// submitted the job.
public final class LaunchSpan {

    private LaunchSpan() {}

    /// Ends it, if anybody wants it.
    ///
    /// @param request null if the job was submitted in no trace
    public static void end(
            Spans spans, @Nullable TraceContext request, Launch launch, Instant ordered) {
        if (request != null && spans.wanted()) {
            spans.ended(
                    new Span(
                            request.child(),
                            request,
                            Span.Kind.INTERNAL,
                            "launch",
                            ordered,
                            Instant.now(),
                            Map.of(
                                    "berth.job", launch.run().job().toString(),
                                    "berth.run", launch.run().toString(),
                                    "berth.node", launch.node().toString()),
                            false));
        }
    }
}
