package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.CELL_STATES;
import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.IdBlockClaimed;
import io.berth.contracts.event.Idempotency;
import io.berth.contracts.event.Submission.Submitted;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// An instance of the gateway: takes ids in blocks, and knows of keys what it has read.
final class SimulatedGateway {

    private static final String ID_BLOCKS = "id-blocks";

    /// So few of a block are used that many are claimed.
    private static final int USED = 2;

    private final SimulatedLog log;
    private long skewMillis;
    private boolean cutOff;
    private final Queue<JobId> free = new ArrayDeque<>();

    SimulatedGateway(SimulatedLog log) {
        this.log = log;
    }

    /// Its clock is off by so much from now on.
    void skew(long millis) {
        skewMillis = millis;
    }

    /// What its clock shows.
    long clock(long right) {
        return right + skewMillis;
    }

    /// From now on the log cannot be reached, or can again.
    void cutOff(boolean now) {
        cutOff = now;
    }

    boolean connected() {
        return !cutOff;
    }

    /// It is started anew, and has nothing but the log.
    void restart() {
        free.clear();
    }

    /// The record of a submission under a new id.
    Submitted submitted(
            JobDescription description, List<JobDescription> components, @Nullable String key) {
        if (!components.isEmpty()) {
            free.clear(); // Its ids follow one another.
        }
        JobId first = next();
        components.forEach(_ -> next());
        return new Submitted(
                first,
                description,
                description.user(),
                new SpecReference(0, 0, "00"),
                key == null ? null : new IdempotencyKey(key, "same"),
                null,
                components);
    }

    /// Which job a written submission made, read back from the log.
    JobId job(Submitted written) {
        var keys = new Idempotency();
        for (Message message : log.read(SUBMISSIONS, 0)) {
            if (message.value() instanceof Submitted it) {
                Optional<Idempotency.Claim> first = keys.read(it, 0);
                if (it.equals(written)) {
                    return first.map(Idempotency.Claim::job).orElse(written.job());
                }
            }
        }
        throw new AssertionError(written + " is not in the log");
    }

    private JobId next() {
        while (free.isEmpty()) {
            JobId first = IdBlockClaimed.first(log.append(ID_BLOCKS, "gateway", "claimed"));
            if (first.value() > highest()) {
                for (int i = 0; i < USED; i++) {
                    free.add(new JobId(first.value() + i));
                }
            }
        }
        return free.remove();
    }

    private long highest() {
        long highest = 0;
        for (Message message : log.read(CELL_STATES, 0)) {
            if (message.value() instanceof CellStatus cell) {
                highest = cell.highestJob();
            }
        }
        return highest;
    }
}
