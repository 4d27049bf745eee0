package io.berth.submit;

import io.berth.contracts.Allocation;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.Idempotency;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.event.Trigger;
import io.berth.contracts.topic.Topics;
import io.berth.core.forecast.Forecast;
import io.berth.core.placement.QueueStatus;
import io.berth.core.placement.Verdict;
import io.berth.submit.Node.Beat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The cluster as the log tells it: one thread replays records into it, many read it.
///
/// A job shows from its Submitted on, before placement has seen it. Placement's record replaces
/// that, and its tombstone removes the job. A Submitted that placement is past and of which it
/// keeps no record is over and forgotten, or void; it does not show.
public final class Picture {
    /// By how much what was read of jobs must be past the round that left no record of a Submitted:
    /// the records of one round are read one after the other, however far apart.
    private static final long SETTLED_MILLIS = 10_000;

    /// GPUs of jobs whose use is remembered: at most about 200 MiB.
    private static final int MAX_CURVES = 20_000;

    private final NavigableMap<Integer, Cell> cells = new ConcurrentSkipListMap<>();
    private final JobTable jobs = new JobTable();
    private final NavigableMap<JobId, Job> holding = new ConcurrentSkipListMap<>();
    private final NavigableMap<NodeName, NodeStatus> nodes = new ConcurrentSkipListMap<>();
    private final Map<NodeName, Beat> beats = new ConcurrentHashMap<>();
    private final Telemetry telemetry = new Telemetry(MAX_CURVES);
    private final Triggers triggers = new Triggers();
    private final JobFold fold = new JobFold();
    private final Mirror mirror = new Mirror();
    private final ConfigurationAssembler assembler = new ConfigurationAssembler();
    private volatile @Nullable Configuration configuration;
    private volatile Shares shares = Shares.NONE;
    private volatile long highestJob;
    private volatile boolean whole = true;

    /// What is remembered of the submissions of one cell.
    private static final class Cell {
        final Idempotency idempotency = new Idempotency();

        /// By the offsets of their submissions.
        final NavigableMap<Long, List<Job>> unseen = new TreeMap<>();

        /// Those that placement is past and of which no record is read yet, by when it said so.
        final NavigableMap<Long, List<Job>> passed = new TreeMap<>();

        /// Below which placement was past when the reading began: of what stands there, records
        /// show.
        long begunBelow;

        volatile long seenBelow;

        /// When placement said so, in epoch milliseconds.
        long seenAt;
    }

    /// Takes the cells' positions from which on submissions are news.
    ///
    /// @param cellStatuses read to the end before any other record
    public Picture(Collection<CellStatus> cellStatuses) {
        for (CellStatus status : cellStatuses) {
            Cell cell = cell(status.cell());
            cell.begunBelow = seenBelow(status);
            cell.seenBelow = cell.begunBelow;
            noticeJob(status.highestJob());
        }
    }

    private Cell cell(int number) {
        return cells.computeIfAbsent(number, _ -> new Cell());
    }

    private static long seenBelow(CellStatus status) {
        return status.inputs().stream()
                .filter(input -> input.topic().equals(Topics.SUBMISSIONS.name()))
                .filter(input -> input.partition() == status.cell())
                .mapToLong(input -> input.offset())
                .findFirst()
                .orElse(0);
    }

    /// There is a job of which the state could not be read.
    public void lacksJobs() {
        whole = false;
    }

    /// Whether a job that is not here is none.
    public boolean whole() {
        return whole;
    }

    /// How many jobs wait or run.
    public long unendedJobs() {
        return jobs.unended();
    }

    private void noticeJob(long id) {
        highestJob = Math.max(highestJob, id);
    }

    /// A Submitted, appended to that cell's partition at that time.
    public void submitted(Submitted submitted, int cellNumber, long offset, long appendedAt) {
        Cell cell = cell(cellNumber);
        noticeJob(submitted.job().value());
        synchronized (cell) {
            if (cell.idempotency.read(submitted, appendedAt).isPresent()) {
                return;
            }
        }
        if (offset < cell.begunBelow) {
            return;
        }
        var shown = new ArrayList<Job>();
        for (Submitted one : submitted.jobs()) {
            var job = JobFold.submitted(one, cellNumber, offset, appendedAt);
            noticeJob(job.id().value());
            if (jobs.putIfAbsent(job)) {
                shown.add(job);
            }
        }
        if (shown.isEmpty()) {
            return;
        }
        if (offset >= cell.seenBelow) {
            cell.unseen.put(offset, shown);
        } else {
            cell.passed.computeIfAbsent(cell.seenAt, _ -> new ArrayList<>()).addAll(shown);
        }
    }

    public void jobStatus(JobStatus status, int cellNumber) {
        var job = fold.job(status, cellNumber);
        noticeJob(job.id().value());
        cell(cellNumber).unseen.remove(job.submission());
        jobs.put(job);
        mirror.job(status);
        if (job.held().isEmpty()) {
            holding.remove(job.id());
        } else {
            holding.put(job.id(), job);
        }
    }

    /// All that placement says of a cell's jobs was read, up to what was appended at that time.
    /// Less would not do: a record may have given way to a later one of the same job.
    public void jobsRead(int cellNumber, long appendedAt) {
        var settled = cell(cellNumber).passed.headMap(appendedAt - SETTLED_MILLIS);
        settled.values().forEach(them -> them.forEach(jobs::remove));
        settled.clear();
    }

    /// Placement has forgotten the job.
    public void jobForgotten(JobId id) {
        jobs.remove(id);
        holding.remove(id);
        mirror.jobForgotten(id);
    }

    public void nodeStatus(NodeStatus status) {
        nodes.put(status.node(), status);
        mirror.node(status);
    }

    public void nodeForgotten(NodeName node) {
        nodes.remove(node);
        beats.remove(node);
    }

    public void heartbeat(Heartbeat beat, long heardAt) {
        beats.put(
                beat.node(),
                new Beat(
                        heardAt,
                        beat.loadPercent(),
                        beat.memoryUsedMib(),
                        beat.used(),
                        unwell(beat.gpus())));
        if (!beat.gpus().isEmpty()) {
            for (RunId run : beat.runs()) {
                Job job = jobs.get(run.job());
                if (job != null) {
                    sample(job, beat, heardAt);
                }
            }
        }
    }

    private static Map<String, Health> unwell(List<GpuSample> gpus) {
        return gpus.stream()
                .filter(it -> it.health() != Health.HEALTHY)
                .collect(Collectors.toMap(GpuSample::uuid, GpuSample::health, (one, _) -> one));
    }

    private void sample(Job job, Heartbeat beat, long heardAt) {
        for (Allocation allocation : job.held()) {
            if (allocation.node().equals(beat.node())) {
                beat.gpus().stream()
                        .filter(it -> allocation.gpus().contains(it.uuid()))
                        .forEach(it -> telemetry.add(job.id(), beat.node(), it, heardAt));
            }
        }
    }

    /// What the GPUs of a job did, as far as heartbeats told it.
    public List<Telemetry.OfGpu> telemetry(JobId job) {
        return telemetry.of(job);
    }

    /// What a job's processes have used so far, node by node, as the last heartbeats told it.
    public List<JobUsage> usage(Job job) {
        return job.held().stream()
                .map(Allocation::node)
                .flatMap(node -> JobUsage.of(job.id(), node, beats.get(node)).stream())
                .toList();
    }

    public void configEntry(ConfigEntry entry) {
        assembler
                .add(entry)
                .ifPresent(complete -> {
                    configuration = complete;
                    mirror.configuration(complete);
                });
    }

    public void fairShares(FairShares calculation) {
        if (calculation.version() >= shares.calculation().version()) {
            shares = new Shares(calculation);
            mirror.fairShares(calculation);
        }
    }

    public void trigger(Trigger record) {
        triggers.replay(record);
    }

    public void triggerForgotten(String key) {
        triggers.forget(key);
    }

    public Triggers triggers() {
        return triggers;
    }

    public void cellStatus(CellStatus status, long appendedAt) {
        noticeJob(status.highestJob());
        Cell cell = cell(status.cell());
        cell.seenBelow = Math.max(cell.seenBelow, seenBelow(status));
        cell.seenAt = appendedAt;
        var passed = cell.unseen.headMap(cell.seenBelow);
        passed.values()
                .forEach(them ->
                        cell.passed
                                .computeIfAbsent(appendedAt, _ -> new ArrayList<>())
                                .addAll(them));
        passed.clear();
    }

    /// Whether placement has decided on all submissions below that position.
    public boolean decided(Position position) {
        return cell(position.cell()).seenBelow >= position.offset();
    }

    /// The configuration in force; empty before the first has been read.
    public Optional<Configuration> configuration() {
        return Optional.ofNullable(configuration);
    }

    /// The cluster's name; empty before there is a configuration.
    public String cluster() {
        return configuration().map(it -> it.cluster().name()).orElse("");
    }

    /// What a node has of resources other than GPUs.
    public List<Gres> gres(Node node) {
        return configuration == null
                ? node.inventory().gres()
                : configuration.cluster().gresOn(node.name(), node.inventory());
    }

    public Shares shares() {
        return shares;
    }

    /// The highest job id that the log has shown.
    public long highestJob() {
        return highestJob;
    }

    /// The job that a user's idempotency key stands for in a cell.
    public Optional<Claim> claim(int cellNumber, String user, String key) {
        Cell cell = cell(cellNumber);
        synchronized (cell) {
            return cell.idempotency.find(user, key);
        }
    }

    public Optional<Job> job(JobId id, long now) {
        return Optional.ofNullable(jobs.get(id)).filter(job -> shown(job, now));
    }

    /// The jobs that a name means, in the order of their ids.
    public List<Job> named(JobName name, long now) {
        return jobs.named(name).stream().filter(job -> shown(job, now)).toList();
    }

    /// All jobs in the order of their ids.
    public Stream<Job> jobs(long now) {
        return jobs(null, now);
    }

    /// The jobs above an id, in the order of their ids; null is all.
    public Stream<Job> jobs(@Nullable JobId after, long now) {
        return jobs.above(after).values().stream().filter(job -> shown(job, now));
    }

    /// The jobs that hold something, in the order of their ids.
    public Stream<Job> holding() {
        return holding.values().stream();
    }

    /// Also of a job that placement knows on, because another waits for it, no longer than others.
    private boolean shown(Job job, long now) {
        return job.endedAt() == 0 || job.endedAt() > now - 1000 * endedJobs().maxAgeSeconds();
    }

    /// How long jobs are known after their end.
    public EndedJobs endedJobs() {
        return configuration().map(it -> it.cluster().endedJobs()).orElse(EndedJobs.DEFAULT);
    }

    /// What the engine says of a job that waits for resources; empty for another.
    public Optional<Verdict> verdict(JobId job, long now) {
        return mirror.explain(job, now);
    }

    /// How accounts stand as queues; empty if it is not known well enough.
    public Optional<QueueStatus.All> queues() {
        return mirror.queues();
    }

    /// The cluster as it would go on from now; empty if it is not known well enough.
    public Optional<Forecast> forecast(long now) {
        return mirror.forecast(now);
    }

    /// The registrations of all nodes, in the order of their names.
    public List<NodeSeen> registrations() {
        return nodes.values().stream().map(NodeStatus::seen).toList();
    }

    public @Nullable NodeStatus nodeStatus(NodeName name) {
        return nodes.get(name);
    }

    /// All nodes with what is held on them, in the order of their names.
    public List<Node> nodes() {
        var occupants = new TreeMap<NodeName, NodeOccupants>();
        for (Job job : holding.values()) {
            for (Allocation allocation : job.held()) {
                occupants
                        .computeIfAbsent(allocation.node(), _ -> new NodeOccupants())
                        .add(job, allocation);
            }
        }
        var views = new ArrayList<Node>();
        nodes.forEach((name, status) ->
                views.add(
                        occupants
                                .getOrDefault(name, new NodeOccupants())
                                .node(status, beats.get(name))));
        return views;
    }
}
