package io.berth.accounting.db;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.event.JobEvent;
import java.util.List;

/// Records of one topic that are entered at once.
///
/// @param deadLetters those that could not be read
/// @param advances how far the records bring each of their partitions
public record Batch(List<JobEvent> events, List<DeadLetter> deadLetters, List<Advance> advances) {

    /// The way through one partition that a batch makes: from the next record in the books to the
    /// one after the batch.
    public record Advance(String topic, String topicId, int partition, long from, long to) {}

    public Batch {
        events = List.copyOf(events);
        deadLetters = List.copyOf(deadLetters);
        advances = List.copyOf(advances);
    }

    public boolean isEmpty() {
        return advances.stream().allMatch(it -> it.from() == it.to());
    }
}
