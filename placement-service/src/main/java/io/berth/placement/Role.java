package io.berth.placement;

/// What this instance is to its cell.
enum Role {
    /// Not yet anything: waits for its topics, reads, or waits for the election.
    STARTING,
    /// Follows the cell while another instance leads it.
    STANDBY,
    /// Follows the cell and may not lead it: a newer version wrote what this one does not know.
    OUTDATED,
    /// Decides.
    LEADER
}
