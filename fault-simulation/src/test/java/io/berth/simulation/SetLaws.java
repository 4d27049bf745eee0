package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.HetComponent;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.core.state.CellState;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What holds of heterogeneous jobs after every round: their components wait together, start
/// together, and none is left behind.
final class SetLaws {

    private SetLaws() {}

    static void check(CellState state) {
        for (JobStatus job : state.jobs()) {
            HetComponent set = job.description().het();
            if (set != null && set.first().equals(job.job())) {
                check(set.jobs().stream().flatMap(id -> state.job(id).stream()).toList());
            }
        }
    }

    private static void check(List<JobStatus> set) {
        boolean waits = set.stream().anyMatch(it -> it.state() == JobState.PENDING);
        boolean starts = set.stream().anyMatch(it -> undecided(it) && !gone(it));
        assertThat(!waits || set.stream().noneMatch(SetLaws::undecided))
                .as("none runs while another waits: %s", set)
                .isTrue();
        assertThat(!waits || set.stream().noneMatch(it -> it.state().terminal()))
                .as("none waits that can never start: %s", set)
                .isTrue();
        assertThat(!starts || set.stream().allMatch(it -> undecided(it) && !gone(it)))
                .as("all start or none does: %s", set)
                .isTrue();
        assertThat(set.stream().filter(it -> it.state() == JobState.PENDING))
                .as("all are eligible, or none is: %s", set)
                .extracting(it -> it.eligible() && set.stream().allMatch(SetLaws::pending))
                .allMatch(it -> it == set.getFirst().eligible());
    }

    private static boolean pending(JobStatus job) {
        return job.state() == JobState.PENDING;
    }

    private static boolean undecided(JobStatus job) {
        return job.run() != null && job.run().outcome() == null;
    }

    private static boolean gone(JobStatus job) {
        return Objects.requireNonNull(job.run()).gone();
    }

    /// That a run's code may run: all parts that start together are there, and were given the word
    /// to go.
    ///
    /// @param known what is committed
    /// @param prepared whether that node has ever had its part of that run
    static void checkStarted(
            Function<JobId, @Nullable JobStatus> known,
            BiPredicate<RunId, NodeName> prepared,
            RunId run) {
        JobStatus job = known.apply(run.job());
        if (job == null || job.run() == null || job.run().lease() != run.lease()) {
            return;
        }
        HetComponent set = job.description().het();
        if (set == null && job.run().parts().size() == 1) {
            return;
        }
        assertThat(job.run().gone()).as("%s starts at the word to go", run).isTrue();
        for (JobId each : set == null ? List.of(run.job()) : set.jobs()) {
            JobStatus with = known.apply(each);
            if (with != null && with.run() != null && with.run().gone()) {
                var its = new RunId(each, with.run().lease());
                assertThat(with.run().parts())
                        .as("%s starts when all its parts are there", run)
                        .noneMatch(part -> part.phase() == Part.Phase.ORDERED)
                        .allMatch(part -> prepared.test(its, part.allocation().node()));
            }
        }
    }
}
