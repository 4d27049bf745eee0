package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.EndedRun;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// A database with the books, and the instances that keep them: each reads from where the books
/// stand, and enters what it has read with the new position, if they still stand there.
final class SimulatedBooks {

    private final SimulatedLog log;
    private final TreeMap<RunId, EndedRun> runs = new TreeMap<>();
    private long position;

    /// What an instance has read and not entered yet.
    record Batch(long from, long to, List<Message> events) {}

    SimulatedBooks(SimulatedLog log) {
        this.log = log;
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
        position = batch.to();
    }

    /// That they have every run of these jobs, as their ends tell it.
    void assertBalance(Iterable<JobEvent.Ended> jobs) {
        var told = new TreeMap<RunId, EndedRun>();
        for (JobEvent.Ended job : jobs) {
            job.runs().forEach(run -> told.put(new RunId(job.job(), run.lease()), run));
        }
        assertThat(new ArrayList<>(runs.values())).isEqualTo(new ArrayList<>(told.values()));
    }
}
