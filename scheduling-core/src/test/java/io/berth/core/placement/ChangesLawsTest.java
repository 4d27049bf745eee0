package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.state.Transitions;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What a waiting job is told to change, over seeded random cells, against trying: along each axis
/// all values are tried in a fresh engine, the smallest change first, and the first that starts the
/// job is the one that is told.
///
/// Six nodes at most of two racks in each of two rows and of two blocks, of four GPUs on two
/// sockets in boards of two or four, of two types and sizes of memory, some given out in parts.
final class ChangesLawsTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 150);
    static final List<String> TYPES = List.of("a100", "h100");
    static final List<String> LEVELS = List.of("rack", "row", "hall");
    static final List<String> PARTITIONS = List.of("batch", "pair", "urgent");
    private static final List<Long> MEMORIES = List.of(81_920L, 40_960L);

    @Test
    void what_is_told_is_the_smallest_change_along_each_axis_that_starts_the_job() {
        var told = new EnumMap<Axis, Integer>(Axis.class);
        for (int seed = 0; seed < SEEDS; seed++) {
            TestCell cell = random(new Random(seed));
            for (JobId waiting : List.copyOf(cell.state.eligible())) {
                List<Change> changes =
                        new Placement(cell.state, Settings.DEFAULT)
                                .explain(waiting, cell.now)
                                .orElseThrow()
                                .changes();

                assertThat(changes)
                        .as(
                                "seed %d, job %s: %s",
                                seed, waiting, cell.state.knownJob(waiting).description())
                        .containsExactlyInAnyOrderElementsOf(tried(cell, waiting));
                changes.forEach(it -> told.merge(it.axis(), 1, Integer::sum));
            }
        }
        assertThat(told)
                .as("each axis is told of")
                .hasSizeGreaterThanOrEqualTo(Math.min(Axis.values().length, SEEDS / 5));
    }

    private static TestCell random(Random random) {
        var cell = new TestCell();
        cell.configure(it -> {
            it.blocks = new Blocks(List.of(block("a", 1, 3), block("b", 4, 6)), List.of());
            it.gres =
                    List.of(
                            new DeclaredGres(
                                    List.of("n1", "n4"), List.of(new Gres("nic", null, 3))));
            it.sharedGpus =
                    List.of(
                            new SharedGpus(List.of("n2"), null, GpuSharing.MPS, 1000),
                            new SharedGpus(List.of("n5"), null, GpuSharing.SHARD, 4));
        });
        cell.switches(
                of("r1", "rack", List.of("n1", "n2"), List.of()),
                of("r2", "rack", List.of("n3"), List.of()),
                of("r3", "rack", List.of("n4"), List.of()),
                of("r4", "rack", List.of("n5", "n6"), List.of()),
                of("east", "row", List.of(), List.of("r1", "r2")),
                of("west", "row", List.of(), List.of("r3", "r4")),
                of("all", "hall", List.of(), List.of("east", "west")));
        int nodes = 2 + random.nextInt(5);
        for (int node = 1; node <= nodes; node++) {
            String name = "n" + node;
            cell.take(new Input.Registered(node(name, random)));
            cell.take(
                    new Input.NodeAsked(
                            new NodeRequest.FeaturesSet(
                                    new NodeName(name),
                                    "root",
                                    List.of(random.nextBoolean() ? "old" : "new"))));
        }
        for (int id = 1; id <= 12; id++) {
            String partition = PARTITIONS.get(Math.max(0, random.nextInt(6) - 3));
            cell.submit(
                    id,
                    TestCell.job(request(random), 60L * (1 + random.nextInt(20))).in(partition));
            if (id == 6) {
                cell.round();
            }
        }
        cell.round();
        return cell;
    }

    private static Block block(String name, int first, int last) {
        return new Block(
                name,
                IntStream.rangeClosed(first, last).mapToObj(it -> new NodeName("n" + it)).toList());
    }

    private static Switch of(
            String name, @Nullable String level, List<String> nodes, List<String> switches) {
        return new Switch(new Part(2, 1, 1), name, nodes, switches, level);
    }

    private static NodeSeen node(String name, Random random) {
        GpuLinks links = BuiltNode.boards(4, 2 << random.nextInt(2));
        boolean alike = random.nextBoolean();
        int first = random.nextInt(2);
        List<Integer> kinds = IntStream.range(0, 4).mapToObj(it -> alike ? first : it % 2).toList();
        return BuiltNode.of(
                name,
                2,
                links,
                kinds.stream().map(TYPES::get).toList(),
                kinds.stream().map(MEMORIES::get).toList(),
                0,
                0,
                1,
                1);
    }

    private static ResourceRequest request(Random random) {
        int nodes = 1 + random.nextInt(4);
        int count = 1 + random.nextInt(4);
        String type = TYPES.get(random.nextInt(2));
        ResourceRequest plain = gpus(nodes, count, random.nextBoolean() ? type : null);
        NodeConstraints any = NodeConstraints.NONE;
        return switch (random.nextInt(15)) {
            case 0 -> plain.with(new GpuRequest(0, type, count, null, null, null));
            case 1 -> plain.with(new GpuRequest(0, null, null, nodes * count, null, null));
            case 2 ->
                    plain.with(
                            GpuRequest.ofTypes(
                                    Map.of("a100", 1 + random.nextInt(2), "h100", count), null));
            case 3 -> plain.with(new GpuRequest(count, null, null, null, null, 60_000L));
            case 4 -> gpus(1, 1, null).holding(List.of(new Gres("nic", null, count)));
            case 5 -> plain.on(any.with(it -> it.contiguous = true));
            case 6 ->
                    plain.on(
                            any.under(
                                    new SwitchLimit(
                                            1 + random.nextInt(Math.max(1, nodes - 1)), null)));
            case 7 -> plain.on(any.under(SwitchLimit.within(LEVELS.get(random.nextInt(3)), null)));
            case 8 -> gpus(4, count, null).on(any.inBlocks(2 << random.nextInt(2), false));
            case 9 -> gpus(1, count, null).on(any.inBlocks(null, true));
            case 10 -> plain.with(new GpuRequest(2, null, null, null, 1 + random.nextInt(2), null));
            case 11 -> plain.on(any.with(it -> it.features = FeatureExpression.parse("new")));
            case 12 -> plain.on(any.with(it -> it.nodeList = List.of(new NodeName("n1"))));
            case 13 -> part(GpuSharing.MPS, 100 * (2 + random.nextInt(8)));
            case 14 -> part(GpuSharing.SHARD, 1 + random.nextInt(4));
            default -> throw new AssertionError();
        };
    }

    private static ResourceRequest part(GpuSharing sharing, int parts) {
        return new ResourceRequest(
                1,
                1,
                8,
                MemoryRequest.perCpu(1024),
                GpuRequest.of(new ShareRequest(sharing, parts, null), null));
    }

    private static List<Change> tried(TestCell cell, JobId id) {
        JobDescription job = cell.state.knownJob(id).description();
        var found = new ArrayList<Change>();
        for (Axis axis : Axis.values()) {
            AxisValues.of(axis, job).stream()
                    .filter(it -> starts(cell, id, it.job()))
                    .findFirst()
                    .ifPresent(it ->
                            found.add(new Change(axis, AxisValues.asked(axis, job), it.to())));
        }
        return found;
    }

    private static boolean starts(TestCell cell, JobId id, JobDescription changed) {
        JobStatus before = cell.state.knownJob(id);
        cell.state.replay(
                new Fact.JobChanged(
                        Transitions.planned(Transitions.amended(before, changed), null)));
        var runs = new ArrayList<JobId>();
        new Placement(cell.state, Settings.DEFAULT)
                .decide(cell.now, Pass.START, (_, _) -> {})
                .forEach(fact -> {
                    if (fact instanceof Fact.JobChanged(JobStatus it)
                            && it.state() == JobState.RUNNING) {
                        runs.add(it.job());
                    }
                });
        cell.state.replay(new Fact.JobChanged(before));
        return runs.contains(id);
    }
}
