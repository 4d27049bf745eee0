package io.berth.submit.mail;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobState;
import io.berth.contracts.MailRequest;
import io.berth.contracts.MailType;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobEvent.Ended;
import io.berth.contracts.event.JobEvent.Requeued;
import io.berth.contracts.event.JobEvent.Started;
import io.berth.slurm.SlurmTime;
import io.berth.submit.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The subjects of the mail that an event of a job brings; the subject is all that is in it.
///
/// `Slurm Job_id=17 Name=train Ended, Run time 00:10:00, COMPLETED, ExitCode 0`. Of an array it is
/// about the whole, when the first task begins and when the last has ended, unless mail about its
/// tasks is asked for.
///
/// Source: sbatch(1) of Slurm 22.05, `--mail-type`, and the mail that it sends.
final class Subjects {

    private static final Set<JobState> NOT_FAILED = Set.of(JobState.COMPLETED, JobState.CANCELLED);

    private final Job job;
    private final MailRequest wanted;
    private final Tasks tasks;
    private final boolean ofArray;

    /// The tasks of a job's array.
    interface Tasks {
        /// Those that the gateway shows, as they stand after the event.
        List<Job> shown();

        /// How those ended that it does not show any more; all that there were have ended before
        /// the others.
        default List<Ended> forgotten() {
            return List.of();
        }
    }

    /// @param tasks asked for only where what is told is about the whole array
    Subjects(Job job, MailRequest wanted, Tasks tasks) {
        this.job = job;
        this.wanted = wanted;
        this.tasks = tasks;
        this.ofArray = job.description().array() != null && !wanted.wants(MailType.ARRAY_TASKS);
    }

    List<String> of(JobEvent event) {
        return switch (event) {
            case Started it -> began(it);
            case Requeued it -> requeued(it);
            case Ended it -> ended(it);
            default -> List.of();
        };
    }

    /// As the run gets on. Of an array it is about tasks alone.
    List<String> of(Milestones.Reached part) {
        return !ofArray && wanted.wants(part.type())
                ? List.of(
                        subject(
                                "Reached %d%% of time limit, Run time %s"
                                        .formatted(part.percent(), span(part.runMillis()))))
                : List.of();
    }

    private List<String> began(Started event) {
        if (!wanted.wants(MailType.BEGIN)) {
            return List.of();
        }
        if (ofArray) {
            return event.lease() == 1 && firstPlaced() ? List.of(summary("Began")) : List.of();
        }
        return List.of(subject("Began, Queued time " + span(event.at() - job.submittedAt())));
    }

    /// Whether this task was placed before all others; of those of one round the first of the array
    /// counts.
    private boolean firstPlaced() {
        return tasks.shown().stream()
                        .filter(it -> it.placedAt() > 0)
                        .min(Comparator.comparingLong(Job::placedAt).thenComparing(Job::id))
                        .filter(it -> it.id().equals(job.id()))
                        .isPresent()
                && tasks.forgotten().stream().allMatch(it -> it.runs().isEmpty());
    }

    private List<String> requeued(Requeued event) {
        return wanted.wants(MailType.REQUEUE)
                ? List.of(subject("Requeued, Run time " + runTime(event.run())))
                : List.of();
    }

    private List<String> ended(Ended event) {
        if (ofArray) {
            return word(true).isEmpty() ? List.of() : arrayEnded(tasks.shown());
        }
        String runTime = event.runs().isEmpty() ? span(0) : runTime(event.runs().getLast());
        var subjects = new ArrayList<String>();
        if (wanted.wants(MailType.INVALID_DEPEND)
                && event.reason() == Reason.DEPENDENCY_NEVER_SATISFIED) {
            subjects.add(subject("Invalid dependency"));
        }
        if (wanted.wants(MailType.TIME_LIMIT) && event.state() == JobState.TIMEOUT) {
            subjects.add(subject("Reached time limit, Run time " + runTime));
        }
        String word = word(!NOT_FAILED.contains(event.state()));
        if (!word.isEmpty()) {
            ExitStatus exit = event.exit();
            subjects.add(
                    subject(
                            "%s, Run time %s, %s%s"
                                    .formatted(
                                            word,
                                            runTime,
                                            event.state(),
                                            exit.signal() == 0
                                                    ? ", ExitCode " + exit.code()
                                                    : "")));
        }
        return subjects;
    }

    /// What is said of an end; empty if nothing is.
    private String word(boolean failed) {
        if (failed && wanted.wants(MailType.FAIL)) {
            return "Failed";
        }
        return wanted.wants(MailType.END) ? "Ended" : "";
    }

    /// Whether all tasks have ended, this one after all others.
    private boolean lastEnded(List<Job> all) {
        return all.stream().allMatch(it -> it.state().terminal())
                && all.stream()
                        .max(Comparator.comparingLong(Job::endedAt).thenComparing(Job::id))
                        .filter(it -> it.id().equals(job.id()))
                        .isPresent();
    }

    private List<String> arrayEnded(List<Job> shown) {
        if (!lastEnded(shown)) {
            return List.of();
        }
        List<Ended> forgotten = tasks.forgotten();
        List<JobState> states =
                Stream.concat(shown.stream().map(Job::state), forgotten.stream().map(Ended::state))
                        .distinct()
                        .toList();
        String word = word(!NOT_FAILED.containsAll(states));
        if (word.isEmpty()) {
            return List.of();
        }
        IntSummaryStatistics codes =
                Stream.concat(shown.stream().map(Job::exit), forgotten.stream().map(Ended::exit))
                        .mapToInt(exit -> exit == null ? 0 : exit.code())
                        .summaryStatistics();
        return List.of(
                summary(
                        "%s, %s, ExitCode [%d-%d]"
                                .formatted(
                                        word,
                                        states.size() == 1 ? states.getFirst() : "Mixed",
                                        codes.getMin(),
                                        codes.getMax())));
    }

    private String subject(String what) {
        ArrayTask task = job.description().array();
        String id =
                task == null
                        ? "Slurm Job_id=" + job.id()
                        : "Slurm Array Task Job_id=%s_%d (%s)"
                                .formatted(task.array(), task.task(), job.id());
        return id + " Name=" + name() + " " + what;
    }

    private String summary(String what) {
        return "Slurm Array Summary Job_id=%1$s_* (%1$s) Name=%2$s %3$s"
                .formatted(job.arrayOrSelf(), name(), what);
    }

    private String name() {
        return job.description().name();
    }

    private static String runTime(EndedRun run) {
        long suspended = run.suspendedMillis() == null ? 0 : run.suspendedMillis();
        return span(run.startedAt() == 0 ? 0 : run.freedAt() - run.startedAt() - suspended);
    }

    private static String span(long millis) {
        return SlurmTime.full(Math.max(0, millis) / 1000);
    }
}
