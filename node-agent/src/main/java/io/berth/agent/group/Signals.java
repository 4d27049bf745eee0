package io.berth.agent.group;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.SignalTarget;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/// Signals to processes of a run.
public final class Signals {

    public static final int TERM = Kill.TERM;

    public static final int KILL = Kill.KILL;

    /// CONT: what was stopped goes on.
    public static final int CONTINUE = Kill.CONTINUE;

    private static final int TERMINAL_STOP = 20;
    private static final int TRIES = 200;
    private static final long PAUSE_NANOS = 10_000_000;

    private Signals() {}

    /// Processes, by number, as they are now.
    @FunctionalInterface
    public interface Look {
        Set<Long> now() throws IOException;
    }

    /// Sends a signal to a process, if it is there.
    public static void send(long pid, int signal) {
        var unused = Kill.send(pid, signal);
    }

    /// Kills all whom a look finds, until one finds nobody new. They are stopped first: a shell
    /// whose command is killed would begin the next one.
    public static void killAll(Look look) throws IOException {
        sendAll(look, Kill.STOP);
        sendAll(look, Kill.KILL);
    }

    private static void sendAll(Look look, int signal) throws IOException {
        var reached = new HashSet<Long>();
        boolean more = true;
        for (int tries = 0; more && tries < TRIES; tries++) {
            more = false;
            for (long pid : look.now()) {
                if (reached.add(pid)) {
                    Kill.send(pid, signal);
                    more = true;
                }
            }
        }
    }

    /// Kills what is left of the session that a process began, in whichever of its process groups.
    /// Who is killed starts no other, so that it ends with the first look that finds nobody new.
    public static void killSession(long leader) throws IOException {
        killAll(() -> {
            var session = new HashSet<Long>();
            for (LiveProcess.Stat process : LiveProcess.all()) {
                if (process.session() == leader) {
                    session.add(process.pid());
                }
            }
            return session;
        });
    }

    /// Sends TSTP to those of the group that handle it. Whether there are any.
    public static boolean sendToHandlers(Group group) throws IOException {
        boolean any = false;
        for (long pid : group.members()) {
            if (LiveProcess.handles(pid, TERMINAL_STOP)) {
                any |= Kill.send(pid, TERMINAL_STOP);
            }
        }
        return any;
    }

    /// Lets a suspended group go on, and tells all that are in it.
    public static void resume(Group group) throws IOException {
        group.resume();
        group.signal(CONTINUE);
    }

    /// Stops all that are in a group by STOP, for a host that cannot freeze it. Who was sent it and
    /// waits in the kernel runs no code before it has stopped; one that waits as in vfork(2), for a
    /// child that is stopped, does so until both go on.
    ///
    /// @throws IOException if they do not stop within two seconds
    static void stopAll(Group group) throws IOException {
        var sent = new HashSet<Long>();
        for (int tries = 0; tries < TRIES; tries++) {
            boolean all = true;
            for (long pid : group.members()) {
                boolean told = !sent.add(pid);
                if (!LiveProcess.stopped(pid) && !(told && LiveProcess.waitsInKernel(pid))) {
                    all = false;
                    Kill.send(pid, Kill.STOP);
                }
            }
            if (all) {
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        throw new IOException("there is no freezer, and not all of its processes stop");
    }

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
