package io.berth.submit.kafka;

import io.berth.contracts.JobId;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// The ids of new jobs, taken from blocks that are claimed one by one in the log. A block that does
/// not lie above every job that is known is void: its topic began anew.
final class JobIds {
    private final EventWriter writer;
    private final int cell;
    private final String claimant;
    private final LongSupplier highestJob;
    private final Events<IdBlockClaimed> events =
            new Events<>(Topics.ID_BLOCKS, PictureTopics.SERVICE);
    private final ReentrantLock lock = new ReentrantLock();
    private long next = 1;
    private long last = 0;

    JobIds(EventWriter writer, int cell, String claimant, LongSupplier highestJob) {
        this.writer = writer;
        this.cell = cell;
        this.claimant = claimant;
        this.highestJob = highestJob;
    }

    /// A new id.
    ///
    /// @throws Unavailable if a block is needed and cannot be claimed in time
    JobId next(Deadline due) {
        try {
            if (!lock.tryLock(due.left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Unavailable("no block of job ids in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        }
        try {
            while (next > last) {
                claim(due);
            }
            return new JobId(next++);
        } finally {
            lock.unlock();
        }
    }

    private void claim(Deadline due) {
        long highest = highestJob.getAsLong();
        var record = events.record(cell, new IdBlockClaimed(claimant), claimant + "/" + last);
        long block = Acknowledgement.of(writer.write(record), due).offset();
        long first = IdBlockClaimed.first(block).value();
        if (first > highest) {
            next = first;
            last = first + IdBlockClaimed.SIZE - 1;
        }
    }
}
