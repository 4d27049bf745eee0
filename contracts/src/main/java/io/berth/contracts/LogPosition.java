package io.berth.contracts;

/// A place in one partition of a topic: `offset` is that of the next record to read.
public record LogPosition(String topic, String topicId, int partition, long offset) {}
