package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import io.berth.core.engine.Preemption;
import io.berth.core.engine.Preemptor;
import io.berth.core.engine.Stake;
import io.berth.core.engine.VictimOrder;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Who may have whose place under a configuration, and what becomes of those who give way.
///
/// A run stands on the ground of its partition, or of its QOS, by the cluster's `PreemptType`. What
/// is compared moves only when people move it: tiers, `preempt=` lists, priorities that an operator
/// has set. Neither age nor fair share count, so that no two jobs can take turns in stopping each
/// other.
///
/// Source: slurm.conf(5), "PreemptType", "PreemptMode", "PreemptExemptTime"; sacctmgr(1),
/// "Preempt".
final class Grounds {

    /// From a victim's last moment until its node is clear: it may be slow to die.
    private static final long SLACK_MILLIS = TimeUnit.SECONDS.toMillis(90);

    private static final int PRIORITY_BITS = 32;

    private final Configuration configuration;
    private final PreemptRules rules;
    private final List<String> grounds;
    private final Map<String, BitSet> under = new HashMap<>();

    Grounds(Configuration configuration) {
        this.configuration = configuration;
        this.rules = configuration.cluster().preemptRules();
        this.grounds =
                List.copyOf(
                        switch (rules.type()) {
                            case NONE -> List.<String>of();
                            case PARTITION_PRIO -> configuration.partitions().keySet();
                            case QOS -> configuration.qos().keySet();
                        });
    }

    /// The rules in the engine's terms.
    Preemption preemption() {
        long longest = 0;
        for (String ground : grounds) {
            longest = Math.max(longest, graceSeconds(ground));
        }
        return new Preemption(
                rules.youngestFirst() ? VictimOrder.YOUNGEST_FIRST : VictimOrder.LEAST_LOST,
                rules.mostVictims() == 0 ? Integer.MAX_VALUE : rules.mostVictims(),
                TimeUnit.SECONDS.toMillis(longest) + SLACK_MILLIS);
    }

    private String ground(JobDescription job) {
        return rules.type() == Type.QOS ? job.qos() : job.partition();
    }

    /// Whose place a job may have; null is nobody's.
    @Nullable Preemptor preemptor(JobDescription job) {
        PreemptPolicy policy = job.conditions().preemption();
        if (grounds.isEmpty() || policy == PreemptPolicy.NEVER) {
            return null;
        }
        BitSet below = under.computeIfAbsent(ground(job), this::under);
        return below.isEmpty() ? null : new Preemptor(below, policy == PreemptPolicy.ALWAYS);
    }

    private BitSet under(String name) {
        var below = new BitSet();
        for (int other = 0; other < grounds.size(); other++) {
            if (rules.type() == Type.QOS) {
                below.set(other, mayHave(qos(name), qos(grounds.get(other))));
            } else {
                below.set(other, mayHave(partition(name), partition(grounds.get(other))));
            }
        }
        return below;
    }

    private boolean mayHave(@Nullable Partition one, @Nullable Partition other) {
        return one != null
                && other != null
                && one.tier() > other.tier()
                && one.tier() - other.tier() >= rules.leastGap();
    }

    private boolean mayHave(@Nullable Qos one, @Nullable Qos other) {
        return one != null
                && other != null
                && one.ownRules().preempt().contains(other.name())
                && (rules.leastGap() == 0 || one.priority() - other.priority() >= rules.leastGap());
    }

    private @Nullable Partition partition(String name) {
        return configuration.partitions().get(name);
    }

    private @Nullable Qos qos(String name) {
        return configuration.qos().get(name);
    }

    /// What a run has to lose; null if it gives way to nobody. One that ends anyhow loses nothing.
    @Nullable Stake stake(JobStatus job, Run run) {
        int ground = grounds.indexOf(ground(job.description()));
        if (ground < 0) {
            return null;
        }
        if (run.outcome() != null) {
            return Stake.told(goneBy(run), false);
        }
        if (told(job, run)) {
            return run.standstill().suspended() ? null : Stake.told(Long.MAX_VALUE, true);
        }
        PreemptMode mode = mode(job.description());
        if (mode == PreemptMode.OFF) {
            return null;
        }
        long since = run.startedAt() == 0 ? run.placedAt() : run.startedAt();
        int cpus = 0;
        int gpus = 0;
        for (var allocation : run.allocations()) {
            cpus += allocation.cpus().size();
            gpus += allocation.gpus().size();
        }
        return new Stake(
                ground,
                rank(job.description()),
                since + run.standstill().millis(),
                since + TimeUnit.SECONDS.toMillis(exemptSeconds(job.description())),
                cpus,
                gpus,
                mode == PreemptMode.SUSPEND);
    }

    /// Whether a run gives way already, or ends anyhow.
    boolean told(JobStatus job, Run run) {
        return run.outcome() != null
                || (run.standstill().current() != null
                        && mode(job.description()) == PreemptMode.SUSPEND);
    }

    /// When a run that ends can be counted on to have ended.
    private static long goneBy(Run run) {
        Outcome outcome = Objects.requireNonNull(run.outcome());
        Long decided = outcome.decidedAt();
        Long notice = outcome.endsBy();
        return Math.max(decided == null ? 0 : decided, notice == null ? 0 : notice) + SLACK_MILLIS;
    }

    /// Tier or QOS priority, then the priority that an operator has set.
    private long rank(JobDescription job) {
        Partition partition = partition(job.partition());
        Qos qos = qos(job.qos());
        long rung =
                rules.type() == Type.QOS
                        ? qos == null ? 0 : qos.priority()
                        : partition == null ? 0 : partition.tier();
        Long set = job.conditions().priority();
        return rung << PRIORITY_BITS | (set == null ? 0 : set);
    }

    private long exemptSeconds(JobDescription job) {
        Qos qos = qos(job.qos());
        Long own = qos == null ? null : qos.ownRules().exemptSeconds();
        return own == null ? rules.exemptSeconds() : own;
    }

    /// What becomes of a job that gives way. One that keeps GPUs is not suspended; one that must
    /// not start again is cancelled.
    PreemptMode mode(JobDescription job) {
        PreemptMode mode = own(ground(job));
        if (mode == PreemptMode.SUSPEND && job.request().totalGpus() > 0) {
            mode = rules.gpuMode();
        }
        return mode == PreemptMode.REQUEUE && !job.requeue() ? PreemptMode.CANCEL : mode;
    }

    private PreemptMode own(String ground) {
        Partition partition = partition(ground);
        Qos qos = qos(ground);
        PreemptMode own =
                switch (rules.type()) {
                    case NONE -> PreemptMode.OFF;
                    case PARTITION_PRIO ->
                            partition == null ? null : partition.partitionRules().preemptMode();
                    case QOS -> qos == null ? null : qos.ownRules().preemptMode();
                };
        return own == null ? rules.mode() : own;
    }

    private long graceSeconds(String ground) {
        Partition partition = partition(ground);
        Qos qos = qos(ground);
        return switch (rules.type()) {
            case NONE -> 0;
            case PARTITION_PRIO ->
                    partition == null ? 0 : partition.partitionRules().graceSeconds();
            case QOS -> qos == null ? 0 : qos.ownRules().graceSeconds();
        };
    }

    /// What is said of a run that gives way now. Its grace ends with its time limit at the latest.
    JobEvent.Preempted preempted(JobStatus victim, JobId by, long now) {
        JobDescription job = victim.description();
        Run run =
                Objects.requireNonNull(
                        victim.run(), () -> "preempt job " + victim.job() + ": it has no run");
        PreemptMode mode = mode(job);
        long worked = run.startedAt() == 0 ? 0 : now - run.startedAt() - run.standstill().millis();
        long left =
                job.timeLimitSeconds() == 0 || run.startedAt() == 0
                        ? Long.MAX_VALUE
                        : Math.max(0, job.timeLimitSeconds() - worked / 1000);
        long gpus = run.allocations().stream().mapToLong(it -> it.gpus().size()).sum();
        return new JobEvent.Preempted(
                victim.job(),
                now,
                run.lease(),
                by,
                mode,
                rules.type() == Type.QOS ? PreemptReason.QOS : PreemptReason.PARTITION_PRIO,
                mode == PreemptMode.SUSPEND ? 0 : Math.min(left, graceSeconds(ground(job))),
                mode == PreemptMode.SUSPEND ? 0 : gpus * worked);
    }
}
