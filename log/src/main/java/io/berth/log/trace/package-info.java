/// Traces of jobs: the context that goes with them, and spans for an OpenTelemetry collector.
@NullMarked
package io.berth.log.trace;

import org.jspecify.annotations.NullMarked;
