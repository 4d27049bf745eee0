package io.berth.agent.gpu;

/// A sign in the files of AMD's driver that something is wrong with a GPU: it reports no errors by
/// number, as NVIDIA's does, and a program's own fault leaves no sign.
public sealed interface AmdError extends GpuError {

    /// A block of the GPU has counted errors that it could not correct.
    ///
    /// @param block the driver's word for it, such as `umc`, the memory's controller
    /// @param count how many there are since it was read before
    record Uncorrectable(String block, long count) implements AmdError {

        @Override
        public Severity severity() {
            return Severity.FATAL;
        }

        @Override
        public String toString() {
            return "%d uncorrectable error%s in %s".formatted(count, count == 1 ? "" : "s", block);
        }
    }

    /// The driver has reset the GPU or an engine of it, because of a program or of a fault: it does
    /// not say.
    record Reset() implements AmdError {

        @Override
        public Severity severity() {
            return Severity.TRANSIENT;
        }

        @Override
        public String toString() {
            return "reset by its driver";
        }
    }
}
