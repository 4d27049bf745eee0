package io.berth.contracts;

/// Where a job's specification stands in the `specs` topic, and the SHA-256 (lower-case hex) that
/// its bytes must have.
public record SpecReference(int partition, long offset, String sha256) {}
