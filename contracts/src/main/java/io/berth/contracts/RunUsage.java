package io.berth.contracts;

/// What the processes of a run have used on one node up to a moment.
public record RunUsage(RunId run, Consumption used) {}
