package io.berth.core.state;

import io.berth.contracts.JobId;
import io.berth.contracts.Rank;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;

/// What a decision says: a change of state to be replayed, or a word to the world.
public sealed interface Fact {

    /// A job is new or has changed; its whole status from now on.
    record JobChanged(JobStatus status) implements Fact {}

    /// A job that ended long ago is dropped.
    record JobForgotten(JobId job) implements Fact {}

    /// A node is new or has changed.
    record NodeChanged(NodeStatus status) implements Fact {}

    /// A ranking came before its job.
    record RankKept(JobId job, Rank rank) implements Fact {}

    /// Another configuration is in force.
    record ConfigurationTaken(Configuration configuration) implements Fact {}

    /// Other fair shares are in force.
    record FairSharesTaken(FairShares fairShares) implements Fact {}

    /// An order to a node. It changes no state by itself.
    record Ordered(Order order) implements Fact {}

    /// A public event. It changes no state by itself.
    record Announced(JobEvent event) implements Fact {}
}
