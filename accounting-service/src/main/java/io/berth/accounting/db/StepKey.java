package io.berth.accounting.db;

/// The name of a step: where the script runs on each node, each numbers its own.
public record StepKey(long job, int lease, String node, int number) {}
