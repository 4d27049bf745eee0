package io.berth.submit.kafka;

import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;

/// Waits for the log to acknowledge a record.
final class Acknowledgement {
    private Acknowledgement() {}

    /// @throws Unavailable if it does not in time, or names no offset: whether the record was
    ///   written is not known
    static RecordMetadata of(Future<RecordMetadata> write, Deadline due) {
        RecordMetadata written =
                due.get(write, "the log did not acknowledge in time: outcome unknown");
        if (!written.hasOffset()) {
            throw new Unavailable("the log acknowledged without an offset: outcome unknown");
        }
        return written;
    }
}
