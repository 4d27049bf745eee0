package io.berth.agent.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// Which machine this is, and which of its boots.
public record MachineIdentity(String machineId, String bootId) {

    private static final Path MACHINE_ID = Path.of("/etc/machine-id");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /// Reads them. A machine without an id gets one, kept in that folder.
    public static MachineIdentity read(Path home) throws IOException {
        String machine = Files.isReadable(MACHINE_ID) ? Files.readString(MACHINE_ID).strip() : "";
        if (machine.isEmpty()) {
            machine = own(home.resolve("machine-id"));
        }
        return new MachineIdentity(machine, Files.readString(BOOT_ID).strip());
    }

    private static String own(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.writeString(file, UUID.randomUUID() + "\n");
        }
        return Files.readString(file).strip();
    }
}
