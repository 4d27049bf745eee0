package io.berth.accounting.db;

/// The name of a run.
public record RunKey(long job, int lease) {}
