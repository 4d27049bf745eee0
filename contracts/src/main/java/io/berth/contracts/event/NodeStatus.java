package io.berth.contracts.event;

import io.berth.contracts.NodeName;

/// Everything that placement knows of a node besides what jobs hold on it: its record in
/// `node-states`.
///
/// @param epoch granted by the last Sync
/// @param number of the last order in that epoch
/// @param seen the registration that the epoch answers
public record NodeStatus(NodeName node, long epoch, long number, Presence presence, NodeSeen seen) {

    public enum Presence {
        /// Heard from within the last 10 seconds.
        UP,
        /// Silent for a while: no new work, the old goes on.
        SILENT,
        /// Silent for longer than `node-timeout`.
        DOWN,
        /// Its agent shut down and took its runs with it: no work until it registers again.
        LEFT
    }
}
