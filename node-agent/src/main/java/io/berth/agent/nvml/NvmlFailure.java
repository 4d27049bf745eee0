package io.berth.agent.nvml;

/// An answer of the library that is not success.
public final class NvmlFailure extends Exception {

    static final int NOT_SUPPORTED = 3;
    static final int NO_PERMISSION = 4;
    static final int NOT_FOUND = 6;
    static final int INSUFFICIENT_SIZE = 7;
    static final int TIMEOUT = 10;
    static final int FUNCTION_NOT_FOUND = 13;
    static final int GPU_IS_LOST = 15;

    private final int code;

    private final String reason;

    NvmlFailure(String function, int code) {
        this(code, function + ": " + word(code));
    }

    /// What was asked of the library is not there.
    static NvmlFailure missing(String what) {
        return new NvmlFailure(NOT_FOUND, what);
    }

    private NvmlFailure(int code, String reason) {
        super(reason);
        this.code = code;
        this.reason = reason;
    }

    /// The function and its answer, in one line.
    public String reason() {
        return reason;
    }

    int code() {
        return code;
    }

    /// Whether the GPU answers nothing any more.
    public boolean lost() {
        return code == GPU_IS_LOST;
    }

    /// Whether the driver has answered, and it is just that it does not tell.
    boolean answered() {
        return switch (code) {
            case NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND, FUNCTION_NOT_FOUND -> true;
            default -> false;
        };
    }

    static String word(int code) {
        return switch (code) {
            case 1 -> "the library is not initialized";
            case 2 -> "invalid argument";
            case NOT_SUPPORTED -> "not supported";
            case NO_PERMISSION -> "no permission";
            case NOT_FOUND -> "not found";
            case INSUFFICIENT_SIZE -> "insufficient size";
            case 8 -> "a power cable is not attached";
            case 9 -> "the driver is not loaded";
            case TIMEOUT -> "timeout";
            case 12 -> "the library is not installed in whole";
            case FUNCTION_NOT_FOUND -> "the driver does not have this function";
            case GPU_IS_LOST -> "the GPU is lost: it fell off the bus or does not answer";
            case 16 -> "a reset is required";
            case 18 -> "the library and the driver are of different versions";
            case 19 -> "in use";
            case 20 -> "not enough memory";
            case 23 -> "not enough room";
            default -> "error " + code;
        };
    }
}
