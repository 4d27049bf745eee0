package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.RANKINGS;
import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Submission;
import io.berth.core.priority.ClusterSize;
import io.berth.core.priority.Multifactor;
import io.berth.core.state.CellState;
import io.berth.priority.PriorityService;
import io.berth.simulation.SimulatedClients.Group;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// Two instances of priority, which are the service itself.
final class Rankers {

    /// So many steps without a new rank are a while.
    private static final int QUIET = 5;

    private final SimulatedLog log;
    private final Group group = new Group();
    private final List<SimulatedClients> instances;
    private ClusterSize sizeBefore = ClusterSize.UNKNOWN;
    private int quietSteps;

    Rankers(SimulatedLog log, RandomGenerator random, LongSupplier right) {
        this.log = log;
        this.instances = List.of(instance(random, right), instance(random, right));
    }

    private SimulatedClients instance(RandomGenerator random, LongSupplier right) {
        return new SimulatedClients(log, group, random, right, _ -> {});
    }

    /// Something happens to one of them.
    void trouble(RandomGenerator random) {
        SimulatedClients one = instances.get(random.nextInt(instances.size()));
        revive(one);
        switch (random.nextInt(12)) {
            case 0 -> one.kill();
            case 1 -> one.cutOff(random.nextBoolean());
            case 2, 3 -> group.elect(one);
            case 4 -> one.land(1);
            case 5, 6 -> one.untilPolled(2);
            default -> {
                for (int calls = random.nextInt(10); calls >= 0; calls--) {
                    one.step();
                }
            }
        }
    }

    void die() {
        instances.forEach(SimulatedClients::kill);
    }

    private static void revive(SimulatedClients one) {
        if (!one.alive()) {
            one.start(() -> new PriorityService(one, one).run());
        }
    }

    private void calm() {
        if (instances.stream().noneMatch(group::elected)) {
            group.elect(instances.getFirst());
        }
        for (SimulatedClients one : instances) {
            one.cutOff(false);
            revive(one);
            one.untilPolled(2);
            one.landAll();
        }
    }

    /// They do what there is to do until nothing comes of it any more.
    void settle() {
        long end;
        do {
            end = log.end(RANKINGS);
            for (int turns = 0; turns < 10; turns++) {
                calm();
            }
        } while (log.end(RANKINGS) > end);
    }

    /// They do what there is to do; once nothing has come of that for a while, and all that came of
    /// it before was read, placement knows each job that waits by the rank that is its own.
    void calm(MeshAuditor auditor, Configuration configuration) {
        long end = log.end(RANKINGS);
        calm();
        ClusterSize size = size(auditor.state());
        quietSteps = log.end(RANKINGS) == end && size.equals(sizeBefore) ? quietSteps + 1 : 0;
        sizeBefore = size;
        if (quietSteps > QUIET && auditor.position(RANKINGS) == end) {
            for (JobStatus job : auditor.state().jobs()) {
                if (job.state() == JobState.PENDING && job.rank().version() > 0) {
                    assertThat(job.rank())
                            .as("rank of job %s as placement knows it", job.job())
                            .isEqualTo(rank(job, configuration, size, job.rank().version()));
                }
            }
        }
    }

    private static Rank rank(
            JobStatus job, Configuration configuration, ClusterSize size, long version) {
        return Multifactor.rank(job.description(), configuration, size, version);
    }

    private static ClusterSize size(CellState state) {
        ClusterSize size = ClusterSize.UNKNOWN;
        for (NodeStatus node : state.nodes()) {
            size = size.plus(ClusterSize.of(node.seen().inventory()));
        }
        return size;
    }

    /// That each job that waits has the rank that is its own, and none that is over has one. Of one
    /// that was ended and lives again placement knows the rank, and nothing is published anew.
    void assertRanked(CellState state, Configuration configuration) {
        Map<JobId, Rank> published = published();
        ClusterSize size = size(state);
        for (JobStatus job : state.jobs()) {
            Rank rank = published.get(job.job());
            if (job.state().terminal()) {
                assertThat(rank).as("rank of job %s, which is over", job.job()).isNull();
            } else if (job.state() == JobState.PENDING) {
                Rank known = rank == null ? job.rank() : rank;
                long version = known.version();
                assertThat(known)
                        .as("rank of job %s", job.job())
                        .isEqualTo(rank(job, configuration, size, version));
            }
        }
    }

    /// That no other job has one: but for those submitted since all that are known, which are void,
    /// as is seen when another one is known.
    void assertNoOtherRanked(CellState state) {
        long last = state.jobs().stream().mapToLong(JobStatus::submission).max().orElse(-1);
        Set<JobId> known = new TreeSet<>();
        state.jobs().forEach(it -> known.add(it.job()));
        for (Message message : log.read(SUBMISSIONS, last + 1)) {
            if (message.value() instanceof Submission.Submitted it) {
                it.jobs().forEach(one -> known.add(one.job()));
            }
        }
        assertThat(published().keySet()).as("jobs with ranks").isSubsetOf(known);
    }

    private Map<JobId, Rank> published() {
        var published = new TreeMap<JobId, Rank>();
        for (Message message : log.read(RANKINGS, 0)) {
            JobId job = new JobId(Long.parseLong(message.key()));
            if (message.value() instanceof Ranked it) {
                published.put(job, it.rank());
            } else {
                published.remove(job);
            }
        }
        return published;
    }
}
