package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Amendment;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.Submission;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.request.Eligibility;
import io.berth.core.state.Fact;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds of jobs that end if they have not started in time, over seeded random ones on three
/// nodes of eight GPUs, which run to their limits or end before: with a deadline that moves now and
/// then, with a longest wait, with both, alone and together with others.
final class DeadlinesLawsTest {

    private final TestCell cell = new TestCell();
    private final Placement kept = new Placement(cell.state, Settings.DEFAULT);
    private int inTime;
    private int late;

    static Stream<Integer> seeds() {
        return Stream.iterate(0, seed -> seed + 1).limit(40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void a_job_is_expected_before_it_ends_or_not_at_all(int seed) {
        var random = new Random(seed);
        for (String node : List.of("n1", "n2", "n3")) {
            note(cell.node(node, 32, 8, "a100"));
        }
        for (long id = 1; id <= 120; id += 2) {
            if (random.nextInt(4) == 0) {
                note(cell.submitTogether(id, job(id, random), job(id, random)));
            } else if (random.nextInt(4) > 0) {
                note(cell.submit(id, job(id, random)));
            }
            amend(random);
            long until = cell.now + (random.nextInt(3) == 0 ? random.nextInt(400_000) : 0);
            do {
                cell.now = Math.min(until, kept.next(cell.now));
                end(random.nextInt(4) == 0 ? random : null);
                due();

                place(kept.stale() || random.nextInt(5) == 0 ? Pass.PLAN : Pass.START);

                cell.state.pending().forEach(this::check);
            } while (cell.now < until);
        }
        assertThat(inTime).isPositive();
        assertThat(late).isPositive();
    }

    private JobDescription job(long id, Random random) {
        long limit = 60L + random.nextInt(1800);
        JobTerms terms = random.nextInt(4) == 0 ? JobTerms.NONE : terms(limit, random);
        return TestCell.job(gpus(1 + random.nextInt(2), 1 + random.nextInt(8), null), limit)
                .on(terms)
                .inAnyOf(id % 5 == 2 ? List.of("pair", "batch") : List.of("batch"));
    }

    private JobTerms terms(long limit, Random random) {
        return JobTerms.NONE.with(to -> {
            int which = random.nextInt(3);
            to.deadlineAt =
                    which == 1 ? null : (Long) (cell.now + (limit + random.nextInt(3000)) * 1000L);
            to.maxWaitSeconds = which == 0 ? null : (Long) (60L + random.nextInt(3000));
            to.timeMinSeconds = random.nextInt(3) == 0 ? (Long) (limit / 2) : null;
        });
    }

    /// Another deadline, or another wait.
    private void amend(Random random) {
        List<JobId> pending = List.copyOf(cell.state.pending());
        if (pending.isEmpty() || random.nextInt(4) > 0) {
            return;
        }
        JobId id = pending.get(random.nextInt(pending.size()));
        JobTerms terms = terms(cell.state.knownJob(id).description().timeLimitSeconds(), random);
        var change = new Amendment(null, null, null, null, null, null, null, null, terms, null);
        note(cell.ask(new Submission.Amended(id, "alice", change)));
    }

    /// Ends the runs that have come to their limits, and another one.
    private void end(@Nullable Random random) {
        for (JobId id : List.copyOf(cell.state.holding())) {
            JobStatus job = cell.state.knownJob(id);
            Run run = job.run();
            if (run != null
                    && (latestEnd(job, run) <= cell.now + Scheduling.SLACK_MILLIS
                            || (random != null && random.nextInt(3) == 0))) {
                for (Allocation it : run.allocations()) {
                    String node = it.node().value();
                    note(cell.ready(id.value(), run.lease(), node));
                    note(cell.ended(id.value(), run.lease(), node, Cause.EXITED, 0));
                }
            }
        }
    }

    private static long latestEnd(JobStatus job, Run run) {
        return Scheduling.latestEnd(run.placedAt(), job.description().timeLimitSeconds() * 1000);
    }

    private void due() {
        List<Fact> facts = Engine.due(cell.state, cell.now);
        facts.forEach(cell.state::replay);
        note(facts);
    }

    /// Decides with what is kept from before, and from scratch.
    private void place(Pass pass) {
        List<Fact> facts = Engine.place(cell.state, kept, cell.now, pass);
        var scratch = new Placement(cell.state, Settings.DEFAULT);
        assertThat(facts).isEqualTo(Engine.place(cell.state, scratch, cell.now, pass));
        facts.forEach(cell.state::replay);
        note(facts);
    }

    private void note(List<Fact> facts) {
        facts.forEach(kept::note);
    }

    /// Of jobs that start together the one that ends first ends all.
    private void check(JobId id) {
        JobStatus job = cell.state.knownJob(id);
        long last =
                Eligibility.together(job).stream()
                        .map(cell.state::knownJob)
                        .filter(it -> it.state() == JobState.PENDING)
                        .mapToLong(Eligibility::deadline)
                        .min()
                        .orElseThrow();
        Planned planned = job.planned();
        if (planned != null) {
            assertThat(planned.start()).as("start of %s", id).isLessThan(last);
            inTime += last < Long.MAX_VALUE ? 1 : 0;
        } else {
            late += last < Long.MAX_VALUE ? 1 : 0;
        }
    }
}
