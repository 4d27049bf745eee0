package io.berth.submit.kafka;

import io.berth.contracts.JobArray.Ids;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/// The ids of new jobs, taken from blocks that are claimed in the log, as many at once as are
/// needed. When less than half a block is left the next is claimed ahead, so that nobody waits for
/// it. A block that does not lie above every job that is known is void: its topic began anew.
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
    private final Deque<Ids> free = new ArrayDeque<>();
    private long claims;

    /// What was claimed before it is needed.
    private @Nullable Claim ahead;

    /// A block on its way.
    ///
    /// @param highest the highest job that was known before
    private record Claim(long highest, CompletableFuture<RecordMetadata> written) {}

    JobIds(EventWriter writer, int cell, String claimant, LongSupplier highestJob) {
        this.writer = writer;
        this.cell = cell;
        this.claimant = claimant;
        this.highestJob = highestJob;
    }

    /// How many ids a submission needs, at least one.
    ///
    /// @param inARow whether they must follow one another, with no other between them
    record Wanted(int count, boolean inARow) {}

    /// New ids for several submissions, ascending, for each in as few ranges as blocks allow. Ids
    /// that are too few in a row are left out.
    ///
    /// @throws Unavailable if blocks are needed and cannot be claimed in time
    List<List<Ids>> next(List<Wanted> submissions, Deadline due) {
        due.lock(lock, "no block of job ids in time");
        try {
            claimFor(submissions.stream().mapToLong(Wanted::count).sum(), due);
            var next = new ArrayList<List<Ids>>();
            for (Wanted wanted : submissions) {
                claimFor(wanted.count(), due);
                while (wanted.inARow() && free.getFirst().size() < wanted.count()) {
                    free.removeFirst();
                    claimFor(wanted.count(), due);
                }
                next.add(take(wanted.count()));
            }
            if (ahead == null && left() < IdBlockClaimed.SIZE / 2) {
                ahead = claim();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void claimFor(long wanted, Deadline due) {
        for (long missing = wanted - left(); missing > 0; missing = wanted - left()) {
            claim(Math.ceilDiv(missing, IdBlockClaimed.SIZE), due);
        }
    }

    private long left() {
        return free.stream().mapToLong(Ids::size).sum();
    }

    private List<Ids> take(int count) {
        var ranges = new ArrayList<Ids>();
        for (long wanted = count; wanted > 0; ) {
            Ids next = free.removeFirst();
            if (next.size() > wanted) {
                free.addFirst(new Ids(next.first() + wanted, next.last()));
                next = new Ids(next.first(), next.first() + wanted - 1);
            }
            wanted -= next.size();
            ranges.add(next);
        }
        return ranges;
    }

    private void claim(long blocks, Deadline due) {
        var claims = new ArrayList<Claim>();
        if (ahead != null && !ahead.written().isCompletedExceptionally()) {
            claims.add(ahead);
        }
        ahead = null;
        while (claims.size() < blocks) {
            claims.add(claim());
        }
        long behind = 0;
        for (Claim claim : claims) {
            long first =
                    IdBlockClaimed.first(Acknowledgement.of(claim.written(), due).offset()).value();
            behind = claim.highest() - first;
            if (behind < 0) {
                add(new Ids(first, first + IdBlockClaimed.SIZE - 1));
            }
        }
        long voids = Math.min(MAX_SKIPPED, behind / IdBlockClaimed.SIZE);
        for (long i = 0; i < voids; i++) {
            var unused = claim();
        }
    }

    private void add(Ids block) {
        Ids last = free.peekLast();
        if (last != null && last.last() + 1 == block.first()) {
            free.removeLast();
            free.addLast(new Ids(last.first(), block.last()));
        } else {
            free.addLast(block);
        }
    }

    private Claim claim() {
        long highest = highestJob.getAsLong();
        String id = claimant + "/" + claims++;
        return new Claim(
                highest, writer.write(events.record(cell, new IdBlockClaimed(claimant), id)));
    }
}
