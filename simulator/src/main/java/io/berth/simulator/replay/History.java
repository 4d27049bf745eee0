package io.berth.simulator.replay;

import io.berth.contracts.EndedRun;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobEvent.Ended;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.simulator.run.Outcome;
import io.berth.simulator.run.Outcome.Spell;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;

/// What jobs came and what became of them in a time of a cell's life, as a trace. It has the jobs
/// that were submitted and ended in that time and ran; one that ran more than once has its last
/// run, and those before it that gave way. Its groups are the accounts.
public final class History {

    private final long from;
    private final List<Outcome> outcomes = new ArrayList<>();

    /// @param from epoch milliseconds: the trace's beginning
    public History(long from) {
        this.from = from;
    }

    /// Takes what a round decided.
    public void add(List<Fact> facts) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Announced(Ended ended)
                    && ended.submittedAt() >= from
                    && !ended.runs().isEmpty()
                    && ended.runs().getLast().startedAt() > 0) {
                outcomes.add(outcome(ended, ended.runs().getLast()));
            }
        }
    }

    private Outcome outcome(Ended ended, EndedRun run) {
        JobDescription job = ended.description();
        ResourceRequest request = job.request();
        GpuRequest gpus = request.gpus();
        String type = gpus.type();
        return new Outcome(
                new TraceJob(
                        ended.job().toString(),
                        job.user(),
                        job.account(),
                        ended.submittedAt() - from,
                        spell(run).millis(),
                        job.timeLimitSeconds() * 1000,
                        request.totalGpus(),
                        request.totalGpus() == 0 ? 0 : 1000,
                        type == null ? List.of() : List.of(type),
                        1000 * request.totalCpus(),
                        run.allocations().stream().mapToLong(it -> it.memoryMib()).sum(),
                        request.nodes()),
                spell(run),
                -1,
                false,
                ended.runs().stream()
                        .limit(ended.runs().size() - 1L)
                        .filter(it -> it.ending() == JobState.PREEMPTED)
                        .map(this::spell)
                        .toList());
    }

    private Spell spell(EndedRun run) {
        long still = run.suspendedMillis() == null ? 0 : run.suspendedMillis();
        return new Spell(run.placedAt() - from, run.freedAt() - from, still);
    }

    /// Each job with the start that it had.
    public List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }

    /// The jobs as they came.
    public List<TraceJob> jobs() {
        return outcomes.stream().map(Outcome::job).toList();
    }

    /// The nodes of a cell that may get work.
    public static List<TraceNode> nodes(CellState state) {
        var nodes = new ArrayList<TraceNode>();
        for (NodeStatus node : state.nodes()) {
            if (node.open()) {
                Inventory has = node.seen().inventory();
                nodes.add(
                        new TraceNode(
                                node.node().value(),
                                has.gpus().stream().map(Gpu::type).findFirst().orElse(""),
                                has.gpus().size(),
                                1000 * has.cpus(),
                                has.memoryMib(),
                                ""));
            }
        }
        return nodes;
    }
}
