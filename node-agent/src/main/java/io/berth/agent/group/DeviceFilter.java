package io.berth.agent.group;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The kernel's device filter of a cgroup of version 2. It is attached to the group and not to who
/// attached it: it holds when the agent is gone, and goes with the group.
///
/// Source: bpf(2). The attributes' layouts were measured on Linux 6.18.
final class DeviceFilter {

    private static final int PROG_LOAD = 5;
    private static final int PROG_ATTACH = 8;
    private static final int PROG_QUERY = 16;
    private static final int TYPE_CGROUP_DEVICE = 15;
    private static final int ATTACH_CGROUP_DEVICE = 6;

    /// Other programs on the group, such as systemd's, go on to hold: what one denies is denied.
    private static final int ALLOW_MULTI = 2;

    private static final int CLOSE_ON_EXEC = 0x80000;

    private static final int ATTRIBUTE_BYTES = 128;

    private DeviceFilter() {}

    /// Lets the processes of a group open these devices and no others. Whether the kernel then says
    /// that a filter is on the group.
    ///
    /// @throws IOException if the kernel does not take it: too old, built without, or no rights
    static boolean attach(Path group, List<String> rules) throws IOException {
        try {
            int directory = Kernel.here().open(group.toString(), CLOSE_ON_EXEC);
            try {
                int program = load(DeviceProgram.allowing(rules));
                try {
                    attach(directory, program);
                } finally {
                    Kernel.here().close(program);
                }
                return attached(directory) > 0;
            } finally {
                Kernel.here().close(directory);
            }
        } catch (LastErrorException e) {
            throw new IOException(
                    "the kernel takes no device filter on %s: error %d"
                            .formatted(group, e.getErrorCode()),
                    e);
        } catch (LinkageError e) {
            // The first time a library is missing, then the class that would have loaded it.
            throw new IOException("no calls to the kernel can be made", e);
        }
    }

    private static int load(byte[] instructions) {
        try (var code = new Memory(instructions.length);
                var license = new Memory(16);
                Memory attribute = zeroed()) {
            code.write(0, instructions, 0, instructions.length);
            license.setString(0, "Apache-2.0", StandardCharsets.US_ASCII.name());
            attribute.setInt(0, TYPE_CGROUP_DEVICE);
            attribute.setInt(4, instructions.length / DeviceProgram.INSTRUCTION_BYTES);
            attribute.setPointer(8, code);
            attribute.setPointer(16, license);
            attribute.setInt(68, ATTACH_CGROUP_DEVICE);
            return bpf(PROG_LOAD, attribute, 72);
        }
    }

    private static void attach(int directory, int program) {
        try (Memory attribute = zeroed()) {
            attribute.setInt(0, directory);
            attribute.setInt(4, program);
            attribute.setInt(8, ATTACH_CGROUP_DEVICE);
            attribute.setInt(12, ALLOW_MULTI);
            bpf(PROG_ATTACH, attribute, 20);
        }
    }

    /// How many filters are on a group itself.
    private static int attached(int directory) {
        try (Memory attribute = zeroed()) {
            attribute.setInt(0, directory);
            attribute.setInt(4, ATTACH_CGROUP_DEVICE);
            bpf(PROG_QUERY, attribute, 32);
            return attribute.getInt(24);
        }
    }

    private static Memory zeroed() {
        var memory = new Memory(ATTRIBUTE_BYTES);
        memory.clear();
        return memory;
    }

    /// What bpf(2) answers.
    static int bpf(int command, Memory attribute, int size) {
        return Kernel.here().syscall(new NativeLong(number()), command, attribute, size).intValue();
    }

    /// The number of bpf(2).
    private static long number() {
        return switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> 321;
            case "aarch64" -> 280;
            default -> throw new UnsatisfiedLinkError("bpf(2) has no known number here");
        };
    }
}
