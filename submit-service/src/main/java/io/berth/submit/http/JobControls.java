package io.berth.submit.http;

import io.berth.contracts.HetComponent;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Amended;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.Released;
import io.berth.contracts.event.Submission.RequeueRequested;
import io.berth.contracts.event.Submission.ResumeRequested;
import io.berth.contracts.event.Submission.SignalRequested;
import io.berth.contracts.event.Submission.SuspendRequested;
import io.berth.submit.Admission;
import io.berth.submit.Amendments;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobChange;
import io.berth.submit.JobName;
import io.berth.submit.Permissions;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Priority;
import io.berth.submit.Refusal;
import io.berth.submit.Refusal.JobNotPending;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.SubmissionWriter;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What people do to jobs that are there. A name may mean all tasks of an array: those that are too
/// far for what is asked stay as they are, and it is refused only if all are.
///
/// Each answers with the position from which on the request stands in the log.
@Singleton
public class JobControls {

    static final String OVER = "Job/step already completing or completed";
    private static final String STARTED = "Job is no longer pending execution";
    private static final String WAITS = "Job is pending execution";
    private static final String NOT_RUNNING = "Job is not running";
    private static final String NOT_SUSPENDED = "Job is not suspended";

    private final Gateway gateway;
    private final SubmissionWriter writer;
    private final JobTurns turns;
    private final SubmitConfig config;
    private final Clock clock;

    JobControls(
            Gateway gateway,
            SubmissionWriter writer,
            JobTurns turns,
            SubmitConfig config,
            Clock clock) {
        this.gateway = gateway;
        this.writer = writer;
        this.turns = turns;
        this.config = config;
        this.clock = clock;
    }

    /// Asks that the jobs end; a job that has ended stays as it is.
    public Position cancel(JobName name, Caller caller) throws Refused {
        List<Job> jobs = controlled(name, caller);
        List<Job> living = jobs.stream().filter(job -> !job.state().terminal()).toList();
        return living.isEmpty()
                ? Position.after(jobs.getLast())
                : ask(living, id -> new CancelRequested(id, caller.user()));
    }

    /// What became of jobs that were to end together.
    ///
    /// @param refused by the id as it was asked, those that stay as they are
    /// @param position from which on the request stands in the log; null if nothing was asked
    record Cancelled(Map<String, Refusal> refused, @Nullable Position position) {}

    /// Asks that all those jobs end that the caller may end, as if each had been named alone.
    Cancelled cancel(Collection<String> ids, Caller caller) {
        var names = new LinkedHashMap<JobName, String>();
        var refused = new LinkedHashMap<String, Refusal>();
        for (String id : ids) {
            try {
                names.put(JobName.parse(id), id);
            } catch (Refused e) {
                refused.put(id, e.refusal());
            }
        }
        var living = new LinkedHashMap<JobId, Job>();
        gateway.named(names.keySet(), caller)
                .forEach((name, jobs) -> {
                    try {
                        if (jobs.isEmpty()) {
                            throw new Refused(Gateway.notFound(name));
                        }
                        controlled(jobs, caller).stream()
                                .filter(job -> !job.state().terminal())
                                .forEach(job -> living.put(job.id(), job));
                    } catch (Refused e) {
                        refused.put(Objects.requireNonNull(names.get(name)), e.refusal());
                    }
                });
        List<Submission> requests =
                addressed(living.values())
                        .<Submission>map(id -> new CancelRequested(id, caller.user()))
                        .toList();
        return new Cancelled(
                refused, requests.isEmpty() ? null : write(requests, config.bulkTimeout()));
    }

    /// @param asUser that an operator's hold be one that the owner may undo
    Position hold(JobName name, Caller caller, boolean asUser) throws Refused {
        Hold hold = Permissions.holdOf(caller, asUser);
        List<Job> waiting = those(controlled(name, caller), Job::pending, STARTED);
        return ask(waiting, id -> new Held(id, caller.user(), hold));
    }

    Position release(JobName name, Caller caller) throws Refused {
        List<Job> waiting = those(controlled(name, caller), Job::pending, STARTED);
        for (Job job : waiting) {
            Permissions.toRelease(job, caller);
        }
        Hold strongest = caller.operator() ? Hold.ADMIN : Hold.USER;
        return ask(waiting, id -> new Released(id, caller.user(), strongest));
    }

    /// @param hold that the jobs then wait for their release
    Position requeue(JobName name, Caller caller, boolean hold) throws Refused {
        whole(name, gateway.named(name, caller));
        List<Job> able =
                those(
                        running(name, caller),
                        job -> job.description().requeue(),
                        "Requested operation is presently disabled");
        return ask(able, id -> new RequeueRequested(id, caller.user(), hold));
    }

    /// Asks that jobs that run stand still until they are resumed: an operator's to ask.
    Position suspend(JobName name, Caller caller) throws Refused {
        Permissions.ofOperator(caller, "suspend jobs");
        whole(name, gateway.named(name, caller));
        return ask(
                started(name, caller, job -> job.state() == JobState.RUNNING, NOT_RUNNING),
                id -> new SuspendRequested(id, caller.user()));
    }

    /// Asks that suspended jobs go on: an operator's to ask. A job that is about to be suspended
    /// counts as running.
    Position resume(JobName name, Caller caller) throws Refused {
        Permissions.ofOperator(caller, "resume jobs");
        whole(name, gateway.named(name, caller));
        return ask(
                started(name, caller, job -> job.state() == JobState.SUSPENDED, NOT_SUSPENDED),
                id -> new ResumeRequested(id, caller.user()));
    }

    /// Those of the jobs, none of which may wait.
    private List<Job> started(JobName name, Caller caller, Predicate<Job> which, String otherwise)
            throws Refused {
        List<Job> jobs = gateway.named(name, caller);
        boolean over =
                jobs.stream()
                        .allMatch(job ->
                                job.state().terminal() || job.state() == JobState.COMPLETING);
        String no = jobs.stream().anyMatch(Job::pending) ? WAITS : over ? OVER : otherwise;
        return those(jobs, which, no);
    }

    /// @param signal by the kernel's number
    /// @param step the only one that is meant; null for all that the target says
    Position signal(
            JobName name, Caller caller, int signal, SignalTarget target, @Nullable Integer step)
            throws Refused {
        return ask(
                running(name, caller),
                id -> new SignalRequested(id, caller.user(), signal, target, step));
    }

    Position amend(JobName name, Caller caller, JobChange change) throws Refused {
        return turns.amend(
                gateway.named(name, caller).stream().map(Job::id).toList(),
                () -> amended(name, caller, change),
                requests -> writer.ask(requests, Deadline.in(config.answerTimeout())));
    }

    /// What is asked for that change of those of the jobs that can be changed so, at least one.
    private List<Submission> amended(JobName name, Caller caller, JobChange change) throws Refused {
        Amendments amendments = amendments(caller);
        var requests = new ArrayList<Submission>();
        Refused last = null;
        for (Job job : gateway.named(name, caller)) {
            try {
                requests.add(new Amended(job.id(), caller.user(), amendments.of(job, change)));
            } catch (Refused e) {
                last = e;
            }
        }
        if (requests.isEmpty() && last != null) {
            throw last;
        }
        return requests;
    }

    /// What would be asked for that change of the job.
    Amended amended(Job job, JobChange change, Caller caller) throws Refused {
        return new Amended(job.id(), caller.user(), amendments(caller).of(job, change));
    }

    private Amendments amendments(Caller caller) {
        Picture picture = gateway.picture(null);
        var admission =
                new Admission(
                        configuration(picture),
                        picture.registrations(),
                        caller,
                        config.maxArraySize(),
                        clock.millis());
        return new Amendments(admission, picture.registrations(), caller);
    }

    private static Configuration configuration(Picture picture) {
        return picture.configuration()
                .orElseThrow(() -> new Unavailable("the cluster has no configuration yet"));
    }

    /// Puts the jobs before all others of their users, in the order in which they stand.
    Position top(JobName name, Caller caller) throws Refused {
        Permissions.ofOperator(caller, "move jobs to the top");
        Picture picture = gateway.picture(null);
        long now = clock.millis();
        List<Job> waiting = those(gateway.named(name, caller), Job::pending, STARTED);
        String user = waiting.getFirst().user();
        long highest =
                picture.jobs(now)
                        .filter(job -> job.pending() && job.user().equals(user))
                        .mapToLong(job -> Priority.of(job, picture.shares(), now).points())
                        .max()
                        .orElse(0);
        return amend(name, caller, JobChange.priority(highest + 1));
    }

    private List<Job> controlled(JobName name, Caller caller) throws Refused {
        return controlled(gateway.named(name, caller), caller);
    }

    private List<Job> controlled(List<Job> jobs, Caller caller) throws Refused {
        Configuration configuration = configuration(gateway.picture(null));
        for (Job job : jobs) {
            Permissions.toControl(job, caller, configuration);
        }
        return jobs;
    }

    private List<Job> running(JobName name, Caller caller) throws Refused {
        List<Job> jobs = controlled(name, caller);
        String refusal = jobs.stream().anyMatch(Job::pending) ? WAITS : OVER;
        return those(
                jobs,
                job -> job.state() == JobState.RUNNING || job.state() == JobState.SUSPENDED,
                refusal);
    }

    private static List<Job> those(List<Job> jobs, Predicate<Job> which, String otherwise)
            throws Refused {
        List<Job> those = jobs.stream().filter(which).toList();
        if (those.isEmpty()) {
            boolean over = jobs.stream().allMatch(job -> job.state().terminal());
            throw new Refused(new JobNotPending(over ? OVER : otherwise));
        }
        return those;
    }

    private Position ask(List<Job> jobs, Function<JobId, Submission> request) {
        return write(addressed(jobs).map(request).toList());
    }

    /// Whom a request is written to: of a heterogeneous job whose first component is among those
    /// that are meant, to that one alone, as what is asked of it is asked of all.
    private static Stream<JobId> addressed(Collection<Job> jobs) {
        Set<JobId> ids = jobs.stream().map(Job::id).collect(Collectors.toSet());
        return jobs.stream()
                .filter(job -> {
                    HetComponent het = job.description().het();
                    return het == null
                            || het.first().equals(job.id())
                            || !ids.contains(het.first());
                })
                .map(Job::id);
    }

    /// @throws Refused if what is asked is only for a heterogeneous job as a whole, and one of its
    ///   components is named
    private static void whole(JobName name, List<Job> jobs) throws Refused {
        for (Job job : jobs) {
            HetComponent het = job.description().het();
            if (het != null && !name.equals(new JobName(het.first()))) {
                throw Checks.invalid(
                        "job %s is a component of heterogeneous job %s, which is suspended, resumed and requeued as a whole"
                                .formatted(name, het.first()));
            }
        }
    }

    private Position write(List<Submission> requests) {
        return write(requests, config.answerTimeout());
    }

    private Position write(List<Submission> requests, Duration limit) {
        return turns.take(
                requests.stream().map(Submission::job).toList(),
                () -> writer.ask(requests, Deadline.in(limit)));
    }
}
