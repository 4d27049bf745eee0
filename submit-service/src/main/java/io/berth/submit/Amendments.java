package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.line;
import static io.berth.submit.Checks.number;
import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.Amendment;
import io.berth.contracts.Dependency;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.submit.Refusal.JobNotPending;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether a job may become what someone wants it to be. What is refused at submission is
/// refused here too, but for a request that no nodes of the partition could hold: that waits with
/// reason BadConstraints. Of a run only what does not touch its resources may change.
public final class Amendments {

    private final Admission admission;
    private final Collection<NodeSeen> nodes;
    private final Caller caller;

    /// @param nodes all registered nodes
    public Amendments(Admission admission, Collection<NodeSeen> nodes, Caller caller) {
        this.admission = admission;
        this.nodes = nodes;
        this.caller = caller;
    }

    public Amendment of(Job job, JobChange change) throws Refused {
        admission.control(job);
        checkState(job, change);
        Long limit = limit(job, change.timeLimitSeconds());
        Integer nice = nice(job, change.nice());
        String account =
                change.account() == null
                        ? job.description().account()
                        : admission.account(change.account(), job.user());
        String qos =
                change.qos() == null
                        ? job.description().qos()
                        : admission.qos(change.qos(), job.user(), account);
        boolean moved =
                change.account() != null || change.qos() != null || change.partition() != null;
        List<Partition> open = named(job, change);
        if (moved) {
            open =
                    Admission.admitting(
                            open,
                            partition -> admission.enter(partition, job.user(), account, qos));
        }
        List<String> partitions = moved ? open.stream().map(Partition::name).toList() : List.of();
        @Nullable ResourceRequest request = request(job, change, open);
        var amendment =
                new Amendment(
                        change.account() == null ? null : account,
                        change.partition() == null ? null : partitions.getFirst(),
                        change.qos() == null ? null : qos,
                        change.name() == null
                                ? null
                                : line("the job's name", change.name(), Checks.MAX_NAME),
                        request,
                        limit,
                        nice,
                        change.requeue(),
                        terms(job.description().conditions(), change, partitions),
                        throttle(job, change.arrayThrottle()));
        if (change.timeMinSeconds() != null) {
            Admission.checkLeastTime(amendment.applied(job.description()));
        }
        if (moved || change.reservation() != null) {
            JobDescription amended = amendment.applied(job.description());
            if (amended.het() != null) {
                Admission.ofOnePartition(amended);
            }
            for (String partition : amended.partitions()) {
                admission.reserve(
                        amended.in(partition), job.description().request().where().reservation());
            }
        }
        return amendment;
    }

    /// The partitions in which the job is to start; of those that it has, those that there are
    /// still, if any.
    private List<Partition> named(Job job, JobChange change) throws Refused {
        if (change.partition() != null) {
            return admission.partitions(change.partition());
        }
        List<String> had = job.description().partitions();
        List<String> left = had.stream().filter(admission::hasPartition).toList();
        return admission.partitions(String.join(",", left.isEmpty() ? had : left));
    }

    private static void checkState(Job job, JobChange change) throws Refused {
        boolean ofWaiting =
                change.account() != null
                        || change.partition() != null
                        || change.qos() != null
                        || AmendedRequest.isAsked(change)
                        || change.dependency() != null
                        || change.timeMinSeconds() != null
                        || change.beginAt() != null;
        boolean over = job.state().terminal() || job.state() == JobState.COMPLETING;
        if (over || (ofWaiting && !job.pending())) {
            throw new Refused(
                    new JobNotPending(
                            over
                                    ? "Job/step already completing or completed"
                                    : "Job is no longer pending execution"));
        }
    }

    private @Nullable Long limit(Job job, @Nullable Long seconds) throws Refused {
        if (seconds == null) {
            return null;
        }
        long limit =
                number(
                        "the time limit in seconds",
                        seconds,
                        0,
                        Admission.MAX_TIME_LIMIT_SECONDS,
                        0);
        long before = job.description().timeLimitSeconds();
        if (limit == 0 ? before != 0 : before != 0 && limit > before) {
            Permissions.ofOperator(caller, "raise a time limit");
        }
        return limit;
    }

    private @Nullable Integer nice(Job job, @Nullable Integer nice) throws Refused {
        if (nice == null) {
            return null;
        }
        if (nice < job.description().nice()) {
            Permissions.ofOperator(caller, "lower nice");
        }
        return (int) number("nice", nice, -Admission.MAX_NICE, Admission.MAX_NICE, 0);
    }

    private static @Nullable Integer throttle(Job job, @Nullable Integer throttle) throws Refused {
        if (throttle == null) {
            return null;
        }
        if (job.description().array() == null) {
            throw invalid("job " + job.id() + " is no task of an array");
        }
        return (int) number("the array's throttle", throttle, 0, Integer.MAX_VALUE, 0);
    }

    /// What the job asks for then, as its partitions take it.
    private @Nullable ResourceRequest request(Job job, JobChange change, List<Partition> partitions)
            throws Refused {
        ResourceRequest before = job.description().request();
        if (change.partition() == null && !AmendedRequest.isAsked(change)) {
            return null;
        }
        var amended = new AmendedRequest(before, change, partitions, admission, nodes);
        if (change.partition() == null && !amended.ofResources()) {
            return amended.request();
        }
        ResourceRequest taken = requireNonNullElse(amended.request(), before);
        for (Partition partition : partitions) {
            taken = new PartitionMemory(partition).within(taken);
        }
        if (change.gres() != null) {
            admission.checkGres(taken);
        }
        return taken.equals(before) ? null : taken;
    }

    /// @param partitions that the change names
    private @Nullable JobTerms terms(JobTerms before, JobChange change, List<String> partitions)
            throws Refused {
        List<String> several = partitions.size() > 1 ? partitions : List.of();
        if ((change.partition() == null || several.isEmpty())
                && change.beginAt() == null
                && change.deadlineAt() == null
                && change.dependency() == null
                && change.timeMinSeconds() == null
                && change.priority() == null
                && change.siteFactor() == null
                && change.comment() == null) {
            return null;
        }
        return new JobTerms(
                before.hold(),
                changed("the begin time", change.beginAt(), before.beginAt()),
                changed("the deadline", change.deadlineAt(), before.deadlineAt()),
                leastTime(before, change.timeMinSeconds()),
                dependency(before, change.dependency()),
                before.killOnInvalidDependency(),
                before.signal(),
                before.array(),
                priority(before, change.priority()),
                change.comment() == null
                        ? before.comment()
                        : change.comment().isEmpty()
                                ? null
                                : line("the comment", change.comment(), RequestedTerms.MAX_COMMENT),
                before.preemption(),
                siteFactor(before, change.siteFactor()),
                before.maxWaitSeconds(),
                before.askedLimitSeconds(),
                before.het(),
                several);
    }

    private static @Nullable Long changed(String what, @Nullable Long asked, @Nullable Long before)
            throws Refused {
        return asked == null ? before : asked == 0 ? null : RequestedTerms.time(what, asked);
    }

    private static @Nullable Long leastTime(JobTerms before, @Nullable Long seconds)
            throws Refused {
        return seconds == null
                ? before.timeMinSeconds()
                : seconds == 0 ? null : RequestedTerms.leastTime(seconds);
    }

    private static @Nullable Dependency dependency(JobTerms before, @Nullable String text)
            throws Refused {
        return text == null ? before.dependency() : RequestedTerms.dependency(text);
    }

    private @Nullable Integer siteFactor(JobTerms before, @Nullable Integer points) throws Refused {
        if (points == null) {
            return before.siteFactor();
        }
        Permissions.ofOperator(caller, "set a site factor");
        int factor =
                (int) number("the site factor", points, -Admission.MAX_NICE, Admission.MAX_NICE, 0);
        return factor == 0 ? null : factor;
    }

    private @Nullable Long priority(JobTerms before, @Nullable Long points) throws Refused {
        if (points != null) {
            Permissions.ofOperator(caller, "set a priority");
        }
        return points == null
                ? before.priority()
                : points == 0 ? null : RequestedTerms.priority(points, caller);
    }
}
