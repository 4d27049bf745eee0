package io.berth.agent.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// What a task found when it stood in its groups, before any of the run's code.
///
/// @param pid the task
/// @param devices by path, the error on opening that file; empty if it opened
public record Readiness(long pid, Map<String, String> devices) {

    private static final String REFUSED = "refused ";
    private static final String OPENED = "opened ";

    /// EIO and ENODEV.
    private static final Set<String> BROKEN = Set.of("Input/output error", "No such device");

    /// Reads it, once the task is ready.
    ///
    /// @param tried the device files that the task was told to try
    public static Optional<Readiness> read(RunFiles files, Iterable<Path> tried)
            throws IOException {
        return files.text("ready").map(text -> parse(text, tried));
    }

    private static Readiness parse(String text, Iterable<Path> tried) {
        var devices = new TreeMap<String, String>();
        long pid = 0;
        for (String line : text.split("\n")) {
            if (line.startsWith("pid ")) {
                pid = Long.parseLong(line.substring("pid ".length()));
            }
            for (Path device : tried) {
                if (line.equals(OPENED + device)) {
                    devices.put(device.toString(), "");
                } else if (line.startsWith(REFUSED + device + " ")) {
                    devices.put(
                            device.toString(), line.substring((REFUSED + device + " ").length()));
                }
            }
        }
        return new Readiness(pid, devices);
    }

    /// Whether the kernel's device rule refused that file.
    public boolean denied(Path device) {
        return "Operation not permitted".equals(devices.get(device.toString()));
    }

    /// Why that file does not open, if that is the device's fault.
    public Optional<String> broken(Path device) {
        return Optional.ofNullable(devices.get(device.toString())).filter(BROKEN::contains);
    }

    /// Whether the rule let that file be opened, be there a device behind it or not.
    public boolean admitted(Path device) {
        String error = devices.get(device.toString());
        return "".equals(error) || "No such device or address".equals(error);
    }
}
