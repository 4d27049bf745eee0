package io.berth.contracts.event;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the gateways know of a trigger of `strigger`: what was asked, and how far that is, each a
/// record of its own. A trigger whose [Asked] is deleted is gone, whatever its [Progress] says.
public sealed interface Trigger {

    /// Taken from the same sequence as the ids of jobs.
    long number();

    /// The record's key.
    String key();

    /// What a program is run for.
    enum Occasion {
        /// The job is over.
        FINI(true),
        /// The job reaches its time limit.
        TIME(true),
        /// The node goes down.
        DOWN(false),
        /// The node is in service again after it was down.
        UP(false),
        /// The node is drained, and nothing runs there any more.
        DRAINED(false),
        /// Nothing has run on the node for the trigger's offset.
        IDLE(false),
        /// The node is closed by its health program, its prolog or its epilog.
        FAIL(false);

        private final boolean ofJob;

        Occasion(boolean ofJob) {
            this.ofJob = ofJob;
        }

        /// Whether it is a job's, and not a node's.
        public boolean ofJob() {
            return ofJob;
        }
    }

    /// A trigger as it was set.
    ///
    /// @param user whose the trigger is, and who runs the program
    /// @param job of an occasion of jobs; else null
    /// @param nodes of an occasion of nodes; none is every node
    /// @param before the nodes on which it was so already when the trigger was set, which is no
    ///   occasion; of `UP` those that were down
    /// @param offsetSeconds how long after the occasion the program runs; below 0 before it
    /// @param permanent whether it stays when the program has run
    /// @param program its path and first arguments, which the job's id or the nodes follow
    /// @param at epoch milliseconds
    record Asked(
            long number,
            String user,
            Occasion occasion,
            @Nullable JobId job,
            List<NodeName> nodes,
            List<NodeName> before,
            long offsetSeconds,
            boolean permanent,
            List<String> program,
            long at)
            implements Trigger {

        public Asked {
            nodes = List.copyOf(nodes);
            before = List.copyOf(before);
            program = List.copyOf(program);
        }

        @Override
        public String key() {
            return Long.toString(number);
        }
    }

    /// What has come of a trigger so far.
    ///
    /// @param runs how often its program was run
    /// @param subject the job's id or the nodes that the program is being run for, as its last
    ///   argument; null if it is not
    /// @param nodes those on which the occasion is, or is awaited
    record Progress(long number, int runs, @Nullable String subject, List<Watched> nodes)
            implements Trigger {

        private static final String SUFFIX = "/progress";

        public Progress {
            nodes = List.copyOf(nodes);
        }

        @Override
        public String key() {
            return key(number);
        }

        public static String key(long number) {
            return number + SUFFIX;
        }

        /// Whether that is the key of a progress, and not that of a trigger.
        public static boolean isKey(String key) {
            return key.endsWith(SUFFIX);
        }

        /// While the program is being run for that; null is for nothing.
        public Progress running(@Nullable String what, List<Watched> watched) {
            return new Progress(number, runs, what, watched);
        }

        /// After the program was run.
        public Progress ran() {
            return new Progress(number, runs + 1, null, nodes);
        }
    }

    /// A node that a trigger looks after.
    ///
    /// @param since when the occasion came, in epoch milliseconds; 0 if it is awaited
    /// @param told whether the program was run for it, or need not be
    record Watched(NodeName node, long since, boolean told) {}
}
