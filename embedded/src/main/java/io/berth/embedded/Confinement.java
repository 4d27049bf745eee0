package io.berth.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// How a program that refuses to run as root, and that must not outlive this process, is started:
/// the words before its own command. The thread that starts it must live as long as the program
/// ([ParentDeath]).
enum Confinement {
    /// Root, seen as nobody in a user namespace of its own; its files stay root's.
    USER_NAMESPACE("unshare -U", true),
    /// Nobody, where user namespaces are forbidden; every folder above its files must let it pass.
    OTHER_USER("setpriv --reuid 65534 --regid 65534 --clear-groups", true),
    /// The user of this process, who is not root.
    SAME_USER("", true),
    /// The same without a parent-death signal: an orphan is found at the next start.
    BARE("", false);

    private static final int ROOT = 0;
    private static final int NOBODY = 65_534;

    private final String user;
    private final boolean bound;

    /// @param user the words that make it another user
    /// @param bound whether it has a signal when this process ends
    Confinement(String user, boolean bound) {
        this.user = user;
        this.bound = bound;
    }

    /// The first that works for this user, for files in that folder.
    ///
    /// @throws IOException if this is root and none does
    static Confinement of(Path folder) throws IOException {
        boolean root =
                Integer.valueOf(ROOT).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        for (Confinement candidate : values()) {
            if (candidate.dropsRoot() == root && candidate.reaches(folder)) {
                return candidate;
            }
        }
        throw new IOException(
                "PostgreSQL does not run as root; as nobody, by 'unshare -U' or 'setpriv --reuid', it cannot reach "
                        + folder
                        + ": choose another folder, or start as another user");
    }

    List<String> command(List<String> program) {
        var command = new ArrayList<String>();
        if (!user.isEmpty()) {
            command.addAll(List.of(user.split(" ")));
        }
        command.addAll(bound ? ParentDeath.sends("INT") : List.of());
        command.addAll(program);
        return command;
    }

    /// Gives a folder to the user that the program runs as.
    void own(Path folder) throws IOException {
        switch (this) {
            case OTHER_USER -> Folders.give(folder, NOBODY);
            case USER_NAMESPACE -> Folders.give(folder, ROOT);
            case SAME_USER, BARE -> {}
        }
    }

    /// Whether it serves where this process is root.
    boolean dropsRoot() {
        return switch (this) {
            case USER_NAMESPACE, OTHER_USER -> true;
            case SAME_USER, BARE -> false;
        };
    }

    /// Whether it can be had here, and a program started so gets into that folder.
    boolean reaches(Path folder) {
        try {
            Process process =
                    new ProcessBuilder(command(List.of("test", "-x", folder.toString())))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
