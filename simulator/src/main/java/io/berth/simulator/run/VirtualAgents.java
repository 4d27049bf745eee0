package io.berth.simulator.run;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/// The agents of a virtual cell. They do at once what they are told; a run ends when it has run for
/// as long as the trace says, and one that has notice uses it to the last.
final class VirtualAgents {

    private static final long NEVER = Long.MAX_VALUE;
    private static final ExitStatus TERMINATED = new ExitStatus(0, 15);

    /// A run on its nodes.
    private static final class Task {

        private final RunId run;
        private final List<NodeName> nodes;

        /// Milliseconds that it has yet to run, as of `since`.
        private long left;

        /// Since when it runs; [#NEVER] if it has not begun, or stands still.
        private long since = NEVER;

        private long killAt = NEVER;

        /// Grows with each change: ends that were expected before are void.
        private int version;

        Task(RunId run, List<NodeName> nodes, long left) {
            this.run = run;
            this.nodes = nodes;
            this.left = left;
        }

        boolean runs() {
            return since != NEVER;
        }

        long end() {
            return Math.min(killAt, runs() ? since + left : NEVER);
        }
    }

    private record Turn(long time, RunId run, int version) {}

    private final ToLongFunction<RunId> durations;
    private final Map<RunId, Task> tasks = new HashMap<>();
    private final Map<NodeName, Order> last = new HashMap<>();
    private final PriorityQueue<Turn> turns =
            new PriorityQueue<>(Comparator.comparingLong(Turn::time).thenComparing(Turn::run));

    /// @param durations how long each run takes, in milliseconds
    VirtualAgents(ToLongFunction<RunId> durations) {
        this.durations = durations;
    }

    /// When the next run ends; [Long#MAX_VALUE] if none will.
    long next() {
        Turn next = turns.peek();
        while (next != null && isVoid(next)) {
            turns.remove();
            next = turns.peek();
        }
        return next == null ? NEVER : next.time;
    }

    private boolean isVoid(Turn turn) {
        Task task = tasks.get(turn.run);
        return task == null || task.version != turn.version;
    }

    /// What the agents report of runs that end by then.
    List<RunReport> ended(long now) {
        var reports = new ArrayList<RunReport>();
        while (next() <= now) {
            Task task = Objects.requireNonNull(tasks.remove(turns.remove().run));
            boolean done = task.runs() && task.since + task.left <= now;
            for (NodeName node : task.nodes) {
                reports.add(
                        new RunReport.Ended(
                                task.run,
                                node,
                                epoch(node),
                                applied(node),
                                done ? Cause.EXITED : Cause.STOPPED,
                                done ? ExitStatus.SUCCESS : TERMINATED,
                                Consumption.NONE,
                                null));
            }
        }
        return reports;
    }

    /// What an agent reports of an order that it has obeyed.
    List<RunReport> obey(Order order, long now) {
        last.put(order.node(), order);
        return switch (order) {
            case Order.Launch launch -> launch(launch, now);
            case Order.Go go -> begin(go.run(), go.node(), now);
            case Order.Stop stop -> {
                stop(stop, now);
                yield List.of();
            }
            case Order.Suspend suspend -> suspend(suspend, now);
            case Order.Resume resume -> {
                go(resume.run(), now);
                yield List.of();
            }
            case Order.Signal _, Order.Limit _, Order.Partition _, Order.Sync _, Order.Refused _ ->
                    List.of();
        };
    }

    private List<RunReport> launch(Order.Launch launch, long now) {
        RunId run = launch.run();
        tasks.computeIfAbsent(
                run,
                it -> {
                    List<NodeName> nodes =
                            launch.allocations().stream().map(on -> on.node()).toList();
                    return new Task(it, nodes, durations.applyAsLong(it));
                });
        return launch.awaitGo()
                ? List.of(new RunReport.Ready(run, launch.node(), launch.epoch(), launch.number()))
                : begin(run, launch.node(), now);
    }

    private List<RunReport> begin(RunId run, NodeName node, long now) {
        go(run, now);
        return List.of(new RunReport.Started(run, node, epoch(node), applied(node), List.of()));
    }

    private void go(RunId run, long now) {
        Task task = tasks.get(run);
        if (task != null && !task.runs()) {
            task.since = now;
            expect(task, now);
        }
    }

    private void stop(Order.Stop order, long now) {
        Task task = tasks.get(order.run());
        if (task != null) {
            boolean notice = Boolean.TRUE.equals(order.notice());
            task.killAt = notice ? now + 1000 * order.graceSeconds() : now;
            expect(task, now);
        }
    }

    private List<RunReport> suspend(Order.Suspend order, long now) {
        Task task = tasks.get(order.run());
        if (task == null) {
            return List.of();
        }
        if (task.runs()) {
            task.left -= now - task.since;
            task.since = NEVER;
            expect(task, now);
        }
        return List.of(
                new RunReport.Suspended(
                        order.run(), order.node(), order.epoch(), order.number(), order.nth()));
    }

    private void expect(Task task, long now) {
        task.version++;
        if (task.end() != NEVER) {
            turns.add(new Turn(Math.max(now, task.end()), task.run, task.version));
        }
    }

    private long epoch(NodeName node) {
        Order order = last.get(node);
        return order == null ? 1 : order.epoch();
    }

    private long applied(NodeName node) {
        Order order = last.get(node);
        return order == null ? 0 : order.number();
    }
}
