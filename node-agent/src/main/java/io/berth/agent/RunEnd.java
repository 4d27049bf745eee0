package io.berth.agent;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Steps;
import io.berth.contracts.event.RunReport.Cause;
import org.jspecify.annotations.Nullable;

/// How a run's part ended, kept in the spool until its report stands in the log.
///
/// @param steps null if there were none
/// @param drain why the node must have no more work; null if it may
record RunEnd(
        Cause cause,
        ExitStatus exit,
        Consumption usage,
        @Nullable String message,
        @Nullable Steps steps,
        @Nullable String drain) {

    static final String NAME = "end";

    RunEnd(Cause cause, ExitStatus exit, Consumption usage, @Nullable String message) {
        this(cause, exit, usage, message, null, null);
    }

    /// The end of a part whose code never ran.
    static RunEnd unstarted(Cause cause, @Nullable String message) {
        return new RunEnd(cause, ExitStatus.SUCCESS, Consumption.NONE, message);
    }

    RunEnd with(@Nullable Steps others) {
        return new RunEnd(cause, exit, usage, message, others, drain);
    }

    /// With another way in which the node is not well, if none is known yet.
    RunEnd draining(@Nullable String why) {
        return new RunEnd(cause, exit, usage, message, steps, drain == null ? why : drain);
    }
}
