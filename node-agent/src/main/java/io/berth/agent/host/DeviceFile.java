package io.berth.agent.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// A device file's number, by which control groups know it.
public final class DeviceFile {

    private static final int TYPE = 0xf000;
    private static final int CHARACTER = 0x2000;
    private static final int BLOCK = 0x6000;

    private DeviceFile() {}

    /// `c 510:0` or `b 8:16`.
    ///
    /// @throws IOException if there is no such file, or it is no device
    public static String number(String path) throws IOException {
        Path file = Path.of(path);
        if (!Files.exists(file)) {
            throw new IOException("there is no device file " + path);
        }
        Map<String, Object> attributes = Files.readAttributes(file, "unix:mode,rdev");
        int type = ((Number) attributes.getOrDefault("mode", 0)).intValue() & TYPE;
        long device = ((Number) attributes.getOrDefault("rdev", 0)).longValue();
        if (type != CHARACTER && type != BLOCK) {
            throw new IOException(path + " is no device file");
        }
        // As Linux packs them: makedev(3).
        long major = ((device >>> 8) & 0xfffL) | ((device >>> 32) & 0xfffff000L);
        long minor = (device & 0xffL) | ((device >>> 12) & 0xffffff00L);
        return (type == BLOCK ? "b " : "c ") + major + ":" + minor;
    }
}
