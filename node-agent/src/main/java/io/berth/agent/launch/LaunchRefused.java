package io.berth.agent.launch;

import io.berth.contracts.event.RunReport.Cause;
import org.jspecify.annotations.Nullable;

/// Why a run's part cannot be started: one line for the user.
public final class LaunchRefused extends Exception {

    private final Cause end;
    private final @Nullable String drain;

    public LaunchRefused(String message) {
        this(message, (String) null);
    }

    /// @param drain why the node must have no more work; null if it may
    public LaunchRefused(String message, @Nullable String drain) {
        super(message);
        this.end = Cause.LAUNCH_FAILED;
        this.drain = drain;
    }

    public LaunchRefused(String message, Throwable cause) {
        super(message, cause);
        this.end = Cause.LAUNCH_FAILED;
        this.drain = null;
    }

    private LaunchRefused(String message, Cause end) {
        super(message);
        this.end = end;
        this.drain = null;
    }

    /// A GPU that the run was to have does not work: it can run elsewhere.
    static LaunchRefused ofGpu(String message) {
        return new LaunchRefused(message, Cause.GPU_FAILED);
    }

    /// How the run has ended then.
    public Cause end() {
        return end;
    }

    public @Nullable String drain() {
        return drain;
    }
}
