package io.berth.core.placement;

import static io.berth.core.placement.ChangesLawsTest.LEVELS;
import static io.berth.core.placement.ChangesLawsTest.PARTITIONS;
import static io.berth.core.placement.ChangesLawsTest.TYPES;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.core.placement.Verdict.Axis;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// What a job asks for along each axis, and all that it could ask for instead in the cells of
/// [ChangesLawsTest].
final class AxisValues {

    private AxisValues() {}

    /// @param to what would be told
    /// @param job that asks for it
    record Value(String to, JobDescription job) {}

    /// What a job asks for along an axis, in the words in which it is told.
    static String asked(Axis axis, JobDescription job) {
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

    /// All that a job could ask for instead, the smallest change first. Of memories those that the
    /// GPUs have.
    static List<Value> of(Axis axis, JobDescription job) {
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
                                                    job.with(request.with(gpus.inAll(it)))))
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
                                            job.with(request.with(gpus.ofMemory(40_960L)))));
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
