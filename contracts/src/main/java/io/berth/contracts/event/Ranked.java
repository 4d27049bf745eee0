package io.berth.contracts.event;

import io.berth.contracts.JobId;
import io.berth.contracts.Rank;

/// A job's own part of its priority, published again only when one of its own factors changes.
public record Ranked(JobId job, Rank rank) {}
