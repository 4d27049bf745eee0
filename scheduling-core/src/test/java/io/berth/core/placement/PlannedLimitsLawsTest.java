package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Tres;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds of expected starts under limits, over seeded random jobs of three users on three
/// nodes of eight GPUs, which run to their limits or end before: a user may have 6 GPUs and three
/// jobs, all together 16 GPUs.
final class PlannedLimitsLawsTest {

    private static final long OF_USER = 6;
    private static final long JOBS = 3;
    private static final long OF_ALL = 16;
    private static final List<String> USERS = List.of("alice", "bob", "carol");

    private final TestCell cell = new TestCell();
    private final Placement kept = new Placement(cell.state, Settings.DEFAULT);
    private boolean someoneWaitedForALimit;

    static Stream<Integer> seeds() {
        return Stream.iterate(0, seed -> seed + 1).limit(60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void expected_starts_keep_the_limits_and_come_no_later(int seed) {
        var random = new Random(seed);
        note(
                cell.take(
                        new Input.Configured(
                                TestCell.configuration(
                                        new Limits(
                                                Map.of(Limit.MAX_JOBS, JOBS),
                                                Map.of(
                                                        Limit.MAX_TRES_PER_USER,
                                                        Map.of(Tres.GPU, OF_USER),
                                                        Limit.GRP_TRES,
                                                        Map.of(Tres.GPU, OF_ALL)))))));
        for (String node : List.of("n1", "n2", "n3")) {
            note(cell.node(node, 32, 8, "a100"));
        }
        for (long id = 1; id <= 60; id++) {
            Map<JobId, Long> before = starts();
            var outOfOrder = new TreeSet<JobId>(cell.state.pending());
            outOfOrder.removeAll(before.keySet());
            outOfOrder.addAll(plannedTooLate());
            if (random.nextInt(3) > 0) {
                submit(id, random);
            }
            cell.now += random.nextInt(3) == 0 ? random.nextInt(400_000) : 0;
            end(random.nextInt(4) == 0 ? random : null);

            Pass pass = kept.stale() || random.nextInt(5) == 0 ? Pass.PLAN : Pass.START;
            place(pass);

            checkRuns();
            starts().forEach(this::checkStart);
            if (!kept.stale()) {
                cell.state.pending().forEach(this::checkNotOvertaken);
            }
            boolean madeAnew = pass == Pass.PLAN && !outOfOrder.isEmpty();
            checkNoneIsLater(before, madeAnew ? outOfOrder.first() : new JobId(Long.MAX_VALUE));
        }
        assertThat(someoneWaitedForALimit).isTrue();
    }

    private void submit(long id, Random random) {
        note(
                cell.submit(
                        id,
                        new JobDescription(
                                        USERS.get(random.nextInt(USERS.size())),
                                        "team",
                                        "batch",
                                        "normal",
                                        "job",
                                        gpus(1 + random.nextInt(2), 1 + random.nextInt(3), null),
                                        LaunchMode.BATCH,
                                        60 + random.nextInt(1800),
                                        0,
                                        true)
                                .inAnyOf(
                                        id % 5 == 2
                                                ? List.of("pair", "batch")
                                                : List.of("batch"))));
    }

    /// Ends the runs that have come to their limits, and another one.
    private void end(@Nullable Random random) {
        for (JobId id : List.copyOf(cell.state.holding())) {
            JobStatus job = cell.state.knownJob(id);
            Run run = job.run();
            if (run != null
                    && (latestEnd(job) <= cell.now + Scheduling.SLACK_MILLIS
                            || (random != null && random.nextInt(3) == 0))) {
                for (Allocation it : run.allocations()) {
                    String node = it.node().value();
                    note(cell.ready(id.value(), run.lease(), node));
                    note(cell.ended(id.value(), run.lease(), node, Cause.EXITED, 0));
                }
            }
        }
    }

    /// Decides with what is kept from before, and from scratch.
    private void place(Pass pass) {
        List<Fact> facts = Engine.place(cell.state, kept, cell.now, pass);
        List<Fact> scratch =
                Engine.place(
                        cell.state, new Placement(cell.state, Settings.DEFAULT), cell.now, pass);
        assertThat(facts).isEqualTo(scratch);
        facts.forEach(cell.state::replay);
        note(facts);
    }

    private void note(List<Fact> facts) {
        facts.forEach(kept::note);
    }

    private Stream<JobStatus> jobs() {
        var ids = new ArrayList<JobId>(cell.state.holding());
        ids.addAll(cell.state.pending());
        return ids.stream().map(cell.state::knownJob);
    }

    private Map<JobId, Long> starts() {
        var starts = new TreeMap<JobId, Long>();
        jobs().forEach(job -> {
            Planned planned = job.planned();
            if (planned != null) {
                starts.put(job.job(), planned.start());
            }
        });
        return starts;
    }

    private void checkRuns() {
        Predicate<JobStatus> runs = job -> job.run() != null;
        for (String user : USERS) {
            Predicate<JobStatus> its = runs.and(job -> of(user, job));
            assertThat(gpusOf(its)).as("GPUs of %s", user).isLessThanOrEqualTo(OF_USER);
            assertThat(jobs().filter(its).count()).as("jobs of %s", user).isLessThanOrEqualTo(JOBS);
        }
        assertThat(gpusOf(runs)).isLessThanOrEqualTo(OF_ALL);
    }

    /// At that time all can start that are expected by then, however long they run.
    private void checkStart(JobId id, long start) {
        JobStatus own = cell.state.knownJob(id);
        someoneWaitedForALimit |= own.reason().name().startsWith("QOS");
        String user = own.description().user();
        Predicate<JobStatus> there =
                job -> {
                    Planned planned = job.planned();
                    return planned == null
                            ? job.run() != null && latestEnd(job) > start
                            : planned.start() <= start;
                };
        Predicate<JobStatus> its = there.and(job -> of(user, job));
        assertThat(gpusOf(its))
                .as("GPUs of %s when %s starts", user, id)
                .isLessThanOrEqualTo(OF_USER);
        assertThat(jobs().filter(its).count())
                .as("jobs of %s when %s starts", user, id)
                .isLessThanOrEqualTo(JOBS);
        assertThat(gpusOf(there)).as("GPUs when %s starts", id).isLessThanOrEqualTo(OF_ALL);
    }

    /// Who has no expected start would have none either if nobody behind him had one.
    private void checkNotOvertaken(JobId id) {
        JobStatus own = cell.state.knownJob(id);
        if (own.planned() == null) {
            String user = own.description().user();
            Predicate<JobStatus> counts =
                    job ->
                            job.job().equals(id)
                                    || (job.planned() != null && job.job().compareTo(id) < 0);
            Predicate<JobStatus> its = counts.and(job -> of(user, job));
            assertThat(
                            gpusOf(its) > OF_USER
                                    || jobs().filter(its).count() > JOBS
                                    || gpusOf(counts) > OF_ALL)
                    .as("a limit is taken by who is ahead of %s", id)
                    .isTrue();
        }
    }

    /// Those that were planned after one that stands behind them.
    private Set<JobId> plannedTooLate() {
        var late = new TreeSet<JobId>();
        JobId last = null;
        List<JobStatus> inPlan =
                jobs().filter(job -> job.planned() != null)
                        .sorted(Comparator.comparingLong(PlannedLimitsLawsTest::place))
                        .toList();
        for (JobStatus job : inPlan) {
            if (last != null && job.job().compareTo(last) < 0) {
                late.add(job.job());
            } else {
                last = job.job();
            }
        }
        return late;
    }

    private static long place(JobStatus job) {
        return Objects.requireNonNull(job.planned()).place();
    }

    /// @param first from whom on the plan was made anew
    private void checkNoneIsLater(Map<JobId, Long> before, JobId first) {
        Map<JobId, Long> after = starts();
        before.forEach((job, start) -> {
            JobStatus status = cell.state.knownJob(job);
            if (status.run() == null && !status.state().terminal() && job.compareTo(first) < 0) {
                assertThat(after.getOrDefault(job, Long.MAX_VALUE))
                        .as("start of %s", job)
                        .isLessThanOrEqualTo(start);
            }
        });
    }

    private static boolean of(String user, JobStatus job) {
        return job.description().user().equals(user);
    }

    private long gpusOf(Predicate<JobStatus> some) {
        return jobs().filter(some).mapToLong(it -> it.description().request().totalGpus()).sum();
    }

    private static long latestEnd(JobStatus job) {
        Run run = job.run();
        return run == null
                ? Long.MAX_VALUE
                : Scheduling.latestEnd(run.placedAt(), job.description().timeLimitSeconds() * 1000);
    }
}
