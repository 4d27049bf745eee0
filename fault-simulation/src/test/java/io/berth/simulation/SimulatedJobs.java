package io.berth.simulation;

import io.berth.contracts.Dependency;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeRange;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// What the users of a simulated cell ask for.
///
/// @param random of the cell
/// @param wishes draws what jobs want beside room; no other draw follows from these
record SimulatedJobs(CellTraits cell, Random random, Random wishes) {

    private static final List<String> USERS = List.of("alice", "bob");

    JobDescription description(JobId job, long now) {
        int nodes = random.nextInt(4) == 0 ? 2 : 1;
        int tasks = nodes * (1 + random.nextInt(2));
        int cpusPerTask = 1 + random.nextInt(2);
        GpuRequest gpus =
                cell.sharing() && nodes == 1 && random.nextBoolean()
                        ? GpuRequest.of(
                                new ShareRequest(
                                        GpuSharing.MPS, 50 * (1 + random.nextInt(20)), null),
                                null)
                        : cell.dividing() && nodes == 1 && random.nextBoolean()
                                ? instances()
                                : wholeGpus(job, nodes);
        // Every fifth job takes a node more where one is free.
        boolean wide = job.value() % 5 == 0 && gpus.share() == null;
        var request =
                new ResourceRequest(
                        nodes,
                        tasks,
                        cpusPerTask,
                        MemoryRequest.perCpu(1024),
                        gpus,
                        where(),
                        null,
                        null,
                        wide ? new NodeRange(nodes, nodes + 1, true) : null);
        var description =
                new JobDescription(
                        USERS.get(random.nextInt(2)),
                        cell.account(job),
                        random.nextInt(4) == 0 ? "urgent" : "batch",
                        random.nextInt(4) == 0 ? "high" : "normal",
                        "job",
                        request,
                        random.nextBoolean() ? LaunchMode.BATCH : LaunchMode.PER_NODE,
                        600,
                        0,
                        random.nextInt(4) != 0,
                        terms(job, now));
        return new JobWishes(cell, wishes).of(job, inPartitions(job, description));
    }

    /// What its nodes are rather: half of all jobs have it one way or the other.
    private @Nullable NodeConstraints where() {
        return switch (wishes.nextInt(4)) {
            case 0 -> NodeConstraints.NONE.preferring(FeatureExpression.parse("v100"));
            case 1 -> NodeConstraints.NONE.preferring(FeatureExpression.parse("a100&x86_64"));
            default -> null;
        };
    }

    /// Some may start in several; none that is a component of a set.
    private static JobDescription inPartitions(JobId job, JobDescription description) {
        return switch (job.value() % 6 == 4 ? 0 : (int) (job.value() % 7)) {
            case 3 -> description.inAnyOf(List.of("pair", "batch"));
            case 5 -> description.inAnyOf(List.of("batch", "urgent", "pair"));
            default -> description;
        };
    }

    /// A small one, so that all can run at once, and users' limits let them.
    JobDescription component(JobDescription first) {
        boolean many = first.request().totalGpus() > 4;
        return new JobDescription(
                USERS.get(random.nextInt(2)),
                first.account(),
                first.partition(),
                random.nextInt(4) == 0 ? "high" : "normal",
                "job",
                TestCell.gpus(1, many ? 0 : random.nextInt(2), null),
                LaunchMode.BATCH,
                600,
                0,
                random.nextInt(8) != 0,
                random.nextBoolean() ? first.terms() : null);
    }

    /// Where nodes have GPUs of two types, two of three jobs take no more of one than those have,
    /// and the third takes some of each.
    private GpuRequest wholeGpus(JobId job, int nodes) {
        int most = cell.mixed() && nodes > 1 ? 2 : 4;
        int count = random.nextInt(cell.sharing() ? Math.min(most, 2) + 1 : most + 1);
        return cell.mixed() && job.value() % 3 == 1
                ? GpuRequest.ofTypes(
                        Map.of("a100", cell.sharing() ? 1 : 1 + count % 2, "v100", 1), null)
                : new GpuRequest(count, null);
    }

    private GpuRequest instances() {
        return switch (random.nextInt(3)) {
            case 0 -> new GpuRequest(1, "h100_7g.80gb");
            case 1 -> new GpuRequest(1 + random.nextInt(2), "3g.40gb");
            default -> new GpuRequest(1 + random.nextInt(4), "1g.10gb");
        };
    }

    private @Nullable JobTerms terms(JobId job, long now) {
        if (cell.urgent() && random.nextInt(4) == 0) {
            long deadline = now + 600_000 + random.nextInt(150_000);
            return JobTerms.NONE.with(to -> to.deadlineAt = deadline);
        }
        if (random.nextInt(3) != 0 || job.value() == 1) {
            return null;
        }
        var other = new JobId(1 + random.nextInt((int) job.value() - 1));
        Dependency.Type[] types = Dependency.Type.values();
        Dependency.Type type = types[random.nextInt(types.length)];
        boolean alone = type == Dependency.Type.SINGLETON;
        var clause = new Dependency.Clause(type, alone ? null : other, null, 0);
        return JobTerms.NONE.with(to -> {
            to.hold = random.nextInt(4) == 0 ? Hold.USER : null;
            to.beginAt = random.nextBoolean() ? now + random.nextInt(30_000) : null;
            to.dependency = new Dependency(false, List.of(clause));
            to.killOnInvalidDependency = true;
        });
    }
}
