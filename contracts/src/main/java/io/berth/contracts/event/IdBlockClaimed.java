package io.berth.contracts.event;

import io.berth.contracts.JobId;

/// A gateway claims a block of job ids: the offset of this record is the block's number.
public record IdBlockClaimed(String claimant) {

    /// Ids in a block.
    public static final int SIZE = 100;

    /// The lowest id of the block with that number (from 0).
    public static JobId first(long block) {
        return new JobId(block * SIZE + 1);
    }
}
