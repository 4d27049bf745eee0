package io.berth.accounting.cluster;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the books know of the nodes.
@FunctionalInterface
public interface Occupancy {

    /// At this moment.
    Seen look();

    /// What was known at a moment.
    ///
    /// @param nodes that are registered, those that can be used first, in the order of their names
    /// @param usable those of them that can be given work
    /// @param stays what holds nodes
    /// @param named the reservations that jobs name which have not ended, be it that they wait
    record Seen(List<String> nodes, Set<String> usable, List<Stay> stays, Set<String> named) {

        public Seen {
            nodes = List.copyOf(nodes);
            usable = Set.copyOf(usable);
            stays = List.copyOf(stays);
            named = Set.copyOf(named);
        }

        /// The nodes that runs hold, one that several hold as often.
        Stream<String> held() {
            return stays.stream().flatMap(it -> it.nodes().stream());
        }
    }

    /// A run on its nodes.
    ///
    /// @param until when it ends at the latest, in epoch milliseconds; `Long.MAX_VALUE` without a
    ///   time limit
    /// @param reservation that its job names; null is none, as of a job that is in one that is
    ///   MAGNETIC
    record Stay(long job, List<String> nodes, long until, @Nullable String reservation) {

        public Stay {
            nodes = List.copyOf(nodes);
        }
    }
}
