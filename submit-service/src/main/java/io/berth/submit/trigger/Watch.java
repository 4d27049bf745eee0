package io.berth.submit.trigger;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Occasion;
import io.berth.contracts.event.Trigger.Progress;
import io.berth.contracts.event.Trigger.Watched;
import io.berth.slurm.HostList;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Node;
import io.berth.submit.NodeOccasion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One look at the cluster, for the occasions of triggers.
///
/// An occasion of nodes is a change: what was so when a trigger was set is none. So each trigger
/// remembers the nodes on which its occasion is, in its progress; that they are idle counts from
/// its setting on. The program runs once for all nodes whose time has come.
///
/// Source: strigger(1) of Slurm 22.05.
final class Watch {

    private final Function<JobId, Optional<Job>> jobs;
    private final List<Node> nodes;
    private final long now;

    /// @param now epoch milliseconds
    Watch(Function<JobId, Optional<Job>> jobs, List<Node> nodes, long now) {
        this.jobs = jobs;
        this.nodes = nodes;
        this.now = now;
    }

    /// What a look at a trigger shows.
    sealed interface Sight {
        /// Nothing new.
        record Same() implements Sight {}

        /// The occasion will never come.
        record Never() implements Sight {}

        /// The trigger's progress is another from now on; where it has a subject, its program is to
        /// be run.
        record Change(Progress progress) implements Sight {}
    }

    /// @param was how far the trigger is, with nothing to be run; null before the first look
    Sight look(Asked trigger, @Nullable Progress was) {
        Progress so = was == null ? new Progress(trigger.number(), 0, null, before(trigger)) : was;
        JobId job = trigger.job();
        return job == null ? nodes(trigger, so) : job(trigger, so, job);
    }

    /// As if the nodes had been looked at when the trigger was set.
    private static List<Watched> before(Asked trigger) {
        Occasion occasion = trigger.occasion();
        boolean told = occasion != Occasion.UP && occasion != Occasion.IDLE;
        long since = occasion == Occasion.UP ? 0 : trigger.at();
        return trigger.before().stream().map(it -> new Watched(it, since, told)).toList();
    }

    private Sight job(Asked trigger, Progress was, JobId id) {
        Job job = jobs.apply(id).orElse(null);
        long occasion =
                trigger.occasion() == Occasion.TIME ? limitReached(job) : over(job, trigger);
        if (occasion == NEVER) {
            return new Sight.Never();
        }
        boolean come = occasion != NOT_YET && occasion + offset(trigger) <= now;
        return come ? new Sight.Change(was.running(id.toString(), List.of())) : new Sight.Same();
    }

    private static final long NOT_YET = Long.MAX_VALUE;
    private static final long NEVER = Long.MIN_VALUE;

    /// When the job ended; a job that is forgotten ended long ago.
    private static long over(@Nullable Job job, Asked trigger) {
        return job == null ? trigger.at() : job.state().terminal() ? job.endedAt() : NOT_YET;
    }

    /// When the job's run reaches its time limit, or did.
    private static long limitReached(@Nullable Job job) {
        if (job == null || job.state().terminal()) {
            return job != null && job.state() == JobState.TIMEOUT ? job.endedAt() : NEVER;
        }
        Attempt attempt = job.attempt();
        long limit = job.description().timeLimitSeconds();
        return attempt == null || job.state() != JobState.RUNNING || limit == 0
                ? NOT_YET
                : attempt.placedAt() + attempt.suspendedMillis() + 1000 * limit;
    }

    private Sight nodes(Asked trigger, Progress was) {
        Map<NodeName, Watched> before =
                was.nodes().stream().collect(Collectors.toMap(Watched::node, it -> it));
        var watched = new ArrayList<Watched>();
        var come = new ArrayList<String>();
        for (Node node : nodes) {
            if (!trigger.nodes().isEmpty() && !trigger.nodes().contains(node.name())) {
                continue;
            }
            Watched next = next(trigger.occasion(), node, before.get(node.name()));
            if (next == null) {
                continue;
            }
            boolean due = !next.told() && next.since() > 0 && next.since() + offset(trigger) <= now;
            if (due) {
                come.add(node.name().value());
            }
            watched.add(due ? new Watched(next.node(), next.since(), true) : next);
        }
        if (come.isEmpty() && watched.equals(was.nodes())) {
            return new Sight.Same();
        }
        return new Sight.Change(
                was.running(come.isEmpty() ? null : HostList.compress(come), watched));
    }

    /// What is remembered of a node; null for nothing.
    private @Nullable Watched next(Occasion occasion, Node node, @Nullable Watched was) {
        boolean is = NodeOccasion.is(occasion, node);
        return switch (occasion) {
            case UP -> {
                // A node that is down is awaited; one that never was is none that comes back.
                boolean down = NodeOccasion.is(Occasion.DOWN, node);
                if (was == null || was.told()) {
                    yield down ? new Watched(node.name(), 0, false) : null;
                }
                yield was.since() == 0 && is ? new Watched(node.name(), now, false) : was;
            }
            case IDLE -> is ? was == null ? new Watched(node.name(), now, false) : was : null;
            default -> {
                if (was == null) {
                    yield is ? new Watched(node.name(), now, false) : null;
                }
                yield is || !was.told() ? was : null;
            }
        };
    }

    private static long offset(Asked trigger) {
        return 1000 * trigger.offsetSeconds();
    }
}
