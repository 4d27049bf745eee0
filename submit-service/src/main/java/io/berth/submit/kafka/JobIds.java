package io.berth.submit.kafka;

import io.berth.contracts.JobArray.Ids;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;

/// The ids of new jobs, taken from blocks that are claimed one by one in the log. A block that does
/// not lie above every job that is known is void: its topic began anew.
final class JobIds {
    /// Void blocks that are written at once, to get past a number that is far ahead.
    private static final long MAX_SKIPPED = 1000;

    private final EventWriter writer;
    private final int cell;
    private final String claimant;
    private final LongSupplier highestJob;
    private final Events<IdBlockClaimed> events =
            new Events<>(Topics.ID_BLOCKS, PictureTopics.SERVICE);
    private final ReentrantLock lock = new ReentrantLock();
    private long next = 1;
    private long last = 0;
    private long claims;

    JobIds(EventWriter writer, int cell, String claimant, LongSupplier highestJob) {
        this.writer = writer;
        this.cell = cell;
        this.claimant = claimant;
        this.highestJob = highestJob;
    }

    /// New ids, ascending, in as few ranges as blocks allow.
    ///
    /// @throws Unavailable if a block is needed and cannot be claimed in time
    List<Ids> next(int count, Deadline due) {
        try {
            if (!lock.tryLock(due.left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Unavailable("no block of job ids in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        }
        try {
            var ranges = new ArrayList<Ids>();
            for (long wanted = count; wanted > 0; ) {
                while (next > last) {
                    claim(due);
                }
                var range = new Ids(next, Math.min(last, next + wanted - 1));
                next = range.last() + 1;
                wanted -= range.size();
                ranges.add(range);
            }
            return ranges;
        } finally {
            lock.unlock();
        }
    }

    private void claim(Deadline due) {
        long highest = highestJob.getAsLong();
        long first = IdBlockClaimed.first(Acknowledgement.of(write(), due).offset()).value();
        if (first > highest) {
            next = first;
            last = first + IdBlockClaimed.SIZE - 1;
            return;
        }
        long voids = Math.min(MAX_SKIPPED, (highest - first) / IdBlockClaimed.SIZE);
        for (long i = 0; i < voids; i++) {
            var unused = write();
        }
    }

    private CompletableFuture<RecordMetadata> write() {
        String id = claimant + "/" + claims++;
        return writer.write(events.record(cell, new IdBlockClaimed(claimant), id));
    }
}
