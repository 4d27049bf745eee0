package io.berth.agent.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// NVIDIA's management library, loaded and initialized. Its calls may block as long as a sick GPU
/// does: none is made on a thread that something else waits for without a limit.
public final class Nvml implements AutoCloseable {

    /// The name under which every driver installs it.
    public static final String LIBRARY = "libnvidia-ml.so.1";

    private static final int VERSION_BYTES = 96;

    private final NvmlLibrary library;

    private Nvml(NvmlLibrary library) {
        this.library = library;
    }

    /// Loads and initializes it.
    ///
    /// @param name the library's name, or an absolute path
    /// @return nothing where there is no such library
    /// @throws NvmlFailure if there is one and it does not work, as without its kernel module
    public static Optional<Nvml> open(String name) throws NvmlFailure {
        NvmlLibrary library;
        try {
            library = Native.load(name, NvmlLibrary.class);
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty();
        }
        require("nvmlInit_v2", library::nvmlInit_v2);
        return Optional.of(new Nvml(library));
    }

    public @Nullable String driverVersion() throws NvmlFailure {
        return text(
                        "nvmlSystemGetDriverVersion",
                        VERSION_BYTES,
                        library::nvmlSystemGetDriverVersion)
                .orElse(null);
    }

    /// The newest CUDA that the driver speaks, such as `12.4`.
    public @Nullable String cudaVersion() throws NvmlFailure {
        var version = new IntByReference();
        return told(
                        "nvmlSystemGetCudaDriverVersion_v2",
                        () -> library.nvmlSystemGetCudaDriverVersion_v2(version))
                ? version.getValue() / 1000 + "." + version.getValue() % 1000 / 10
                : null;
    }

    int deviceCount() throws NvmlFailure {
        var count = new IntByReference();
        require("nvmlDeviceGetCount_v2", () -> library.nvmlDeviceGetCount_v2(count));
        return count.getValue();
    }

    /// The GPU at that place in PCI order.
    NvmlDevice device(int index) throws NvmlFailure {
        var device = new PointerByReference();
        require(
                "nvmlDeviceGetHandleByIndex_v2",
                () -> library.nvmlDeviceGetHandleByIndex_v2(index, device));
        return new NvmlDevice(library, device.getValue());
    }

    NvmlLibrary library() {
        return library;
    }

    @Override
    public void close() {
        // Nothing is left to be done about a library that does not shut down.
        var unused = library.nvmlShutdown();
    }

    /// Makes a call that has to succeed.
    static void require(String function, IntSupplier call) throws NvmlFailure {
        int code = code(call);
        if (code != 0) {
            throw new NvmlFailure(function, code);
        }
    }

    /// Makes a call that a driver or a GPU may not support. Whether it succeeded.
    ///
    /// @throws NvmlFailure if the GPU is lost
    static boolean told(String function, IntSupplier call) throws NvmlFailure {
        int code = code(call);
        if (code == NvmlFailure.GPU_IS_LOST) {
            throw new NvmlFailure(function, code);
        }
        return code == 0;
    }

    static int code(IntSupplier call) {
        try {
            return call.getAsInt();
        } catch (UnsatisfiedLinkError e) {
            return NvmlFailure.FUNCTION_NOT_FOUND;
        }
    }

    @FunctionalInterface
    interface TextCall {
        int into(byte[] bytes, int length);
    }

    static Optional<String> text(String function, int size, TextCall call) throws NvmlFailure {
        var bytes = new byte[size];
        if (!told(function, () -> call.into(bytes, size))) {
            return Optional.empty();
        }
        return Optional.of(Native.toString(bytes, StandardCharsets.UTF_8.name()));
    }

    /// The address in an nvmlPciInfo_t, whose `busId` stands at byte 36, in the kernel's words.
    static String busId(Pointer pci) {
        String text = pci.getString(36, StandardCharsets.US_ASCII.name()).strip();
        String[] parts = text.toLowerCase(java.util.Locale.ROOT).split(":", 2);
        if (parts.length < 2) {
            return text;
        }
        return "%04x:%s".formatted(Long.parseLong(parts[0], 16), parts[1]);
    }

    static Memory zeroed(int bytes) {
        var memory = new Memory(bytes);
        memory.clear();
        return memory;
    }
}
