package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/// That what each run of a simulated cell holds is what its job asks for, and that nobody else has
/// what it has for itself.
final class AllocationLaws {

    private AllocationLaws() {}

    static void check(CellState state) {
        var licenses = new HashMap<String, Integer>();
        var tasks = new HashMap<JobId, Integer>();
        var cards = new TreeMap<NodeName, Long>();
        for (JobId id : state.holding()) {
            JobStatus job = state.knownJob(id);
            JobStatus.Run run = Objects.requireNonNull(job.run());
            List<Part> parts = run.parts();
            job.description()
                    .request()
                    .licensesHeld()
                    .forEach((name, count) -> licenses.merge(name, count, Integer::sum));
            for (Part part : parts) {
                if (part.phase() != Part.Phase.ENDED) {
                    Allocation it = part.allocation();
                    it.gres().forEach(gres -> cards.merge(it.node(), gres.count(), Long::sum));
                }
            }
            ArrayTask task = job.description().array();
            if (task != null) {
                assertThat(tasks.merge(task.array(), 1, Integer::sum))
                        .as("tasks of array %s", task)
                        .isLessThanOrEqualTo(task.throttle());
            }
            if (run.outcome() == null && parts.stream().noneMatch(AllocationLaws::over)) {
                checkHeld(state, job, parts.stream().map(Part::allocation).toList());
            }
        }
        assertThat(licenses.values()).as("licenses").allMatch(it -> it <= JobWishes.LICENSES);
        assertThat(cards.values()).as("cards").allMatch(it -> it <= JobWishes.CARDS.count());
    }

    /// What holds of those who start now: nodes that come later may stand between theirs.
    static void checkStarted(CellState state, List<Fact> placed) {
        List<NodeName> known = state.nodes().stream().map(NodeStatus::node).toList();
        for (Fact fact : placed) {
            if (fact instanceof Fact.JobChanged(var job)
                    && job.run() != null
                    && job.description().request().where().sideBySide()) {
                List<Integer> places =
                        job.run().allocations().stream()
                                .map(it -> (Integer) known.indexOf(it.node()))
                                .sorted()
                                .toList();
                assertThat(places.getLast() - places.getFirst())
                        .as("%s side by side for %s", places, job)
                        .isEqualTo(places.size() - 1);
            }
        }
    }

    private static boolean over(Part part) {
        return part.phase() == Part.Phase.ENDED;
    }

    private static void checkHeld(CellState state, JobStatus job, List<Allocation> all) {
        JobDescription description = job.description();
        ResourceRequest request = description.request().onNodes(all.size());
        boolean alone = request.where().sharing() == Sharing.NODE;
        for (Allocation it : all) {
            Inventory node = state.node(it.node()).orElseThrow().seen().inventory();
            assertThat(it.tasks()).as("tasks of %s", job).isEqualTo(request.tasksOn(it.index()));
            assertThat(it.cpus().size())
                    .as("CPUs of %s", job)
                    .isGreaterThanOrEqualTo(request.cpusOn(it.index()));
            assertThat(it.memoryMib())
                    .as("memory of %s", job)
                    .isGreaterThanOrEqualTo(request.memoryMibOn(it.index(), node.memoryMib()));
            checkGpus(job, request, it, node);
            for (Gres gres : request.gres()) {
                assertThat(it.gres())
                        .as("%s of %s", gres, job)
                        .anyMatch(held ->
                                gres.admits(held)
                                        && (alone
                                                ? held.count() >= gres.count()
                                                : held.count() == gres.count()));
            }
        }
        checkWhere(job, request.where(), all.stream().map(Allocation::node).toList());
        checkAlone(state, job, request.where().sharing(), all);
    }

    private static void checkGpus(
            JobStatus job, ResourceRequest request, Allocation it, Inventory node) {
        if (request.gpus().share() != null) {
            assertThat(it.share()).as("part of %s", job).isNotNull();
            return;
        }
        if (request.where().sharing() == Sharing.NODE) {
            assertThat(it.gpus())
                    .as("GPUs of %s", job)
                    .hasSizeGreaterThanOrEqualTo(request.gpusOn(it.index()));
            return;
        }
        assertThat(it.gpus()).as("GPUs of %s", job).hasSize(request.gpusOn(it.index()));
        var types = new TreeMap<String, Integer>();
        for (Gpu gpu : node.gpus()) {
            if (it.gpus().contains(gpu.uuid())) {
                types.merge(gpu.type(), 1, Integer::sum);
            }
        }
        if (!request.gpus().byType().isEmpty()) {
            assertThat(types).as("of %s", job).isEqualTo(request.gpuTypesOn(it.index()));
        }
        if (request.where().linked() != null) {
            List<Integer> indices =
                    node.gpus().stream()
                            .filter(gpu -> it.gpus().contains(gpu.uuid()))
                            .map(gpu -> node.gpus().indexOf(gpu))
                            .toList();
            assertThat(indices)
                    .as("an NVLink island of %s", job)
                    .allMatch(from ->
                            indices.stream()
                                    .allMatch(to ->
                                            from.equals(to)
                                                    || Objects.requireNonNull(node.links())
                                                            .linked(from, to)));
        }
    }

    private static void checkWhere(JobStatus job, NodeConstraints where, List<NodeName> nodes) {
        assertThat(nodes).as("nodes of %s", job).noneMatch(where.excluded()::contains);
        List<NodeName> listed = where.nodeList();
        boolean all = listed.size() <= nodes.size();
        assertThat(all ? nodes.containsAll(listed) : listed.containsAll(nodes))
                .as("%s are nodes of %s", nodes, job)
                .isTrue();
        boolean oneRack = where.switches() != null && where.switches().endless();
        boolean oneBlock = where.segment() != null && where.segment() == nodes.size();
        if (nodes.size() > 1 && (oneRack || oneBlock)) {
            assertThat(nodes).as("nodes of %s", job).doesNotContain(new NodeName("n3"));
        }
    }

    /// Those who stand still, to make way for it, do not count.
    private static void checkAlone(
            CellState state, JobStatus job, Sharing sharing, List<Allocation> all) {
        if (sharing != Sharing.NODE && sharing != Sharing.USER) {
            return;
        }
        var nodes = new HashSet<NodeName>();
        all.forEach(it -> nodes.add(it.node()));
        for (JobId id : state.holding()) {
            JobStatus other = state.knownJob(id);
            if (!id.equals(job.job()) && (sharing == Sharing.NODE || !ofSame(job, other))) {
                assertThat(runsOn(other)).as("%s beside %s", other, job).noneMatch(nodes::contains);
            }
        }
    }

    private static boolean ofSame(JobStatus one, JobStatus other) {
        return one.description().user().equals(other.description().user());
    }

    private static List<NodeName> runsOn(JobStatus job) {
        JobStatus.Run run = Objects.requireNonNull(job.run());
        return run.standstill().suspended()
                ? List.of()
                : run.parts().stream()
                        .filter(it -> it.phase() != Part.Phase.ENDED)
                        .map(it -> it.allocation().node())
                        .toList();
    }
}
