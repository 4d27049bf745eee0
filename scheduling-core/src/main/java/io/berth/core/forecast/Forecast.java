package io.berth.core.forecast;

import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.Allocation;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.priority.ClusterSize;
import io.berth.core.priority.Multifactor;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/// A cell as it would go on from now if nothing came in but what this is told: every run lasts as
/// long as its limit allows and succeeds, nodes stay as they are, nobody submits.
///
/// *Method*: the cell's own decisions ([Engine], [Placement]) on a copy of its state. A job that
/// the plan reaches is told its expected start at once. For others time is moved on, from one end
/// of a run to the next, for at most [#MOMENTS] moments. A GPU that is divided anew is so at once.
///
/// *Example*: a node's 8 GPUs are held until 12:00. A job of 8 GPUs that is submitted now would
/// start at 12:00; with one such node more, at once.
///
/// It is no promise: jobs of higher priority may come in, and most runs end before their limit.
public final class Forecast {

    /// How many moments are looked at before a start is said not to be foreseen.
    static final int MOMENTS = 2_000;

    private static final SpecReference NO_SPEC = new SpecReference(0, 0, "");

    private record End(long at, RunId run) {
        static final Comparator<End> ORDER =
                Comparator.comparingLong(End::at).thenComparing(End::run);
    }

    private final CellState state;
    private final Placement placement;
    private final TreeSet<End> ends = new TreeSet<>(End.ORDER);
    private long now;

    /// @param state is copied, and stays as it is
    public Forecast(CellState state, Settings settings, long now) {
        this.state = state.copy();
        this.placement = new Placement(this.state, settings);
        this.now = now;
        for (JobId holding : List.copyOf(this.state.holding())) {
            follow(this.state.knownJob(holding));
        }
    }

    /// What if this came in now?
    public void take(Input input) {
        replay(Engine.decide(state, input, now));
    }

    /// What if there were so many nodes more that are like that one, idle and in its partitions?
    ///
    /// @throws IllegalArgumentException if there is no such node
    public void add(NodeName like, int count) {
        NodeSeen model =
                state.node(like)
                        .orElseThrow(() -> new IllegalArgumentException("no node " + like))
                        .seen();
        for (int number = 1; number <= count; number++) {
            String suffix = "-more" + number;
            var name = new NodeName(like.value() + suffix);
            state.configuration()
                    .ifPresent(it -> take(new Input.Configured(MoreNodes.with(it, like, name))));
            take(new Input.Registered(MoreNodes.another(model, name, suffix)));
        }
    }

    /// What if such a job were submitted now? It has the priority that it would be given.
    public JobId submit(JobDescription description) {
        var job = new JobId(state.highestJob() + 1);
        take(
                new Input.Asked(
                        new Submitted(job, description, description.user(), NO_SPEC, null),
                        Long.MAX_VALUE));
        state.configuration()
                .ifPresent(configuration ->
                        take(
                                new Input.RankingRead(
                                        new Ranked(
                                                job,
                                                Multifactor.rank(
                                                        description, configuration, size(), 1)))));
        return job;
    }

    private ClusterSize size() {
        ClusterSize size = ClusterSize.UNKNOWN;
        for (NodeStatus node : state.nodes()) {
            size = size.plus(ClusterSize.of(node.seen().inventory()));
        }
        return size;
    }

    /// Whether there is such a job.
    public boolean knows(JobId job) {
        return state.job(job).isPresent();
    }

    /// When the job starts. Time is moved on as far as that takes.
    public Start start(JobId job) {
        place(Pass.PLAN);
        for (int moment = 0; moment < MOMENTS && !told(job); moment++) {
            long next = next();
            if (next == Long.MAX_VALUE) {
                break;
            }
            goOn(next);
        }
        return start(state.knownJob(job));
    }

    /// Whether no more can be said of the job.
    private boolean told(JobId id) {
        JobStatus job = state.knownJob(id);
        return job.run() != null || job.planned() != null || job.state().terminal();
    }

    private static Start start(JobStatus job) {
        JobDescription description = job.description();
        int cpus = description.request().totalCpus();
        Planned planned = job.planned();
        if (job.run() != null) {
            Run run = job.run();
            List<NodeName> nodes = run.allocations().stream().map(Allocation::node).toList();
            int held = run.allocations().stream().mapToInt(it -> it.cpus().size()).sum();
            return new Start(
                    job.job(), description.partition(), run.placedAt(), nodes, held, Reason.NONE);
        }
        return planned == null
                ? new Start(
                        job.job(),
                        String.join(",", description.partitions()),
                        null,
                        List.of(),
                        cpus,
                        job.reason())
                : new Start(
                        job.job(),
                        requireNonNullElse(planned.partition(), description.partition()),
                        planned.start(),
                        planned.nodes(),
                        cpus,
                        job.reason());
    }

    private long next() {
        long next = Math.min(Engine.nextDue(state, now), placement.next(now));
        return ends.isEmpty() ? next : Math.min(next, ends.first().at());
    }

    private void goOn(long next) {
        now = Math.max(now + 1, next);
        while (!ends.isEmpty() && ends.first().at() <= now) {
            end(ends.removeFirst().run());
        }
        replay(Engine.due(state, now));
        place(placement.stale() ? Pass.PLAN : Pass.START);
    }

    private void place(Pass pass) {
        replay(Engine.place(state, placement, now, pass));
        if (state.configuration().map(it -> it.cluster().migGpus()).isEmpty()) {
            return;
        }
        List<NodeStatus> divided =
                state.nodes().stream()
                        .filter(it ->
                                it.divisions().stream()
                                        .anyMatch(division -> division.expected(now)))
                        .toList();
        if (!divided.isEmpty()) {
            divided.forEach(node -> take(new Input.Registered(NodeDivided.seen(state, node))));
            replay(Engine.place(state, placement, now, Pass.START));
        }
    }

    private void replay(List<Fact> facts) {
        for (Fact fact : facts) {
            state.replay(fact);
            placement.note(fact);
        }
        for (Fact fact : facts) {
            if (fact instanceof Fact.JobChanged(JobStatus job) && job.run() != null) {
                follow(state.knownJob(job.job()));
            }
        }
    }

    /// Lets a run begin that has not, and notes when it will end.
    private void follow(JobStatus job) {
        Run run = job.run();
        if (run == null) {
            return;
        }
        var id = new RunId(job.job(), run.lease());
        if (run.startedAt() == 0 && run.outcome() == null) {
            for (Part part : run.parts()) {
                NodeName node = part.allocation().node();
                take(new Input.Reported(new RunReport.Started(id, node, 0, 0, List.of())));
            }
        } else if (end(job, run) < Long.MAX_VALUE) {
            ends.add(new End(Math.max(now + 1, end(job, run)), id));
        }
    }

    /// When a run that has begun is over; `Long.MAX_VALUE` for never.
    private static long end(JobStatus job, Run run) {
        long limit = job.description().timeLimitSeconds();
        return run.outcome() != null
                ? run.placedAt()
                : limit == 0 ? Long.MAX_VALUE : run.startedAt() + limit * 1000;
    }

    /// All parts of a run end well, that of its script first.
    private void end(RunId run) {
        JobStatus job = state.job(run.job()).orElse(null);
        Run current = job == null ? null : job.run();
        if (job == null || current == null || current.lease() != run.lease()) {
            return;
        }
        if (end(job, current) > now) {
            return;
        }
        for (Part part : current.parts()) {
            take(
                    new Input.Reported(
                            new RunReport.Ended(
                                    run,
                                    part.allocation().node(),
                                    0,
                                    0,
                                    Cause.EXITED,
                                    ExitStatus.SUCCESS,
                                    Consumption.NONE,
                                    null)));
        }
    }
}
