package io.berth.agent.launch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import io.berth.agent.launch.FileCalls.Loaded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// File systems that are mounted on folders of the spool: one in memory that bounds what a job can
/// leave there, and those of users.
///
/// Source: tmpfs(5); umount(2); proc_pid_mountinfo(5).
final class Mounts {

    /// Of what a job may leave in its folder.
    static final int MOST_MIB = 64;

    static final int MOST_FILES = 16_384;

    private static final int MOST_MOUNTS = 1000;
    private static final String MEMORY = "size=%dm,nr_inodes=%d,mode=700";

    /// Of a line of mountinfo, the place of the mount.
    private static final int PLACE = 4;

    private static final int NO_SUID = 2;
    private static final int NO_DEVICES = 4;
    private static final int DETACH = 2;
    private static final int NO_LINK = 8;

    private Mounts() {}

    /// Mounts a file system in memory on an empty folder. What stands in it is memory of whoever
    /// writes it. It stays when the agent goes.
    ///
    /// @return why there is none; nothing if there is
    static Optional<String> bound(Path folder) {
        try {
            Loaded.C.mount(
                    "berth",
                    folder.toString(),
                    "tmpfs",
                    new NativeLong(NO_SUID | NO_DEVICES),
                    MEMORY.formatted(MOST_MIB, MOST_FILES));
            return Optional.empty();
        } catch (LastErrorException e) {
            return Optional.of("the kernel refuses to mount: error " + e.getErrorCode());
        } catch (LinkageError e) {
            return Optional.of("no library can be loaded");
        }
    }

    /// Whether the agent's mounts are those of the machine's first process, so that the next agent
    /// sees them: the one on `/` has its number alone.
    static boolean areTheMachines() {
        try {
            return root("1").equals(root("self"));
        } catch (IOException e) {
            return false;
        }
    }

    private static List<String> root(String process) throws IOException {
        return Files.readAllLines(Path.of("/proc", process, "mountinfo"), ISO_8859_1).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[PLACE].equals("/"))
                .map(fields -> fields[0])
                .toList();
    }

    /// Takes away all that is mounted at a place, one on the other, as far as anybody stacks them.
    ///
    /// @param place of which none but the last name may be a link of others
    static void detachAll(Path place) {
        int detached = 0;
        while (detached < MOST_MOUNTS && detach(place)) {
            detached++;
        }
    }

    /// Takes away what is mounted at a place, with all that is mounted below it. Whether something
    /// was. Who is in it stays there.
    ///
    /// @param place of which none but the last name may be a link of others
    static boolean detach(Path place) {
        try {
            return Loaded.C.umount2(place.toString(), DETACH | NO_LINK) == 0;
        } catch (LastErrorException | LinkageError e) {
            return false;
        }
    }
}
