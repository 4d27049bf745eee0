package io.berth.agent.gpu;

/// A GPU does not answer.
public final class GpuLost extends Exception {

    private final String reason;

    public GpuLost(String reason) {
        super(reason);
        this.reason = reason;
    }

    /// Why, in one line.
    public String reason() {
        return reason;
    }
}
