package io.berth.client;

import io.berth.contracts.event.JobEvent;

/// An event of a job.
///
/// @param id its place in the log, after which a follower can go on
public record Event(String id, JobEvent what) {}
