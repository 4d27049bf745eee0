package io.berth.accounting.cluster;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the books know of the nodes at this moment.
public interface Occupancy {

    /// The nodes that are registered, those that can be used first, in the order of their names.
    List<String> nodes();

    /// Those of them that can be given work.
    Set<String> usable();

    /// What holds nodes.
    List<Stay> stays();

    /// A run on its nodes.
    ///
    /// @param until when it ends at the latest, in epoch milliseconds; `Long.MAX_VALUE` without a
    ///   time limit
    /// @param reservation that it uses; null is none
    record Stay(long job, List<String> nodes, long until, @Nullable String reservation) {

        public Stay {
            nodes = List.copyOf(nodes);
        }
    }
}
