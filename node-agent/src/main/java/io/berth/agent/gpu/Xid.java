package io.berth.agent.gpu;

/// An error that NVIDIA's driver reports of a GPU, by its number.
///
/// Source: NVIDIA, "XID Errors".
public record Xid(int number) implements GpuError {

    /// An unknown one is transient.
    @Override
    public Severity severity() {
        return switch (number) {
            case 13, 31, 43, 45, 68, 69 -> Severity.APPLICATION;
            case 46, 48, 62, 64, 74, 79, 95, 109, 119, 120, 121, 140, 143, 155, 156, 158 ->
                    Severity.FATAL;
            default -> Severity.TRANSIENT;
        };
    }

    /// What is known of it, in a few words.
    public String meaning() {
        return switch (number) {
            case 13 -> "graphics engine exception";
            case 31 -> "memory page fault";
            case 43 -> "the GPU stopped processing";
            case 45 -> "channels were removed";
            case 46 -> "the GPU stopped responding";
            case 48 -> "uncorrectable memory error";
            case 62 -> "internal micro-controller halt";
            case 63 -> "row remapping or page retirement";
            case 64 -> "row remapping or page retirement failed";
            case 68, 69 -> "engine exception";
            case 74 -> "NVLink error";
            case 79 -> "the GPU has fallen off the bus";
            case 92 -> "many corrected memory errors";
            case 94 -> "contained memory error";
            case 95 -> "uncontained memory error";
            case 109 -> "context switch timeout";
            case 119, 120 -> "system processor error";
            case 121 -> "chip-to-chip link error";
            case 140 -> "unrecovered memory error";
            default -> "see NVIDIA's list of XID errors";
        };
    }

    @Override
    public String toString() {
        return "XID " + number + ", " + meaning();
    }
}
