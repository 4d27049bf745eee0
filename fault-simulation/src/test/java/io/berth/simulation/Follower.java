package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;

/// A reader of the state topics, as the gateway is: of each round it sees only what became of each
/// job and node, one after the other.
final class Follower {

    private final CellState state = new CellState();

    void read(List<Fact> round) {
        var latest = new LinkedHashMap<Object, Fact>();
        for (Fact fact : round) {
            Object key =
                    switch (fact) {
                        case Fact.JobChanged(var status) -> status.job();
                        case Fact.JobForgotten(var job) -> job;
                        case Fact.NodeChanged(var status) -> status.node();
                        case Fact.RankKept _,
                                Fact.ConfigurationTaken _,
                                Fact.FairSharesTaken _,
                                Fact.Ordered _,
                                Fact.Announced _ ->
                                null;
                    };
            if (key != null) {
                latest.remove(key);
                latest.put(key, fact);
            }
        }
        latest.values().forEach(state::replay);
    }

    /// That it knows these jobs, as they are, and that nothing is held twice then.
    void assertKnows(Collection<JobStatus> jobs) {
        assertThat(state.heldTwice()).isEmpty();
        assertThat(List.copyOf(state.jobs())).isEqualTo(List.copyOf(jobs));
    }
}
