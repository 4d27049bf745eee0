package io.berth.agent.group;

import io.berth.contracts.SignalTarget;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/// Signals to processes of a run.
public final class Signals {

    private Signals() {}

    /// Sends the signal to those of the group that the target means. Processes that are gone by
    /// then do not count.
    ///
    /// @param signal by the kernel's number
    public static void send(Group group, int signal, SignalTarget target) throws IOException {
        Set<Long> members = group.members();
        var wanted = new TreeSet<Long>();
        for (long pid : members) {
            boolean script = isScript(pid, members);
            boolean meant =
                    switch (target) {
                        case ALL -> true;
                        case BATCH -> script;
                        case STEPS -> !script;
                    };
            if (meant) {
                wanted.add(pid);
            }
        }
        wanted.forEach(pid -> Kill.send(pid, signal));
    }

    /// Whether the process is the batch script's own: the one of the group that none of the group
    /// started.
    private static boolean isScript(long pid, Set<Long> members) {
        return ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .filter(parent -> members.contains(parent.pid()))
                .isEmpty();
    }
}
