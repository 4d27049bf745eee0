package io.berth.core.placement;

import io.berth.contracts.JobDescription;
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
import io.berth.core.engine.Preemptor.Claim;
import io.berth.core.engine.Stake;
import io.berth.core.engine.VictimOrder;
import io.berth.core.limits.Guarantees.Right;
import io.berth.core.placement.Verdict.Exemption;
import io.berth.core.request.Eligibility;
import io.berth.core.state.Transitions;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Who may have whose place under a configuration, and what becomes of those who give way.
///
/// A run stands on the ground of its partition, or of its QOS, by the cluster's `PreemptType`; and
/// there higher, if it has a deadline. What is compared moves only when people move it: tiers,
/// `preempt=` lists, whether there is a deadline, priorities that an operator has set. Neither age
/// nor fair share count, so that no two jobs can take turns in stopping each other. Time alone says
/// when a deadline gives its right; it never turns the right around.
///
/// Beside that, a job may have back what its account is guaranteed ([Guarantees]), from runs that
/// stand no higher than it does. As a job that takes a place never stands lower than who had it,
/// and one that takes a place back stands on its guarantee, nobody has his back in a circle.
///
/// Each partition or QOS is twice as many of the engine's grounds as there are of guarantees: of
/// its jobs without a deadline, and, from the next number on, of those with one.
///
/// Source: slurm.conf(5), "PreemptType", "PreemptMode", "PreemptExemptTime"; sacctmgr(1),
/// "Preempt".
final class Grounds {

    /// From a victim's last moment until its node is clear: it may be slow to die.
    private static final long SLACK_MILLIS = TimeUnit.SECONDS.toMillis(90);

    private static final int PRIORITY_BITS = 32;

    private final Configuration configuration;
    private final PreemptRules rules;
    private final VictimTerms terms;
    private final List<String> grounds;
    private final Queues queues;

    /// How many grounds of guarantees there are.
    private final int width;

    /// How high the jobs of each of `grounds` stand.
    private final int[] heights;

    private final Map<Claimant, List<Claim>> claims = new HashMap<>();
    private final Map<String, BitSet> under = new HashMap<>();
    private final Map<String, BitSet> underPressure = new HashMap<>();

    /// Whose jobs have the same claims.
    private record Claimant(int ground, List<Right> rights) {}

    Grounds(Configuration configuration, Queues queues) {
        this.configuration = configuration;
        this.rules = configuration.cluster().preemptRules();
        this.terms = new VictimTerms(configuration);
        this.grounds =
                List.copyOf(
                        switch (rules.type()) {
                            case NONE ->
                                    queues.none()
                                            ? List.<String>of()
                                            : configuration.partitions().keySet();
                            case PARTITION_PRIO -> configuration.partitions().keySet();
                            case QOS -> configuration.qos().keySet();
                        });
        this.queues = queues;
        this.width = queues.grounds();
        this.heights = queues.none() ? new int[0] : heights();
    }

    /// Those who may have nobody's place stand lowest, others above all whose place they may have.
    private int[] heights() {
        int[] heights = new int[grounds.size()];
        for (int rounds = 0, changes = 1; changes > 0 && rounds < heights.length; rounds++) {
            changes = 0;
            for (int one = 0; one < heights.length; one++) {
                for (int other = 0; other < heights.length; other++) {
                    if (heights[one] <= heights[other]
                            && mayHave(grounds.get(one), grounds.get(other))) {
                        heights[one] = heights[other] + 1;
                        changes++;
                    }
                }
            }
        }
        return heights;
    }

    /// The rules in the engine's terms.
    Preemption preemption() {
        long longest = grounds.stream().mapToLong(terms::graceSeconds).max().orElse(0);
        return new Preemption(
                rules.youngestFirst() ? VictimOrder.YOUNGEST_FIRST : VictimOrder.LEAST_LOST,
                rules.mostVictims() == 0 ? Integer.MAX_VALUE : rules.mostVictims(),
                TimeUnit.SECONDS.toMillis(longest) + SLACK_MILLIS);
    }

    /// The engine's number; negative for a job of no known partition or QOS.
    private int ground(JobStatus job) {
        return plain(job.description()) * width + queues.ground(job);
    }

    /// The same where nobody is guaranteed anything.
    private int plain(JobDescription job) {
        boolean deadline = job.conditions().deadlineAt() != null;
        return 2 * grounds.indexOf(terms.standing(job)) + (deadline ? 1 : 0);
    }

    /// Whose place a job may have; null is nobody's.
    ///
    /// @param pressed whether its deadline is near
    @Nullable Preemptor preemptor(JobDescription job, boolean pressed) {
        PreemptPolicy policy = job.conditions().preemption();
        if (grounds.isEmpty() || policy == PreemptPolicy.NEVER) {
            return null;
        }
        String name = terms.standing(job);
        BitSet below =
                pressed
                        ? underPressure.computeIfAbsent(name, it -> under(it, true))
                        : under.computeIfAbsent(name, it -> under(it, false));
        List<Claim> its = claims(job);
        return below.isEmpty() && its.isEmpty()
                ? null
                : new Preemptor(below, policy == PreemptPolicy.ALWAYS, its);
    }

    private List<Claim> claims(JobDescription job) {
        int ground = plain(job);
        return queues.none() || ground < 0
                ? List.of()
                : claims.computeIfAbsent(
                        new Claimant(ground, queues.guarantees.rights(job.account())),
                        it -> it.rights().stream().map(right -> claim(ground, right)).toList());
    }

    /// To the places of those who have borrowed and stand no higher.
    private Claim claim(int ground, Right right) {
        var borrowed = new BitSet();
        for (int other = 0; other < 2 * grounds.size(); other++) {
            if (height(other) <= height(ground)) {
                int first = other * width;
                right.grounds().stream().forEach(it -> borrowed.set(first + it));
            }
        }
        return new Claim(right.queue(), borrowed);
    }

    /// How high the jobs of a plain ground stand: one with a deadline above its equals, where that
    /// gives a right.
    private int height(int ground) {
        return 2 * heights[ground / 2] + (pressing() ? ground % 2 : 0);
    }

    private BitSet under(String name, boolean pressed) {
        var below = new BitSet();
        for (int other = 0; other < grounds.size(); other++) {
            boolean higher = mayHave(name, grounds.get(other));
            boolean first = higher || (pressed && equal(name, grounds.get(other)));
            below.set(2 * other * width, (2 * other + 1) * width, first);
            below.set((2 * other + 1) * width, (2 * other + 2) * width, higher);
        }
        return below;
    }

    /// From when on the job may take the place of its equals so as to keep its deadline; null is
    /// never.
    @Nullable Long pressedFrom(JobStatus job) {
        Long before = rules.deadlineSeconds();
        long over = Eligibility.lastStart(job);
        return before == null || over == Long.MAX_VALUE || !pressing()
                ? null
                : over - TimeUnit.SECONDS.toMillis(before);
    }

    /// Whether a deadline can give a right.
    private boolean pressing() {
        return rules.deadlineSeconds() != null && rules.type() != Type.NONE;
    }

    private boolean mayHave(String one, String other) {
        return switch (rules.type()) {
            case NONE -> false;
            case PARTITION_PRIO -> mayHave(partition(one), partition(other));
            case QOS -> mayHave(qos(one), qos(other));
        };
    }

    private boolean equal(String one, String other) {
        Partition partition = partition(one);
        Partition others = partition(other);
        return one.equals(other)
                || (rules.type() == Type.PARTITION_PRIO
                        && partition != null
                        && others != null
                        && partition.tier() == others.tier());
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
        int ground = ground(job);
        if (ground < 0) {
            return null;
        }
        if (run.outcome() != null) {
            return Stake.told(goneBy(run), false);
        }
        if (told(job, run)) {
            return run.standstill().suspended() ? null : Stake.told(Long.MAX_VALUE, true);
        }
        long since = run.startedAt() == 0 ? run.placedAt() : run.startedAt();
        Long from = terms.givesWayFrom(job.description(), since);
        if (from == null) {
            return null;
        }
        int cpus = 0;
        int gpuThousandths = 0;
        for (var allocation : run.allocations()) {
            cpus += allocation.cpus().size();
            gpuThousandths += Math.toIntExact(allocation.gpuMillis(1000));
        }
        return new Stake(
                ground,
                rank(job.description()),
                since + run.standstill().millis() + run.safeMillis(),
                from,
                cpus,
                gpuThousandths,
                terms.mode(job.description()) == PreemptMode.SUSPEND);
    }

    /// Whether anybody gives way to anybody.
    boolean any() {
        return !grounds.isEmpty();
    }

    /// Why a run does not give way for a job; null if it may.
    @Nullable Exemption exemption(JobStatus by, JobStatus job, Run run, long now) {
        Stake stake = stake(job, run);
        if (told(job, run)) {
            return Exemption.ENDING;
        }
        if (by.description().conditions().preemption() == PreemptPolicy.NEVER) {
            return Exemption.OWN_POLICY;
        }
        Preemptor preemptor = preemptor(by, now);
        int ground = ground(job);
        if (preemptor == null || ground < 0) {
            return Exemption.NOT_BELOW;
        }
        if (!preemptor.grounds().get(ground)) {
            Exemption kept = kept(by.description(), preemptor, job);
            if (kept != null) {
                return kept;
            }
        }
        if (stake == null) {
            return Exemption.MODE_OFF;
        }
        return preemptor.always() || stake.exemptUntil() <= now ? null : Exemption.EXEMPT_TIME;
    }

    private @Nullable Preemptor preemptor(JobStatus by, long now) {
        Long pressedFrom = pressedFrom(by);
        return preemptor(by.description(), pressedFrom != null && pressedFrom <= now);
    }

    /// Why a job may not have a run's place back; null if it may.
    private @Nullable Exemption kept(JobDescription by, Preemptor preemptor, JobStatus job) {
        Claim claim = claim(preemptor, ground(job));
        if (claim != null) {
            return queues.covers(claim.queue(), by) ? null : Exemption.GUARANTEE_USED;
        }
        int borrowed = queues.guarantees.borrowed(job.description().account());
        return claim(preemptor, plain(job.description()) * width + borrowed) == null
                ? Exemption.NOT_BELOW
                : Exemption.GUARANTEED;
    }

    /// Whether a waiting job would have to give its place back to another one if it had it now.
    boolean yields(JobStatus ahead, JobStatus job, long now) {
        JobDescription its = ahead.description();
        Preemptor preemptor = preemptor(job, now);
        Claim claim =
                preemptor == null || plain(its) < 0
                        ? null
                        : claim(
                                preemptor,
                                plain(its) * width + queues.guarantees.borrowed(its.account()));
        return claim != null
                && queues.covers(claim.queue(), job.description())
                && !queues.stands(its, job.description());
    }

    private static @Nullable Claim claim(Preemptor preemptor, int ground) {
        return preemptor.claims().stream()
                .filter(it -> it.grounds().get(ground))
                .findFirst()
                .orElse(null);
    }

    /// Whether a run gives way already, or ends anyhow.
    boolean told(JobStatus job, Run run) {
        return run.outcome() != null
                || (run.standstill().current() != null
                        && terms.mode(job.description()) == PreemptMode.SUSPEND);
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

    /// What is said of a run that gives way now. Its grace ends with its time limit at the latest.
    JobEvent.Preempted preempted(JobStatus victim, JobStatus by, long now) {
        JobDescription job = victim.description();
        Run run =
                Objects.requireNonNull(
                        victim.run(), () -> "preempt job " + victim.job() + ": it has no run");
        PreemptMode mode = terms.mode(job);
        long worked = run.startedAt() == 0 ? 0 : now - run.startedAt() - run.standstill().millis();
        long left =
                job.timeLimitSeconds() == 0 || run.startedAt() == 0
                        ? Long.MAX_VALUE
                        : Math.max(0, job.timeLimitSeconds() - worked / 1000);
        return new JobEvent.Preempted(
                victim.job(),
                now,
                run.lease(),
                by.job(),
                mode,
                reason(by, victim, now),
                mode == PreemptMode.SUSPEND
                        ? 0
                        : Math.min(left, terms.graceSeconds(terms.standing(job))),
                mode == PreemptMode.SUSPEND ? 0 : Transitions.lostGpuMillis(run, now));
    }

    private PreemptReason reason(JobStatus by, JobStatus victim, long now) {
        if (!mayHave(terms.standing(by.description()), terms.standing(victim.description()))) {
            Preemptor preemptor = preemptor(by, now);
            return preemptor != null && preemptor.grounds().get(ground(victim))
                    ? PreemptReason.DEADLINE
                    : PreemptReason.RECLAIM;
        }
        return rules.type() == Type.QOS ? PreemptReason.QOS : PreemptReason.PARTITION_PRIO;
    }
}
