package io.berth.placement.kafka;

import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.core.replay.Recordings;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.log.LogClients;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes a cell's whole state now and then, beside the rounds and not in their transactions: so
/// that rounds can be done again without doing again all that were before. One that is not written
/// to its end is none.
public final class Snapshots implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final LogClients clients;
    private final CellLog log;
    private final long intervalNanos;
    private @Nullable Thread writing;
    private long lastNanos;

    /// @param interval between two; zero is never
    public Snapshots(LogClients clients, CellLog log, Duration interval) {
        this.clients = clients;
        this.log = log;
        this.intervalNanos = interval.toNanos();
    }

    /// Takes one after that round, if it is time for it; always after the first round.
    ///
    /// @param state as the round left it
    public void after(CellStatus round, CellState state) {
        boolean first = writing == null;
        if (intervalNanos == 0
                || (!first && System.nanoTime() - lastNanos < intervalNanos)
                || (writing != null && writing.isAlive())) {
            return;
        }
        lastNanos = System.nanoTime();
        List<Fact> facts = state.facts();
        writing = Thread.ofVirtual().name("snapshot").start(() -> write(round, facts));
    }

    private void write(CellStatus round, List<Fact> facts) {
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            var failure = new AtomicReference<@Nullable Exception>();
            int parts = 0;
            for (Fact fact : facts) {
                for (Recorded part : Recordings.of(fact)) {
                    var held = new SnapshotEvent.Held(log.cell(), round.round(), parts++, part);
                    send(producer, held, failure);
                }
            }
            producer.flush();
            if (failure.get() == null) {
                var complete =
                        new SnapshotEvent.Complete(
                                log.cell(),
                                round.round(),
                                round.cellTime(),
                                parts,
                                round.highestJob());
                send(producer, complete, failure);
                producer.flush();
            }
            Exception failed = failure.get();
            if (failed != null) {
                throw failed;
            }
            LOG.atInfo()
                    .addKeyValue("cell", log.cell())
                    .addKeyValue("round", round.round())
                    .addKeyValue("parts", parts)
                    .log("Snapshot");
        } catch (Exception e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("cell", log.cell())
                    .addKeyValue("round", round.round())
                    .log("No snapshot");
        }
    }

    private void send(
            Producer<byte[], byte[]> producer,
            SnapshotEvent event,
            AtomicReference<@Nullable Exception> failure) {
        String id = event.cell() + "-" + event.round() + "-" + event.getClass().getSimpleName();
        var record = CellLog.SNAPSHOTS.record(log.cell(), event, id);
        var unused =
                producer.send(
                        record,
                        (_, e) -> {
                            if (e != null) {
                                failure.set(e);
                            }
                        });
    }

    /// One that is being written is broken off.
    @Override
    public void close() {
        if (writing != null) {
            writing.interrupt();
        }
    }
}
