package io.berth.agent;

import io.berth.contracts.HeldRun;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.RunReport.Cause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A run's part on a node, as orders and registrations speak of it.
interface OrderedRun {

    RunId run();

    /// It begins to live, or to live on.
    void start();

    /// What a registration says of it. A part that has ended still counts as running until its
    /// report stands in the log.
    HeldRun held();

    void go();

    /// TERM now, KILL after the grace.
    void stop(Cause cause, Duration grace);

    /// Tells it that it will end, and why; KILL after the grace.
    void stopWithNotice(Duration grace, String reason);

    /// Sends a signal to what runs; nothing if its code does not.
    ///
    /// @param step the number of the step whose tasks alone are meant; null for all of the target
    void signal(int signal, SignalTarget target, @Nullable Integer step);

    /// @param nth which suspension of the run it is
    /// @param grace of those that handle TSTP
    void suspend(int nth, Duration grace);

    void resume();

    /// Another time limit, kept for an agent that takes over.
    ///
    /// @param seconds from the run's start; 0 is unlimited
    void limit(long seconds);

    /// It shall go on under a new epoch, which may not know how far it is.
    void confirm();
}
