package io.berth.core.state;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;

/// What comes in to a cell, one at a time, in the order of the round.
public sealed interface Input {

    /// @param offset in the log: the order of submission
    record Asked(Submission submission, long offset) implements Input {}

    record RankingRead(Ranked ranked) implements Input {}

    record Reported(RunReport report) implements Input {}

    record Registered(NodeSeen seen) implements Input {}

    /// What an operator asks of a node.
    record NodeAsked(NodeRequest request) implements Input {}

    /// Who starts could not be decided because of this job.
    record PlacingFailed(JobId job, String why) implements Input {}

    /// What the heartbeats say of a node.
    record PresenceChanged(NodeName node, Presence presence) implements Input {}

    record Configured(Configuration configuration) implements Input {}

    record SharesRead(FairShares fairShares) implements Input {}
}
