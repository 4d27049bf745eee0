package io.berth.accounting;

import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.Charge;
import io.berth.contracts.Consumption;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.HetComponent;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.event.JobEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Random lives of jobs, as placement tells them: several runs, requeues, cancels while waiting,
/// jobs that still live at the end.
public final class Lives {

    private static final List<String> USERS = List.of("alice", "bob", "carol", "zoe");

    private final Random random;
    private final Random measures;
    private final List<JobEvent> events = new ArrayList<>();
    private final List<EndedRun> charged = new ArrayList<>();

    /// Two of the jobs are components of one.
    static final HetComponent SET = new HetComponent(new JobId(20), 2);

    public Lives(long seed) {
        this.random = new Random(seed);
        this.measures = new Random(seed);
    }

    /// Every run that has ended in the events so far.
    public List<EndedRun> charged() {
        return charged;
    }

    /// The events of these jobs, mixed as a log mixes them: each job's own order is kept.
    public List<JobEvent> events(int firstId, int jobs) {
        var lives = new ArrayList<List<JobEvent>>();
        for (int i = 0; i < jobs; i++) {
            lives.add(new ArrayList<>(life(new JobId(firstId + i))));
        }
        events.clear();
        while (!lives.isEmpty()) {
            List<JobEvent> life = lives.get(random.nextInt(lives.size()));
            events.add(life.removeFirst());
            lives.removeIf(List::isEmpty);
        }
        return List.copyOf(events);
    }

    private List<JobEvent> life(JobId job) {
        var life = new ArrayList<JobEvent>();
        var runs = new ArrayList<EndedRun>();
        long submittedAt = 1_700_000_000_000L + random.nextInt(1_000_000);
        long at = submittedAt;
        JobDescription description = description(job);
        if (SET.jobs().contains(job)) {
            description = description.as(SET, job);
        }
        life.add(new JobEvent.Queued(job, at, description));
        for (int lease = 1; lease <= 1 + random.nextInt(3); lease++) {
            at += random.nextInt(100_000);
            if (random.nextInt(6) == 0) {
                break;
            }
            long rate = random.nextInt(200_000);
            List<Allocation> allocations = allocations(1 + random.nextInt(2));
            life.add(new JobEvent.Placed(job, at, lease, allocations, rate));
            long placedAt = at;
            long startedAt = random.nextInt(5) == 0 ? 0 : at + 5;
            if (startedAt != 0) {
                life.add(new JobEvent.Started(job, startedAt, lease));
            }
            long suspended = 0;
            while (random.nextInt(3) == 0) {
                at += 1 + random.nextInt(1_000_000);
                long since = at;
                life.add(
                        new JobEvent.Suspended(
                                job, at, lease, SuspendCause.OPERATOR, "root", null));
                if (random.nextInt(8) == 0) {
                    return life;
                }
                at += 1 + random.nextInt(1_000_000);
                life.add(new JobEvent.Resumed(job, at, lease));
                suspended += at - since;
            }
            if (random.nextInt(8) == 0) {
                return life;
            }
            boolean preempted = random.nextInt(4) == 0;
            if (preempted) {
                life.add(preempted(job, at, lease));
            }
            at += 10 + random.nextInt(10_000_000);
            for (Allocation allocation : allocations) {
                if (measures.nextInt(3) == 0) {
                    life.add(steps(job, at, lease, allocation));
                }
            }
            boolean requeued = random.nextInt(3) == 0;
            var run =
                    new EndedRun(
                            lease,
                            allocations,
                            placedAt,
                            startedAt,
                            at,
                            requeued ? JobState.PENDING : JobState.COMPLETED,
                            ExitStatus.SUCCESS,
                            charge(at - placedAt - suspended, rate, allocations),
                            suspended == 0 ? null : suspended,
                            requeued && preempted ? JobState.PREEMPTED : null,
                            random.nextBoolean() ? used(at - placedAt) : null,
                            preempted ? at - placedAt : null);
            runs.add(run);
            charged.add(run);
            if (!requeued) {
                life.add(ended(job, at, description, JobState.COMPLETED, submittedAt, runs));
                return life;
            }
            life.add(new JobEvent.Requeued(job, at, run, Reason.NODE_DOWN));
        }
        if (random.nextBoolean()) {
            life.add(ended(job, at, description, JobState.CANCELLED, submittedAt, runs));
        }
        return life;
    }

    private JobEvent steps(JobId job, long at, int lease, Allocation here) {
        var steps = new ArrayList<Step>();
        for (int number = 0; number <= measures.nextInt(4); number++) {
            boolean ended = measures.nextBoolean();
            var step =
                    new Step(
                            number,
                            "step\0of " + job,
                            1 + measures.nextInt(4),
                            4,
                            here.gpus().size(),
                            at - 9,
                            at,
                            ended ? new ExitStatus(measures.nextInt(3), 0) : null,
                            ended ? 5L : null);
            steps.add(
                    measures.nextBoolean()
                            ? step.counted(6, 700, number == 1, byTask(step))
                            : step);
        }
        return new JobEvent.StepsEnded(
                job, at, lease, here.node(), new Steps(steps, measures.nextInt(2)));
    }

    /// What each task used, where there are several.
    private static @Nullable TasksUsage byTask(Step step) {
        return step.tasks() == 1
                ? null
                : TasksUsage.of(
                        Map.of(
                                0, new Consumption(1, 400, 3L, 0L),
                                1, new Consumption(4, 300, null, null)));
    }

    private Consumption used(long millis) {
        var used = new Consumption(millis, 7);
        return measures.nextBoolean()
                ? used
                : used.with(new GpuConsumption(2, measures.nextInt(101), 3000L, millis));
    }

    private static JobEvent preempted(JobId job, long at, int lease) {
        return new JobEvent.Preempted(
                job, at, lease, new JobId(999), PreemptMode.REQUEUE, PreemptReason.QOS, 60, 7000);
    }

    private static JobEvent ended(
            JobId job,
            long at,
            JobDescription description,
            JobState state,
            long submittedAt,
            List<EndedRun> runs) {
        return new JobEvent.Ended(
                job,
                at,
                description,
                state,
                Reason.NONE,
                ExitStatus.SUCCESS,
                submittedAt,
                runs,
                state == JobState.CANCELLED ? "alice" : null,
                null);
    }

    private static Charge charge(long held, long rate, List<Allocation> allocations) {
        long gpus = allocations.stream().mapToLong(it -> it.gpus().size()).sum();
        return new Charge(
                4 * held * allocations.size(),
                1024 * held * allocations.size(),
                gpus * held,
                held * allocations.size(),
                rate * held,
                gpus == 0 ? Map.of() : Map.of("a100", gpus * held));
    }

    private List<Allocation> allocations(int nodes) {
        var allocations = new ArrayList<Allocation>();
        for (int i = 0; i < nodes; i++) {
            allocations.add(
                    new Allocation(
                            new NodeName("gpu-0" + (1 + i)),
                            i,
                            1,
                            IndexSet.firstN(4),
                            1024,
                            random.nextBoolean() ? List.of("GPU-" + i) : List.of()));
        }
        return allocations;
    }

    /// Of ten jobs four are an array: 15 to 18 are tasks 1 to 4 of array 15.
    private static @Nullable JobTerms terms(JobId job) {
        long array = job.value() / 10 * 10 + 5;
        int task = (int) (job.value() - array) + 1;
        return task < 1 || task > 4
                ? null
                : JobTerms.NONE.as(new ArrayTask(new JobId(array), task, 4, 1, 4, 1, 2));
    }

    private JobDescription description(JobId job) {
        String user = USERS.get(random.nextInt(USERS.size()));
        return new JobDescription(
                user,
                user.equals("carol") ? "team_b" : "team_a",
                "batch",
                "normal",
                "job\0of " + user,
                new ResourceRequest(1, 1, 4, MemoryRequest.perNode(1024), GpuRequest.NONE),
                LaunchMode.BATCH,
                3600,
                0,
                true,
                terms(job));
    }
}
