package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.accounting.db.Ledger;
import io.berth.contracts.EndedRun;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A database with the books, and the instances that keep them: each reads from where the books
/// stand, and enters what it has read with the new position, if they still stand there.
final class SimulatedBooks {

    private final SimulatedLog log;
    private final TreeMap<RunId, EndedRun> runs = new TreeMap<>();

    /// What the service's own code makes of the events; null where the books are a model alone.
    private final @Nullable Ledger ledger;

    private long position;

    /// What an instance has read and not entered yet.
    record Batch(long from, long to, List<Message> events) {}

    SimulatedBooks(SimulatedLog log, @Nullable Ledger ledger) {
        this.log = log;
        this.ledger = ledger;
    }

    Batch read() {
        long end = log.end(SimulatedPlacement.JOBS);
        return new Batch(position, end, log.read(SimulatedPlacement.JOBS, position));
    }

    /// Enters it, unless another instance was first.
    void enter(Batch batch) {
        if (batch.from() != position) {
            return;
        }
        for (Message message : batch.events()) {
            if (message.value() instanceof JobEvent.Ended ended) {
                for (EndedRun run : ended.runs()) {
                    var id = new RunId(ended.job(), run.lease());
                    assertThat(runs.put(id, run)).as("run %s is charged once", id).isNull();
                }
            }
        }
        if (ledger != null) {
            ledger.enter(
                    batch.events().stream()
                            .map(Message::value)
                            .filter(JobEvent.class::isInstance)
                            .map(JobEvent.class::cast)
                            .toList());
        }
        position = batch.to();
    }

    /// That they have every run of these jobs, as their ends tell it.
    void assertBalance(Iterable<JobEvent.Ended> jobs) {
        var told = new TreeMap<RunId, EndedRun>();
        for (JobEvent.Ended job : jobs) {
            job.runs().forEach(run -> told.put(new RunId(job.job(), run.lease()), run));
        }
        assertThat(new ArrayList<>(runs.values())).isEqualTo(new ArrayList<>(told.values()));
        if (ledger != null) {
            ledger.assertBalance(jobs, told);
        }
    }
}
