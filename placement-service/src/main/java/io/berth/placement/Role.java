package io.berth.placement;

/// What this instance is to its cell.
enum Role {
    /// Not yet anything: waits for its topics, reads, or waits for the election.
    STARTING,
    /// Follows the cell while another instance leads it.
    STANDBY,
    /// Decides.
    LEADER
}
