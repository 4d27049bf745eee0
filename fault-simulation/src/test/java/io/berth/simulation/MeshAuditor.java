package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.EndedRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.LogPosition;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Holding;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/// A reader who believes only what is committed, and holds the invariants against it, round by
/// round.
final class MeshAuditor {

    private final CellState state = new CellState();
    private final TreeMap<JobId, Integer> leases = new TreeMap<>();
    private final TreeMap<JobId, String> owners = new TreeMap<>();
    private final TreeMap<JobId, JobEvent.Ended> ended = new TreeMap<>();
    private CellStatus cell = SimulatedPlacement.CELL_BEFORE;

    /// As it was committed last.
    CellState state() {
        return state;
    }

    /// How far the last round had read that topic.
    long position(String topic) {
        return cell.inputs().stream()
                .filter(it -> it.topic().equals(topic))
                .mapToLong(LogPosition::offset)
                .findFirst()
                .orElse(0);
    }

    Collection<JobEvent.Ended> ended() {
        return ended.values();
    }

    /// A run's code runs.
    ///
    /// @param prepared whether that node has ever had its part of that run
    void started(RunId run, BiPredicate<RunId, NodeName> prepared) {
        SetLaws.checkStarted(job -> state.job(job).orElse(null), prepared, run);
    }

    boolean hasEnded(JobId job) {
        return ended.containsKey(job);
    }

    Collection<JobId> queued() {
        return owners.keySet();
    }

    /// @param now the time that is right
    void read(List<Message> committed, long now) {
        for (Message message : committed) {
            if (message.value() instanceof JobEvent event) {
                read(event);
            } else if (message.value() instanceof CellStatus next) {
                read(next, now);
            } else {
                checkRank(message);
                SimulatedPlacement.replay(message, state);
            }
        }
        assertThat(state.heldTwice()).isEmpty();
        SetLaws.check(state);
        for (NodeStatus node : state.nodes()) {
            Inventory inventory = node.seen().inventory();
            Holding holding = state.holdingOn(node.node());
            assertThat(holding.cpus()).isLessThanOrEqualTo(inventory.cpus());
            assertThat(holding.gpus()).isLessThanOrEqualTo(inventory.gpus().size());
            assertThat(holding.memoryMib()).isLessThanOrEqualTo(inventory.memoryMib());
        }
    }

    /// Rounds follow one another, and so do their times, whatever the clocks of their leaders show.
    private void read(CellStatus next, long now) {
        assertThat(next.round()).as("the round after %s", cell).isEqualTo(cell.round() + 1);
        assertThat(next.cellTime())
                .as("the time after %s", cell)
                .isBetween(cell.cellTime(), now + SimulatedPlacement.MOST_SKEW_MILLIS);
        cell = next;
    }

    /// A writer that stood still does not undo what its successor said.
    private void checkRank(Message message) {
        if (message.value() instanceof JobStatus next) {
            long before = state.job(next.job()).map(it -> it.rank().version()).orElse(0L);
            assertThat(next.rank().version())
                    .as("version of the rank of job %s", next.job())
                    .isGreaterThanOrEqualTo(before);
        }
    }

    private void read(JobEvent event) {
        JobId job = event.job();
        assertThat(ended).as("after the end of job %s: %s", job, event).doesNotContainKey(job);
        switch (event) {
            case JobEvent.Queued it ->
                    assertThat(owners.put(job, it.description().user()))
                            .as("job %s is queued once", job)
                            .isNull();
            case JobEvent.Placed it ->
                    assertThat(it.lease())
                            .as("lease of job %s", job)
                            .isEqualTo(leases.merge(job, 1, Integer::sum));
            case JobEvent.Ended it -> {
                ended.put(job, it);
                assertThat(it.runs())
                        .extracting(EndedRun::lease)
                        .hasSize(leases.getOrDefault(job, 0))
                        .isSorted()
                        .doesNotHaveDuplicates();
            }
            default -> assertThat(owners).containsKey(job);
        }
    }

    /// That one who reads only now, of a log that was compacted meanwhile, knows the same.
    void assertKnownTo(CellState late) {
        assertThat(List.copyOf(late.jobs())).isEqualTo(List.copyOf(state.jobs()));
        assertThat(List.copyOf(late.nodes())).isEqualTo(List.copyOf(state.nodes()));
    }
}
