package io.berth.standalone.mesh;

import io.berth.embedded.ParentDeath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// How a child process is bound to this one, so that it ends with it even if this one is killed.
///
/// @param words before the child's own command
public record Leash(List<String> words) {

    static final Leash DEATH_SIGNAL = new Leash(ParentDeath.sends("KILL"));

    /// A watcher beside the child reads a pipe that this process holds open, and kills it at the
    /// end.
    static final Leash PIPE =
            new Leash(
                    List.of(
                            "sh",
                            "-c",
                            "exec 3<&0; (cat <&3 >/dev/null; kill -KILL $$) & exec \"$@\" </dev/null 3<&-",
                            "sh"));

    /// The better one that works here.
    public static Leash here() {
        return DEATH_SIGNAL.works() ? DEATH_SIGNAL : PIPE;
    }

    ProcessBuilder bind(List<String> command) {
        var bound = new ArrayList<>(words);
        bound.addAll(command);
        return new ProcessBuilder(bound);
    }

    private boolean works() {
        try {
            Process process =
                    bind(List.of("true")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
