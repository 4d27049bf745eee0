package io.berth.core.state;

import io.berth.contracts.Allocation;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Everything that a cell's decisions rest on. It changes by [#replay] alone: live, and when it is
/// rebuilt from its topics.
///
/// Jobs, nodes, configuration and fair shares are the state; indices over them (what is pending,
/// running, held, claimed, what waits for what) follow from it. All iteration is in the order of
/// ids or names. Confined to one thread.
public final class CellState {

    private static final Comparator<JobStatus> BY_END =
            Comparator.comparingLong(JobStatus::endedAt).thenComparing(JobStatus::job);

    /// On a node that nobody holds anything of. Never changed.
    private static final Holding NOTHING = new Holding();

    private record Claim(String user, String key) {}

    private final TreeMap<JobId, JobStatus> jobs = new TreeMap<>();
    private final TreeMap<NodeName, NodeStatus> nodes = new TreeMap<>();
    private final TreeMap<JobId, Rank> ranksWithoutJob = new TreeMap<>();
    private final TreeMap<String, Long> factors = new TreeMap<>();
    private @Nullable Configuration configuration;
    private @Nullable FairShares fairShares;

    private final TreeSet<JobId> pending = new TreeSet<>();
    private final TreeMap<Reason, TreeSet<JobId>> waitingFor = new TreeMap<>();
    private final TreeSet<JobId> eligible = new TreeSet<>();
    private final Companions companions = new Companions();
    private final TreeSet<JobId> holding = new TreeSet<>();
    private final TreeSet<JobId> suspended = new TreeSet<>();
    private final TreeSet<JobStatus> ended = new TreeSet<>(BY_END);
    private final KeptJobs keptJobs = new KeptJobs();
    private final Map<NodeName, Holding> held = new HashMap<>();
    private final TreeSet<NodeName> heldTwice = new TreeSet<>();
    private final TreeMap<NodeName, TreeSet<JobId>> jobsOn = new TreeMap<>();
    private final Map<Claim, JobId> claims = new HashMap<>();
    private long highestJob;

    /// Another state that is the same and changes by itself.
    public CellState copy() {
        var copy = new CellState();
        facts().forEach(copy::replay);
        copy.seenUpTo(highestJob);
        return copy;
    }

    /// All that is so, as facts; beside them counts only the highest job ever seen.
    public List<Fact> facts() {
        var facts = new ArrayList<Fact>();
        if (configuration != null) {
            facts.add(new Fact.ConfigurationTaken(configuration));
        }
        if (fairShares != null) {
            facts.add(new Fact.FairSharesTaken(fairShares));
        }
        nodes.values().forEach(node -> facts.add(new Fact.NodeChanged(node)));
        jobs.values().forEach(job -> facts.add(new Fact.JobChanged(job)));
        ranksWithoutJob.forEach((job, rank) -> facts.add(new Fact.RankKept(job, rank)));
        return facts;
    }

    /// Makes a fact true. Total and idempotent: any fact may come, and twice.
    public void replay(Fact fact) {
        switch (fact) {
            case Fact.JobChanged(JobStatus status) -> put(status);
            case Fact.JobForgotten(JobId job) -> remove(job);
            case Fact.NodeChanged(NodeStatus status) -> nodes.put(status.node(), status);
            case Fact.RankKept(JobId job, Rank rank) -> ranksWithoutJob.put(job, rank);
            case Fact.ConfigurationTaken(Configuration taken) -> configuration = taken;
            case Fact.FairSharesTaken(FairShares taken) -> take(taken);
            case Fact.Ordered _, Fact.Announced _ -> {}
        }
    }

    public Optional<JobStatus> job(JobId job) {
        return Optional.ofNullable(jobs.get(job));
    }

    /// The job that must be there because an index names it.
    public JobStatus knownJob(JobId job) {
        return job(job).orElseThrow(() ->
                new IllegalStateException("look up job " + job + ": indexed but not known"));
    }

    public Collection<JobStatus> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /// Jobs from that number on.
    public Collection<JobStatus> jobsFrom(long first) {
        JobId from = new JobId(Math.max(1, first));
        return Collections.unmodifiableCollection(jobs.tailMap(from).values());
    }

    public Optional<NodeStatus> node(NodeName node) {
        return Optional.ofNullable(nodes.get(node));
    }

    public Collection<NodeStatus> nodes() {
        return Collections.unmodifiableCollection(nodes.values());
    }

    /// Jobs that wait.
    public NavigableSet<JobId> pending() {
        return Collections.unmodifiableNavigableSet(pending);
    }

    /// Jobs that wait for that reason.
    public NavigableSet<JobId> waitingFor(Reason reason) {
        return Collections.unmodifiableNavigableSet(
                waitingFor.getOrDefault(reason, new TreeSet<>()));
    }

    /// Jobs that wait for nothing but resources and their turn.
    public NavigableSet<JobId> eligible() {
        return Collections.unmodifiableNavigableSet(eligible);
    }

    /// How jobs hang together: arrays, dependencies, names.
    public Companions companions() {
        return companions;
    }

    /// Jobs that hold resources.
    public NavigableSet<JobId> holding() {
        return Collections.unmodifiableNavigableSet(holding);
    }

    /// Jobs whose run stands still.
    public NavigableSet<JobId> suspended() {
        return Collections.unmodifiableNavigableSet(suspended);
    }

    /// Jobs that hold resources on this node.
    public NavigableSet<JobId> jobsOn(NodeName node) {
        return Collections.unmodifiableNavigableSet(jobsOn.getOrDefault(node, new TreeSet<>()));
    }

    /// Ended jobs, the earliest end first.
    public NavigableSet<JobStatus> ended() {
        return Collections.unmodifiableNavigableSet(ended);
    }

    /// Nodes on which something is held twice: none, but while a reader has seen only a part of
    /// what a round changed.
    public NavigableSet<NodeName> heldTwice() {
        return Collections.unmodifiableNavigableSet(heldTwice);
    }

    /// Whether a run holds that GPU of a node, whole or a part of it.
    public boolean holdsGpu(NodeName node, String uuid) {
        Holding holding = held.get(node);
        return holding != null && holding.holdsGpu(uuid);
    }

    /// What is held on a node; the caller's own copy.
    public Holding holdingOn(NodeName node) {
        Holding holding = held.get(node);
        return holding == null ? new Holding() : holding.copy();
    }

    /// Counts something of what is held on a node.
    ///
    /// @param of must not change what it is given
    public int count(NodeName node, ToIntFunction<Holding> of) {
        return of.applyAsInt(held.getOrDefault(node, NOTHING));
    }

    /// The known job that this user's idempotency key stands for.
    public Optional<JobStatus> claimed(String user, String key) {
        return Optional.ofNullable(claims.get(new Claim(user, key))).flatMap(this::job);
    }

    public Optional<Rank> rankWithoutJob(JobId job) {
        return Optional.ofNullable(ranksWithoutJob.get(job));
    }

    /// Empty until the first configuration is read.
    public Optional<Configuration> configuration() {
        return Optional.ofNullable(configuration);
    }

    /// The version of the fair shares in force; 0 before the first.
    public long fairShareVersion() {
        return fairShares == null ? 0 : fairShares.version();
    }

    /// What fair share adds to the priority of this user's jobs in this account, in millionths of a
    /// point.
    public long fairShare(String account, String user) {
        if (fairShares == null) {
            return 0;
        }
        long factor = factors.getOrDefault(association(account, user), 0L);
        return Math.multiplyExact(fairShares.weight() / 1000, factor) / 1000;
    }

    /// The highest job id ever seen; 0 before the first.
    public long highestJob() {
        return highestJob;
    }

    /// Says that ids up to this one were seen, in the life before a restart.
    public void seenUpTo(long job) {
        highestJob = Math.max(highestJob, job);
    }

    private void put(JobStatus said) {
        remove(said.job());
        JobStatus status = said.state().terminal() ? keptJobs.kept(said) : said;
        jobs.put(status.job(), status);
        companions.add(status);
        seenUpTo(status.job().value());
        ranksWithoutJob.remove(status.job());
        IdempotencyKey key = status.key();
        if (key != null) {
            claims.put(new Claim(status.description().user(), key.key()), status.job());
        }
        if (status.state().terminal()) {
            ended.add(status);
        } else if (status.state() == JobState.PENDING) {
            pending.add(status.job());
            waitingFor.computeIfAbsent(status.reason(), _ -> new TreeSet<>()).add(status.job());
            if (status.eligible()) {
                eligible.add(status.job());
            }
        }
        Run run = status.run();
        if (run != null) {
            holding.add(status.job());
            for (Allocation allocation : run.held()) {
                Holding holding = heldOn(allocation.node());
                holding.take(allocation, run.sharesCpus());
                if (holding.twice()) {
                    heldTwice.add(allocation.node());
                }
                jobsOn.computeIfAbsent(allocation.node(), _ -> new TreeSet<>()).add(status.job());
            }
            if (run.standstill().suspended()) {
                suspended.add(status.job());
            }
            claimed(run).forEach(it -> heldOn(it.node()).claim(it.cpus()));
        }
    }

    private Holding heldOn(NodeName node) {
        return held.computeIfAbsent(node, _ -> new Holding());
    }

    /// What a suspended run is to have back before it goes on.
    private static List<Allocation> claimed(Run run) {
        return run.standstill().resuming() && run.outcome() == null ? run.allocations() : List.of();
    }

    private void remove(JobId job) {
        JobStatus old = jobs.remove(job);
        if (old == null) {
            return;
        }
        companions.remove(old);
        pending.remove(job);
        waitingFor.getOrDefault(old.reason(), new TreeSet<>()).remove(job);
        eligible.remove(job);
        holding.remove(job);
        ended.remove(old);
        IdempotencyKey key = old.key();
        if (key != null) {
            claims.remove(new Claim(old.description().user(), key.key()), job);
        }
        Run run = old.run();
        if (run != null) {
            for (Allocation allocation : run.held()) {
                Holding holding = heldOn(allocation.node());
                holding.release(allocation, run.sharesCpus());
                if (!holding.twice()) {
                    heldTwice.remove(allocation.node());
                }
                jobsOn.computeIfAbsent(allocation.node(), _ -> new TreeSet<>()).remove(job);
            }
            suspended.remove(job);
            claimed(run).forEach(it -> heldOn(it.node()).unclaim(it.cpus()));
        }
    }

    public Optional<FairShares> fairShares() {
        return Optional.ofNullable(fairShares);
    }

    private void take(FairShares taken) {
        fairShares = taken;
        factors.clear();
        for (FairShares.Factor factor : taken.factors()) {
            factors.put(association(factor.account(), factor.user()), factor.factor());
        }
    }

    private static String association(String account, String user) {
        return account + "/" + user;
    }
}
