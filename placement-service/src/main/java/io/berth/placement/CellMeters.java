package io.berth.placement;

import io.berth.contracts.EndedRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.core.engine.PassTally;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// What the leader of a cell tells Prometheus: of the jobs as they pass, and now and then of those
/// that wait and of what is held. No label is a job, a user or a node: their number has no bound.
@Singleton
public class CellMeters {

    private static final long PICTURE_NANOS = Duration.ofSeconds(5).toNanos();

    /// The leader's thread is needed for rounds: a picture is taken again after so many times what
    /// it took.
    private static final long MOST_OF_THREAD = 50;

    private static final Duration[] WAITS = {
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(200),
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofHours(1),
        Duration.ofHours(6),
        Duration.ofDays(1)
    };

    private static final Duration[] ROUNDS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(200),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private final MeterRegistry registry;
    private final AtomicInteger leading = new AtomicInteger();
    private final Timer decisions;
    private final Timer transactions;
    private final PassMeters passes;
    private final MultiGauge queue;
    private final MultiGauge utilization;
    private final MultiGauge jobs;
    private final MultiGauge nodes;
    private final MultiGauge lag;

    /// In seconds; not a number while this instance does not lead.
    private final AtomicReference<Double> machineOffset = new AtomicReference<>(Double.NaN);

    private final AtomicReference<Double> cellOffset = new AtomicReference<>(Double.NaN);
    private long nextPicture;

    public CellMeters(MeterRegistry registry) {
        this.registry = registry;
        registry.gauge("berth.placement.leading", leading);
        String offset = "berth.placement.clock.offset.seconds";
        registry.gauge(offset, Tags.of("clock", "machine"), machineOffset, AtomicReference::get);
        registry.gauge(offset, Tags.of("clock", "cell"), cellOffset, AtomicReference::get);
        this.decisions = timer("berth.placement.decision", ROUNDS, Tags.empty());
        this.transactions = timer("berth.placement.transaction", ROUNDS, Tags.empty());
        this.passes = new PassMeters(registry, ROUNDS);
        this.queue = MultiGauge.builder("training.job.queue.length").register(registry);
        this.utilization =
                MultiGauge.builder("training.cluster.resource.utilization").register(registry);
        this.jobs = MultiGauge.builder("berth.jobs").register(registry);
        this.nodes = MultiGauge.builder("berth.nodes").register(registry);
        this.lag = MultiGauge.builder("berth.placement.unread.records").register(registry);
        this.nextPicture = System.nanoTime();
        for (Faults.Kind kind : Faults.Kind.values()) {
            failures(kind);
        }
    }

    private Counter failures(Faults.Kind of) {
        String kind = of.name().toLowerCase(Locale.ROOT);
        return registry.counter("berth.placement.failed.decisions", "of", kind);
    }

    /// This instance leads from now on, or does not.
    void leading(boolean now) {
        leading.set(now ? 1 : 0);
        nextPicture = System.nanoTime();
        if (!now) {
            machineOffset.set(Double.NaN);
            cellOffset.set(Double.NaN);
            List.of(queue, utilization, jobs, nodes, lag)
                    .forEach(gauge -> gauge.register(List.of(), true));
        }
    }

    /// How far this machine's clock and the cell's time are ahead of the broker's, in milliseconds.
    void clocks(long machine, long cell) {
        machineOffset.set(machine / 1e3);
        cellOffset.set(cell / 1e3);
    }

    /// A round was decided and written, in these times.
    void round(long decidedNanos, long writtenNanos, int deadLetters) {
        decisions.record(Duration.ofNanos(decidedNanos));
        transactions.record(Duration.ofNanos(writtenNanos));
        registry.counter("berth.placement.dead.letters").increment(deadLetters);
    }

    /// A pass over the queue was decided in that time.
    void passed(Pass pass, long nanos, PassTally tally) {
        passes.passed(pass, Duration.ofNanos(nanos), tally);
    }

    /// A decision failed that the cell goes on without.
    void failed(Faults.Kind of) {
        failures(of).increment();
    }

    /// What a written round says of jobs, and orders.
    void facts(List<Fact> facts, CellState state) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Announced(JobEvent.Placed placed)) {
                state.job(placed.job()).ifPresent(job -> placed(placed, job));
            } else if (fact instanceof Fact.Announced(JobEvent.Ended ended)) {
                ended(ended);
            } else if (fact instanceof Fact.Announced(JobEvent.Started started)) {
                state.job(started.job()).ifPresent(job -> started(job.description()));
            } else if (fact instanceof Fact.Announced(JobEvent.Requeued requeued)) {
                requeued(requeued);
            } else if (fact instanceof Fact.Announced(JobEvent.Preempted preempted)) {
                preempted(preempted, state);
            } else if (fact instanceof Fact.Ordered(Order order)) {
                registry.counter("berth.placement.orders", "kind", kind(order)).increment();
            }
        }
    }

    /// The cell as it is now, every few seconds at most, and more seldom where there is much of it.
    ///
    /// @param unread records of each input topic that wait to be read
    void picture(CellState state, Supplier<Map<String, Long>> unread) {
        long begun = System.nanoTime();
        if (begun - nextPicture < 0) {
            return;
        }
        var waiting = new HashMap<List<String>, Long>();
        var byState = new HashMap<List<String>, Long>();
        for (JobStatus job : state.jobs()) {
            count(byState, List.of(job.state().name()));
        }
        state.pending()
                .forEach(id -> {
                    JobDescription job = state.knownJob(id).description();
                    count(waiting, List.of(job.partition(), job.qos()));
                });
        publish(queue, List.of("queue", "priority"), waiting);
        publish(jobs, List.of("state"), byState);
        var byPresence = new HashMap<List<String>, Long>();
        for (NodeStatus node : state.nodes()) {
            count(byPresence, List.of(node.presence().name()));
        }
        publish(nodes, List.of("presence"), byPresence);
        publish(utilization, List.of("resource_type", "queue"), Utilization.of(state));
        var lags = new HashMap<List<String>, Long>();
        unread.get().forEach((topic, records) -> lags.put(List.of(topic), records));
        publish(lag, List.of("topic"), lags);
        long done = System.nanoTime();
        nextPicture = done + Math.max(PICTURE_NANOS, MOST_OF_THREAD * (done - begun));
    }

    private void placed(JobEvent.Placed placed, JobStatus job) {
        if (placed.lease() == 1) {
            scheduling(job.description(), "placed", placed.at() - job.submittedAt());
        }
    }

    private void ended(JobEvent.Ended ended) {
        String status = ended.state().name().toLowerCase(Locale.ROOT);
        long millis = ended.at() - ended.submittedAt();
        if (ended.runs().isEmpty()) {
            scheduling(ended.description(), status, millis);
        }
        if (ended.description().request().nodes() > 1) {
            endedUnstarted(ended);
        }
        timer("training.job.completion", WAITS, tags(ended.description(), "status", status))
                .record(Duration.ofMillis(millis));
    }

    private void started(JobDescription job) {
        if (job.request().nodes() > 1) {
            gang("started", false);
        }
    }

    /// A gang that never began was not ready: in time, if nothing else cut it short.
    private void requeued(JobEvent.Requeued event) {
        EndedRun run = event.run();
        if (run.allocations().size() > 1 && run.startedAt() == 0) {
            boolean late = event.at() - run.placedAt() >= Engine.READY_MILLIS;
            gang("not_ready", late && run.ending() == null);
        }
    }

    /// A gang that has never begun, or waited again when its end came.
    private void endedUnstarted(JobEvent.Ended event) {
        boolean late = event.state() == JobState.DEADLINE;
        EndedRun last = event.runs().isEmpty() ? null : event.runs().getLast();
        if (last == null || last.outcome() == JobState.PENDING) {
            gang("not_placed", late);
        } else if (last.startedAt() == 0) {
            gang("not_ready", late);
        }
    }

    private void gang(String result, boolean timeout) {
        registry.counter(
                        "training.gang.results",
                        "result",
                        result,
                        "timeout",
                        Boolean.toString(timeout))
                .increment();
    }

    private void preempted(JobEvent.Preempted event, CellState state) {
        registry.counter(
                        "training.job.preemptions",
                        "preemptor_queue",
                        queue(state, event.preemptor()),
                        "victim_queue",
                        queue(state, event.job()),
                        "reason",
                        event.reason().code())
                .increment();
    }

    private static String queue(CellState state, JobId job) {
        return state.job(job).map(it -> it.description().partition()).orElse("");
    }

    private void scheduling(JobDescription job, String result, long millis) {
        timer("training.job.scheduling.duration", WAITS, tags(job, "result", result))
                .record(Duration.ofMillis(millis));
    }

    private static String kind(Order order) {
        return order.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static Tags tags(JobDescription job, String outcome, String value) {
        return Tags.of("queue", job.partition(), "job_type", type(job.request()), outcome, value);
    }

    /// What kind of job it is, by what it asks for.
    static String type(ResourceRequest request) {
        if (request.nodes() > 1) {
            return "multi_node";
        }
        return switch (request.totalGpus()) {
            case 0 -> "cpu";
            case 1 -> "single_gpu";
            default -> "multi_gpu";
        };
    }

    private Timer timer(String name, Duration[] buckets, Tags tags) {
        return Timer.builder(name).serviceLevelObjectives(buckets).tags(tags).register(registry);
    }

    private static void count(Map<List<String>, Long> counts, List<String> key) {
        counts.merge(key, 1L, Long::sum);
    }

    private static void publish(
            MultiGauge gauge, List<String> names, Map<List<String>, ? extends Number> values) {
        var rows = new ArrayList<MultiGauge.Row<?>>();
        values.forEach((labels, value) -> {
            Tags tags = Tags.empty();
            for (int i = 0; i < names.size(); i++) {
                tags = tags.and(names.get(i), labels.get(i));
            }
            rows.add(MultiGauge.Row.of(tags, value));
        });
        gauge.register(rows, true);
    }
}
