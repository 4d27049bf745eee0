package io.berth.agent.group;

import io.berth.agent.host.LiveProcess;
import io.berth.agent.host.LiveProcess.Stat;
import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/// Groups without the kernel's help, for an agent that has no cgroups or no rights on them: the
/// processes that carry the run's variables, their sessions and all that descends from them. It
/// limits nothing. A process that drops the variables, leaves its session and outlives its parent
/// gets away.
final class ProcessTrees implements Groups {

    /// What is looked at of a process's variables: as much as Linux lets one have. A process may
    /// tell of more, without end.
    private static final int MOST_BYTES = 6 << 20;

    /// How long the kernel may take to put a new program in a process's place, on a busy machine.
    private static final Duration LONGEST_EXEC = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(1);

    @Override
    public String description() {
        return "process trees";
    }

    @Override
    public boolean heldByKernel() {
        return false;
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) {
        return find(node, run);
    }

    @Override
    public Group find(NodeName node, RunId run) {
        return new Tree(Set.copyOf(RunMark.of(node, run)));
    }

    @Override
    public void removeEmptyParents(NodeName node) {}

    private record Tree(Set<String> mark) implements Group {

        @Override
        public List<Path> entrances() {
            return List.of();
        }

        @Override
        public Set<Isolation> enforced() {
            return Set.of();
        }

        @Override
        public Set<Long> members() throws IOException {
            List<Stat> all = LiveProcess.all();
            long until = System.nanoTime() + LONGEST_EXEC.toNanos();
            var pids = new TreeSet<Long>();
            var sessions = new HashSet<Long>();
            for (Stat process : all) {
                if (marked(process.pid(), until)) {
                    pids.add(process.pid());
                    sessions.add(process.session());
                }
            }
            // A task is in a session of its own, never in that of its shim or of the agent.
            boolean grew = true;
            while (grew) {
                grew = false;
                for (Stat it : all) {
                    if ((sessions.contains(it.session()) || pids.contains(it.parent()))
                            && pids.add(it.pid())) {
                        sessions.add(it.session());
                        grew = true;
                    }
                }
            }
            return pids;
        }

        @Override
        public void kill() throws IOException {
            ControlFiles.killAll(members());
        }

        @Override
        public void suspend() throws IOException {
            Signals.stopAll(this);
        }

        @Override
        public void resume() throws IOException {
            signal(Kill.CONTINUE);
        }

        @Override
        public Consumption usage() {
            return Consumption.NONE;
        }

        @Override
        public boolean outOfMemory() {
            return false;
        }

        @Override
        public void remove() {}

        private boolean marked(long pid, long until) {
            try {
                String environment = environment(pid, until);
                return mark.stream().allMatch(variable -> has(environment, variable));
            } catch (IOException e) {
                return false;
            }
        }

        /// The variables of a process. While it becomes another program it seems to have none; one
        /// that always seems so holds up a look at all processes no longer than that.
        private static String environment(long pid, long until) throws IOException {
            Path environ = Path.of("/proc", Long.toString(pid), "environ");
            while (true) {
                try (var bytes = Files.newInputStream(environ)) {
                    byte[] read = bytes.readNBytes(MOST_BYTES);
                    if (read.length > 0 || !hasVariables(pid) || System.nanoTime() - until > 0) {
                        return new String(read, StandardCharsets.ISO_8859_1);
                    }
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }

        /// Whether a process has variables, or is to have some. A thread of the kernel, which is in
        /// no session, has none.
        private static boolean hasVariables(long pid) {
            return LiveProcess.stat(pid)
                    .filter(it -> it.state() != 'Z' && it.session() != 0 && !it.bare())
                    .isPresent();
        }

        /// Whether a variable is there, with its value.
        private static boolean has(String environment, String variable) {
            return environment.startsWith(variable + "\0")
                    || environment.contains("\0" + variable + "\0");
        }
    }
}
