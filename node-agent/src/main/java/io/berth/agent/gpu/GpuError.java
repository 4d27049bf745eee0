package io.berth.agent.gpu;

/// An error of a GPU, by the word of its vendor's driver.
public sealed interface GpuError permits Xid, AmdError {

    /// What an error means for the GPU.
    enum Severity {
        /// The program's own fault: the GPU is sound.
        APPLICATION,
        /// It may pass. Several in a short time are as bad as a fatal one.
        TRANSIENT,
        /// The GPU is not to be trusted until it has been reset or tested.
        FATAL
    }

    Severity severity();
}
