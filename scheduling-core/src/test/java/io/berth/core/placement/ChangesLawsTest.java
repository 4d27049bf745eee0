package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
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
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
    private static final List<String> TYPES = List.of("a100", "h100");
    private static final List<String> LEVELS = List.of("rack", "row", "hall");
    private static final List<String> PARTITIONS = List.of("batch", "pair", "urgent");
    private static final List<Long> MEMORIES = List.of(81_920L, 40_960L);

    /// A value of an axis: what would be told, and the job that asks for it.
    private record Value(String to, JobDescription job) {}

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
        assertThat(told).as("each axis is told of").containsOnlyKeys(Axis.values());
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
        NodeSeen built =
                BuiltNode.of(name, 2, BuiltNode.boards(4, 2 << random.nextInt(2)), 0, 0, 1, 1);
        Inventory inventory = built.inventory();
        boolean alike = random.nextBoolean();
        int first = random.nextInt(2);
        List<Gpu> gpus =
                inventory.gpus().stream()
                        .map(it -> {
                            int kind = alike ? first : it.index() % 2;
                            return new Gpu(
                                    it.index(),
                                    it.uuid(),
                                    TYPES.get(kind),
                                    TYPES.get(kind),
                                    it.index(),
                                    MEMORIES.get(kind),
                                    it.index() / 2);
                        })
                        .toList();
        return new NodeSeen(
                built.node(),
                built.nonce(),
                built.machineId(),
                built.bootId(),
                built.agentVersion(),
                new Inventory(
                        inventory.sockets(),
                        8,
                        1,
                        16,
                        131_072,
                        gpus,
                        List.of(),
                        true,
                        null,
                        "linux",
                        "x86_64",
                        inventory.links(),
                        inventory.hardware()),
                List.of(),
                0);
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
            values(axis, job).stream()
                    .filter(it -> starts(cell, id, it.job()))
                    .findFirst()
                    .ifPresent(it -> found.add(new Change(axis, from(axis, job), it.to())));
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

    private static String from(Axis axis, JobDescription job) {
        ResourceRequest request = job.request();
        GpuRequest gpus = request.gpus();
        SwitchLimit limit = request.where().switches();
        return switch (axis) {
            case GPUS ->
                    gpus.share() != null
                            ? part(gpus.share())
                            : gpus.byType().isEmpty()
                                    ? Integer.toString(request.gpusOn(0))
                                    : gpus.text();
            case GPUS_IN_ALL -> String.valueOf(gpus.total());
            case GPU_TYPE -> String.valueOf(gpus.type());
            case GPU_MEMORY -> String.valueOf(gpus.minMemoryMib());
            case GRES -> request.gres().getFirst().text();
            case NODES -> Integer.toString(request.nodes());
            case TIME_LIMIT -> Long.toString(job.timeLimitSeconds());
            case SWITCHES -> limit == null ? "" : Integer.toString(limit.count());
            case LEVEL -> limit == null ? "" : String.valueOf(limit.level());
            case CONTIGUOUS, LINKED -> "yes";
            case SEGMENT -> Integer.toString(request.segment());
            case SOCKETS -> gpus.textOnSocket();
            case CONSTRAINT -> String.valueOf(request.where().features());
            case NODE_LIST -> "n1";
            case PARTITION -> job.partition();
        };
    }

    private static String part(ShareRequest share) {
        return share.sharing().gres() + ":" + share.sharing().amount(share.parts());
    }

    /// All that a job could ask for instead, the smallest change first.
    private static List<Value> values(Axis axis, JobDescription job) {
        ResourceRequest request = job.request();
        GpuRequest gpus = request.gpus();
        NodeConstraints where = request.where();
        SwitchLimit limit = where.switches();
        String level = limit == null ? null : limit.level();
        Function<NodeConstraints, JobDescription> on = it -> job.with(request.on(it));
        return switch (axis) {
            case GPUS -> fewerGpus(job);
            case GPUS_IN_ALL ->
                    gpus.total() == null
                            ? List.of()
                            : down(gpus.total() - 1, request.nodes())
                                    .map(it ->
                                            new Value(
                                                    "" + it,
                                                    job.with(
                                                            request.with(
                                                                    new GpuRequest(
                                                                            0,
                                                                            gpus.type(),
                                                                            null,
                                                                            it,
                                                                            null,
                                                                            null)))))
                                    .toList();
            case GPU_TYPE ->
                    gpus.type() == null
                            ? List.of()
                            : List.of(
                                    new Value(
                                            other(gpus.type()),
                                            job.with(
                                                    request.with(gpus.ofType(other(gpus.type()))))),
                                    new Value("any", job.with(request.with(gpus.ofType(null)))));
            case GPU_MEMORY ->
                    gpus.minMemoryMib() == null
                            ? List.of()
                            : List.of(
                                    new Value(
                                            "40960",
                                            job.with(
                                                    request.with(
                                                            new GpuRequest(
                                                                    gpus.perNode(),
                                                                    null,
                                                                    null,
                                                                    null,
                                                                    null,
                                                                    40_960L)))));
            case GRES -> {
                var fewer = new ArrayList<Value>();
                for (Gres gres : request.gres()) {
                    down((int) gres.count() - 1, 1)
                            .map(gres::counted)
                            .map(it -> new Value(it.text(), job.with(request.holding(List.of(it)))))
                            .forEach(fewer::add);
                    fewer.add(new Value("none", job.with(request.holding(List.of()))));
                }
                yield fewer;
            }
            case NODES ->
                    gpus.total() != null
                            ? List.of()
                            : down(request.nodes() - 1, 1)
                                    .filter(it ->
                                            request.segment() == 0 || it % request.segment() == 0)
                                    .map(it -> new Value("" + it, job.with(onNodes(request, it))))
                                    .toList();
            case TIME_LIMIT ->
                    down((int) (job.timeLimitSeconds() - 1) / 60, 1)
                            .map(it -> new Value("" + 60 * it, job.limited(60L * it)))
                            .toList();
            case SWITCHES -> {
                if (limit == null || level != null) {
                    yield List.of();
                }
                var more = new ArrayList<Value>();
                for (int count = limit.count() + 1; count < request.nodes(); count++) {
                    more.add(
                            new Value(
                                    "" + count,
                                    on.apply(where.under(new SwitchLimit(count, null)))));
                }
                more.add(new Value("any", on.apply(where.under(null))));
                yield more;
            }
            case LEVEL -> {
                if (level == null) {
                    yield List.of();
                }
                var wider = new ArrayList<Value>();
                for (String it : LEVELS.subList(1 + LEVELS.indexOf(level), LEVELS.size())) {
                    wider.add(new Value(it, on.apply(where.under(SwitchLimit.within(it, null)))));
                }
                wider.add(new Value("any", on.apply(where.under(null))));
                yield wider;
            }
            case CONTIGUOUS -> only(where.sideBySide(), "no", on.apply(where.anywhere()));
            case SEGMENT -> {
                var less = new ArrayList<Value>();
                down(request.segment() - 1, 2)
                        .filter(it -> request.nodes() % it == 0)
                        .map(it -> new Value("" + it, on.apply(where.inBlocks(it, false))))
                        .forEach(less::add);
                less.addAll(only(request.segment() > 0, "any", on.apply(where.inAnyBlocks())));
                yield less;
            }
            case LINKED -> only(where.linked() != null, "no", on.apply(where.unlinked()));
            case SOCKETS ->
                    only(
                            gpus.perSocket() != null,
                            "any",
                            job.with(request.with(gpus.onAnySockets())));
            case CONSTRAINT ->
                    only(where.features() != null, "any", on.apply(where.ofAnyFeatures()));
            case NODE_LIST -> only(!where.nodeList().isEmpty(), "any", on.apply(where.unnamed()));
            case PARTITION ->
                    PARTITIONS.stream()
                            .filter(it -> !it.equals(job.partition()))
                            .map(it -> new Value(it, job.in(it)))
                            .filter(it -> !it.to().equals("pair") || request.nodes() == 1)
                            .toList();
        };
    }

    private static Stream<Integer> down(int from, int to) {
        return IntStream.iterate(from, it -> it >= to, it -> it - 1).boxed();
    }

    private static List<Value> only(boolean asked, String to, JobDescription job) {
        return asked ? List.of(new Value(to, job)) : List.of();
    }

    private static String other(String type) {
        return TYPES.get(1 - TYPES.indexOf(type));
    }

    private static ResourceRequest onNodes(ResourceRequest request, int nodes) {
        return new ResourceRequest(
                nodes,
                nodes,
                request.cpusPerTask(),
                request.memory(),
                request.gpus(),
                request.constraints(),
                null,
                null,
                null,
                request.gres());
    }

    private static List<Value> fewerGpus(JobDescription job) {
        ResourceRequest request = job.request();
        GpuRequest gpus = request.gpus();
        ShareRequest share = gpus.share();
        if (share != null) {
            int unit = share.sharing() == GpuSharing.MPS ? 10 : 1;
            return down(share.parts() / unit - 1, 1)
                    .map(it -> new ShareRequest(share.sharing(), it * unit, null))
                    .map(it -> new Value(part(it), job.with(request.with(GpuRequest.of(it, null)))))
                    .toList();
        }
        if (!gpus.byType().isEmpty()) {
            var fewer = new ArrayList<Value>();
            for (int less = 1; less < gpus.counted(); less++) {
                for (String type : TYPES) {
                    var rest = new TreeMap<>(gpus.byType());
                    rest.merge(type, -less, Integer::sum);
                    rest.values().removeIf(it -> it == 0);
                    if (rest.values().stream().allMatch(it -> it > 0)) {
                        fewer.add(
                                new Value(
                                        GpuRequest.text(rest),
                                        job.with(request.with(gpus.of(rest)))));
                    }
                }
            }
            return fewer;
        }
        Integer perTask = gpus.perTask();
        Integer perSocket = gpus.perSocket();
        return down(gpus.total() == null ? gpus.counted() - 1 : 0, 1)
                .filter(it -> it % gpus.sockets() == 0)
                .map(it ->
                        new Value(
                                "" + it,
                                job.with(
                                        request.with(
                                                new GpuRequest(
                                                        perTask == null ? it : 0,
                                                        gpus.type(),
                                                        perTask == null ? null : it,
                                                        null,
                                                        perSocket == null
                                                                ? null
                                                                : (Integer) (it / gpus.sockets()),
                                                        gpus.minMemoryMib())))))
                .toList();
    }
}
