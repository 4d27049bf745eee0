package io.berth.agent.group;

import com.sun.jna.LastErrorException;
import java.io.IOException;

/// Signals to processes, by number.
///
/// Source: kill(2), signal(7).
final class Kill {

    static final int KILL = 9;
    static final int TERM = 15;
    static final int CONTINUE = 18;
    static final int STOP = 19;

    private Kill() {}

    /// Sends a signal. Whether the process is there to have it.
    static boolean send(long pid, int signal) {
        try {
            return Kernel.here().kill(Math.toIntExact(pid), signal) == 0;
        } catch (LastErrorException e) {
            return false;
        } catch (LinkageError e) {
            return sendByCommand(pid, signal);
        }
    }

    /// For a machine that lets no library be unpacked and loaded.
    static boolean sendByCommand(long pid, int signal) {
        var command = new ProcessBuilder("kill", "-" + signal, Long.toString(pid));
        command.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            return command.start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
