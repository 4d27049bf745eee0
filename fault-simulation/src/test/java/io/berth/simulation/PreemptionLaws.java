package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.RunId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Claim;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.PreemptRules;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What must hold of preemption in every round of a cell, beside the invariants that always do.
///
/// - Nobody gives way whom the rules do not name for that job.
/// - What a round clears for a job it does not give up in the same round.
/// - No expected start of a job ahead of a preemptor moves to a later time in its round (I7), but
///   of those who would not keep their places, where accounts have back what they are guaranteed.
/// - A job that gave way to another one never takes its place: not later either, since nobody
///   changes what is compared here. Passing time, the preemption and its requeue are no change. Of
///   what is guaranteed this holds of the run that had the place back, where no account below has
///   its own guarantee: another one may have borrowed its place.
/// - A run gives way once, unless it only stands still.
/// - A job whose run gave way and was to run again does, unless somebody cancels it or its deadline
///   passes.
final class PreemptionLaws {

    private final Configuration configuration;
    private final boolean limited;
    private final TreeSet<RunId> gone = new TreeSet<>();
    private final TreeSet<RunId> requeued = new TreeSet<>();
    private final TreeMap<JobId, TreeSet<JobId>> gaveWayTo = new TreeMap<>();

    /// The runs that had the places of a job's runs back.
    private final TreeMap<JobId, TreeSet<RunId>> gaveBackTo = new TreeMap<>();

    private final TreeMap<JobId, Integer> leases = new TreeMap<>();
    private int reclaims;

    /// @param limited whether limits of users hold jobs back, which gives up their expected starts
    PreemptionLaws(Configuration configuration, boolean limited) {
        this.configuration = configuration;
        this.limited = limited;
    }

    /// So often somebody gave way.
    int preemptions() {
        return gaveWayTo.values().stream().mapToInt(TreeSet::size).sum();
    }

    /// So often somebody gave back what he had borrowed.
    int reclaims() {
        return reclaims;
    }

    /// @param before the state that the pass was decided on
    void decided(CellState before, List<Fact> facts, Pass pass, long now) {
        var changed = new TreeMap<JobId, JobStatus>();
        var cleared = new TreeSet<JobId>();
        var preempted = new ArrayList<JobEvent.Preempted>();
        boolean preempts = false;
        for (Fact fact : facts) {
            if (fact instanceof Fact.Announced(JobEvent.Preempted event)) {
                preempts = true;
                preempted.add(event);
            } else if (fact instanceof Fact.JobChanged(var status)) {
                changed.put(status.job(), status);
                if (status.clearing() != null) {
                    cleared.add(status.job());
                }
            }
        }
        preempted.forEach(it -> checkGround(before, it, changed.get(it.preemptor())));
        checkReclaims(before, preempted, changed);
        assertThat(cleared).as("nodes stay cleared for").allMatch(it -> began(changed.get(it)));
        if (preempts && pass == Pass.START) {
            checkStarts(before, changed, now);
        }
    }

    private static boolean began(@Nullable JobStatus job) {
        return job != null && (job.run() != null || job.clearing() != null);
    }

    /// A job in the partition in which it has begun, or was expected to.
    private static JobStatus where(JobStatus before, @Nullable JobStatus after) {
        Clearing clearing = after == null ? null : after.clearing();
        Planned planned = before.planned();
        String partition =
                after != null && after.run() != null
                        ? after.description().partition()
                        : clearing != null
                                ? clearing.partition()
                                : planned == null ? null : planned.partition();
        return partition == null ? before : Transitions.in(before, partition);
    }

    /// @param by the preemptor as it is then
    private void checkGround(CellState state, JobEvent.Preempted event, @Nullable JobStatus by) {
        JobDescription one = where(state.knownJob(event.preemptor()), by).description();
        JobDescription other = state.knownJob(event.job()).description();
        boolean named =
                switch (event.reason()) {
                    case PARTITION_PRIO -> tier(one) > tier(other);
                    case QOS ->
                            Objects.requireNonNull(configuration.qos().get(one.qos()))
                                    .ownRules()
                                    .preempt()
                                    .contains(other.qos());
                    case DEADLINE ->
                            one.conditions().deadlineAt() != null
                                    && other.conditions().deadlineAt() == null
                                    && (tier(one) == tier(other) || one.qos().equals(other.qos()));
                    case RECLAIM -> !standsHigher(other, one);
                };
        assertThat(named).as("the ground of %s", event).isTrue();
    }

    private boolean standsHigher(JobDescription one, JobDescription other) {
        PreemptRules rules = configuration.cluster().preemptRules();
        int order =
                switch (rules.type()) {
                    case NONE -> 0;
                    case PARTITION_PRIO -> Integer.compare(tier(one), tier(other));
                    case QOS ->
                            Boolean.compare(one.qos().equals("high"), other.qos().equals("high"));
                };
        boolean pressing =
                rules.deadlineSeconds() != null && rules.type() != PreemptRules.Type.NONE;
        return order > 0
                || (order == 0
                        && pressing
                        && one.conditions().deadlineAt() != null
                        && other.conditions().deadlineAt() == null);
    }

    private void checkReclaims(
            CellState before,
            List<JobEvent.Preempted> preempted,
            TreeMap<JobId, JobStatus> changed) {
        List<JobEvent.Preempted> reclaims =
                preempted.stream().filter(it -> it.reason() == PreemptReason.RECLAIM).toList();
        if (reclaims.isEmpty()) {
            return;
        }
        var gone = new TreeSet<JobId>();
        for (JobStatus after : changed.values()) {
            Clearing had = before.job(after.job()).map(JobStatus::clearing).orElse(null);
            if (had != null && after.run() == null && !had.equals(after.clearing())) {
                gone.add(after.job());
            }
        }
        var laws = new GuaranteeLaws(configuration, before, gone);
        var by = new TreeSet<JobId>();
        reclaims.forEach(it -> by.add(it.preemptor()));
        for (JobEvent.Preempted each : reclaims) {
            JobStatus victim = before.knownJob(each.job());
            laws.check(before.knownJob(each.preemptor()), victim, by);
            Claim claim = Objects.requireNonNull(victim.run()).claim();
            boolean alone = victim.description().account().equals("shop");
            assertThat(
                            claim != null
                                    && alone
                                    && gaveBackTo
                                            .getOrDefault(each.preemptor(), new TreeSet<>())
                                            .contains(new RunId(each.job(), each.lease())))
                    .as("%s gave back to that run", each)
                    .isFalse();
        }
    }

    private int tier(JobDescription job) {
        Partition partition = configuration.partitions().get(job.partition());
        return Objects.requireNonNull(partition).tier();
    }

    /// A start pass plans for nobody anew whose turn is before that of all who start or have nodes
    /// cleared in it.
    private void checkStarts(CellState before, TreeMap<JobId, JobStatus> changed, long now) {
        Comparator<JobStatus> order =
                Comparator.comparingInt((JobStatus it) -> -tier(it.description()))
                        .thenComparing(it -> -Placement.priority(before, it, now))
                        .thenComparing(JobStatus::submission)
                        .thenComparing(JobStatus::job);
        JobStatus first =
                changed.values().stream()
                        .filter(PreemptionLaws::began)
                        .map(it -> where(before.knownJob(it.job()), it))
                        .filter(it -> it.state() == JobState.PENDING)
                        .min(order)
                        .orElseThrow();
        List<JobStatus> began = changed.values().stream().filter(PreemptionLaws::began).toList();
        var guarantees = new GuaranteeLaws(configuration, before, Set.of());
        boolean reclaims = configuration.cluster().preemptRules().reclaims();
        for (JobStatus after : changed.values()) {
            JobStatus was = where(before.knownJob(after.job()), null);
            Planned plan = was.planned();
            if (plan != null
                    && !began(after)
                    && (!reclaims || guarantees.keeps(was, began))
                    && order.compare(was, first) < 0
                    && plan.start() > now
                    && plan.nodes().stream()
                            .map(it -> before.node(it).orElseThrow())
                            .allMatch(it -> it.open() && !failed(it, plan, now))) {
                Planned then = after.planned();
                // Another task of its array may start where only so many may run.
                boolean throttled = after.description().array() != null;
                assertThat(then == null ? limited || throttled : then.start() <= plan.start())
                        .as("the start of %s, before %s, beside %s", after, plan, first)
                        .isTrue();
            }
        }
    }

    /// Whether a GPU that is divided for a plan has failed to be, and is left alone for a while.
    private static boolean failed(NodeStatus node, Planned plan, long now) {
        return plan.drains().keySet().stream()
                .map(node::division)
                .anyMatch(it -> it != null && it.failures() > 0 && it.until() > now);
    }

    /// What a round that stands has said.
    void said(JobEvent event) {
        if (event instanceof JobEvent.Placed placed) {
            leases.put(placed.job(), placed.lease());
        } else if (event instanceof JobEvent.Preempted preempted) {
            gaveWay(preempted);
        } else if (event instanceof JobEvent.Ended over) {
            ended(over);
        }
    }

    private void gaveWay(JobEvent.Preempted event) {
        var run = new RunId(event.job(), event.lease());
        if (event.mode() != PreemptMode.SUSPEND) {
            assertThat(gone.add(run)).as("run %s gives way once", run).isTrue();
        }
        if (event.mode() == PreemptMode.REQUEUE) {
            requeued.add(run);
        }
        if (event.reason() == PreemptReason.RECLAIM) {
            reclaims++;
            int lease = 1 + leases.getOrDefault(event.preemptor(), 0);
            gaveBackTo
                    .computeIfAbsent(event.job(), _ -> new TreeSet<>())
                    .add(new RunId(event.preemptor(), lease));
            return;
        }
        gaveWayTo.computeIfAbsent(event.job(), _ -> new TreeSet<>()).add(event.preemptor());
        assertThat(gaveWayTo.getOrDefault(event.preemptor(), new TreeSet<>()))
                .as("job %s gave way to %s", event.preemptor(), event.job())
                .doesNotContain(event.job());
    }

    private void ended(JobEvent.Ended over) {
        for (RunId run : requeued.headSet(new RunId(over.job(), Integer.MAX_VALUE), true)) {
            if (run.job().equals(over.job())
                    && over.state() != JobState.CANCELLED
                    && over.state() != JobState.DEADLINE) {
                assertThat(over.runs().size())
                        .as("runs of %s, of which %s gave way", over, run)
                        .isGreaterThan(run.lease());
            }
        }
    }
}
