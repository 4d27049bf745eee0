package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.core.engine.Decisions;
import io.berth.core.engine.Outlook;
import io.berth.core.engine.Stake;
import io.berth.core.placement.Verdict.Exempt;
import io.berth.core.placement.Verdict.Exemption;
import io.berth.core.placement.Verdict.Preemption;
import io.berth.core.placement.Verdict.Victim;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Who would have to give way for one waiting job, and who does not, and why.
///
/// The victims are those that the engine finds. If it finds none, it is asked again for a job that
/// neither exempt time nor the most victims bind: those are what the job would need.
final class Yielding {

    /// Jobs named of each reason.
    private static final int NAMED = 10;

    private final CellState state;
    private final ClusterModel model;
    private final JobStatus job;
    private final Decisions decisions;
    private final long now;

    Yielding(CellState state, ClusterModel model, Decisions decisions, JobStatus job, long now) {
        this.state = state;
        this.model = model;
        this.decisions = decisions;
        this.job = job;
        this.now = now;
    }

    /// Null where nobody gives way to anybody.
    @Nullable Preemption on(List<NodeName> nodes) {
        if (!model.grounds.any()) {
            return null;
        }
        List<Victim> victims = victims();
        return new Preemption(victims, exempt(nodes, victims));
    }

    private List<Victim> victims() {
        Clearing clearing = job.clearing();
        if (clearing != null) {
            return clearing.victims().stream().map(it -> new Victim(it.job(), null, null)).toList();
        }
        var outlook = new Outlook(model.engine);
        List<Long> found = victims(outlook, false);
        if (!found.isEmpty()) {
            return found.stream().map(it -> new Victim(new JobId(it), null, null)).toList();
        }
        List<JobStatus> needed =
                victims(outlook, true).stream().map(it -> state.knownJob(new JobId(it))).toList();
        boolean tooMany = needed.stream().allMatch(it -> exemption(it) == null);
        return needed.stream()
                .map(it ->
                        tooMany
                                ? new Victim(it.job(), Exemption.MAX_VICTIMS, null)
                                : new Victim(it.job(), exemption(it), until(it)))
                .toList();
    }

    private List<Long> victims(Outlook outlook, boolean beyond) {
        return outlook.victims(
                job.job().value(), Partitions.choice(job.description()), beyond, now, decisions);
    }

    private List<Exempt> exempt(List<NodeName> nodes, List<Victim> victims) {
        var others = new TreeSet<JobId>();
        nodes.forEach(node -> others.addAll(state.jobsOn(node)));
        victims.forEach(it -> others.remove(it.job()));
        Map<Exemption, List<JobStatus>> by = new TreeMap<>();
        for (JobId id : others) {
            JobStatus other = state.knownJob(id);
            Exemption why = exemption(other);
            if (why == null && victims.isEmpty()) {
                why = Exemption.NO_ROOM;
            }
            if (why != null) {
                by.computeIfAbsent(why, _ -> new ArrayList<>()).add(other);
            }
        }
        return by.entrySet().stream().map(it -> exempt(it.getKey(), it.getValue())).toList();
    }

    private Exempt exempt(Exemption why, List<JobStatus> jobs) {
        return new Exempt(
                why,
                jobs.size(),
                jobs.stream().limit(NAMED).map(JobStatus::job).toList(),
                jobs.stream()
                        .map(this::until)
                        .filter(Objects::nonNull)
                        .min(Long::compareTo)
                        .orElse(null));
    }

    private @Nullable Exemption exemption(JobStatus other) {
        return model.grounds.exemption(job, other, run(other), now);
    }

    private @Nullable Long until(JobStatus other) {
        if (exemption(other) != Exemption.EXEMPT_TIME) {
            return null;
        }
        Stake stake = model.grounds.stake(other, run(other));
        return stake == null ? null : stake.exemptUntil();
    }

    private static Run run(JobStatus other) {
        return Objects.requireNonNull(
                other.run(), () -> "explain job " + other.job() + ": it has no run");
    }
}
