package io.berth.core.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds of every policy, over seeded random clusters and arrivals. A failure names its seed.
final class PackingLawsTest {

    private static final int SEEDS = 12;
    private static final int ARRIVALS = 260;

    static List<String> policies() {
        return Policies.names();
    }

    static List<String> policiesThatDoNotKnowTheList() {
        return Policies.names().stream().filter(name -> !name.equals("fgd-paper")).toList();
    }

    static List<String> policiesThatDrawNoLots() {
        return Policies.names().stream().filter(name -> !name.equals("random")).toList();
    }

    private static List<FreeNode> cluster(Random random) {
        var nodes = new ArrayList<FreeNode>();
        for (int i = 0; i < 1 + random.nextInt(12); i++) {
            var gpus = new int[random.nextInt(9)];
            Arrays.fill(gpus, Shape.WHOLE);
            var types = new int[gpus.length];
            Arrays.fill(types, random.nextInt(3));
            Arrays.fill(types, 0, random.nextInt(gpus.length + 1), random.nextInt(3));
            nodes.add(
                    new FreeNode(
                            4000 + random.nextInt(60_000),
                            1000 + random.nextInt(50_000),
                            types,
                            gpus,
                            gpus.length));
        }
        return nodes;
    }

    private static List<Shape> arrivals(Random random) {
        var kinds = new ArrayList<Shape>();
        for (int i = 0; i < 12; i++) {
            if (i % 4 == 3) {
                kinds.add(ofTypes(random));
                continue;
            }
            int gpus = random.nextInt(5) - 1;
            boolean shared = gpus <= 1 && random.nextBoolean();
            kinds.add(
                    new Shape(
                            random.nextInt(6000),
                            random.nextInt(4000),
                            Math.max(0, gpus),
                            gpus <= 0 ? 0 : shared ? 1 + random.nextInt(999) : Shape.WHOLE,
                            random.nextInt(4) == 0 ? 1 + random.nextInt(7) : -1));
        }
        var list = new ArrayList<Shape>();
        for (int i = 0; i < ARRIVALS; i++) {
            list.add(kinds.get(random.nextInt(kinds.size())));
        }
        return list;
    }

    private static Shape ofTypes(Random random) {
        int other = 1 + random.nextInt(2);
        return Shape.ofTypes(
                random.nextInt(6000),
                random.nextInt(4000),
                List.of(
                        new Shape.OfType(1 + random.nextInt(2), 1),
                        new Shape.OfType(1 + random.nextInt(2), 1L << other)));
    }

    private static int[] places(String policy, List<FreeNode> nodes, List<Shape> list) {
        var packer = new Packer(nodes, Policies.of(policy, nodes, list, 5));
        return list.stream().mapToInt(packer::place).toArray();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void a_shape_that_fits_anywhere_is_placed_where_it_fits(String policy) {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            List<FreeNode> nodes = cluster(random);
            List<Shape> list = arrivals(random);
            var packer = new Packer(nodes, Policies.of(policy, nodes, list, seed));
            for (Shape shape : list) {
                List<FreeNode> before = packer.free();
                boolean fits = before.stream().anyMatch(node -> node.fits(shape));

                int place = packer.place(shape);

                assertThat(place >= 0).as("seed %s: %s", seed, shape).isEqualTo(fits);
                assertThat(place < 0 || before.get(place).fits(shape)).as("seed " + seed).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void a_node_gives_what_the_shape_wants_and_no_more(String policy) {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            List<FreeNode> nodes = cluster(random);
            List<Shape> list = arrivals(random);
            var packer = new Packer(nodes, Policies.of(policy, nodes, list, seed));
            for (Shape shape : list) {
                List<FreeNode> before = packer.free();
                int place = packer.place(shape);
                if (place < 0) {
                    continue;
                }
                FreeNode was = before.get(place);
                FreeNode is = packer.free().get(place);
                int touched = 0;
                for (int gpu = 0; gpu < was.gpus.length; gpu++) {
                    int taken = was.gpus[gpu] - is.gpus[gpu];
                    assertThat(taken).as("seed " + seed).isIn(0, shape.gpuMilli());
                    touched += taken > 0 ? 1 : 0;
                }
                assertThat(touched).as("seed " + seed).isEqualTo(shape.gpus());
                for (Shape.OfType some : shape.each()) {
                    assertThat(touched(was, is, some)).as("seed " + seed).isEqualTo(some.gpus());
                }
                assertThat(Arrays.stream(is.gpus).filter(free -> free < 0)).isEmpty();
                assertThat(is.cpus).isEqualTo(was.cpus - shape.cpus()).isNotNegative();
                assertThat(is.memoryMib)
                        .isEqualTo(was.memoryMib - shape.memoryMib())
                        .isNotNegative();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void the_same_arrivals_go_to_the_same_nodes(String policy) {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<FreeNode> nodes = cluster(new Random(seed));
            List<Shape> list = arrivals(new Random(seed));

            assertThat(places(policy, nodes, list))
                    .as("seed " + seed)
                    .isEqualTo(places(policy, nodes, list));
        }
    }

    @ParameterizedTest
    @MethodSource("policiesThatDoNotKnowTheList")
    void what_comes_later_moves_nothing_placed_before(String policy) {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<FreeNode> nodes = cluster(new Random(seed));
            List<Shape> list = arrivals(new Random(seed));
            List<Shape> first = list.subList(0, ARRIVALS / 2);

            assertThat(places(policy, nodes, first))
                    .as("seed " + seed)
                    .isEqualTo(Arrays.copyOf(places(policy, nodes, list), first.size()));
        }
    }

    @ParameterizedTest
    @MethodSource("policiesThatDrawNoLots")
    void remembered_costs_decide_as_fresh_ones(String policy) {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<FreeNode> nodes = cluster(new Random(seed));
            List<Shape> list = arrivals(new Random(seed));

            assertThat(places(policy, nodes, list))
                    .as("seed " + seed)
                    .isEqualTo(placesWithoutMemory(policy, nodes, list));
        }
    }

    private static int[] placesWithoutMemory(String name, List<FreeNode> nodes, List<Shape> list) {
        List<FreeNode> free =
                IntStream.range(0, nodes.size()).mapToObj(at -> nodes.get(at).copy(at)).toList();
        PackingPolicy policy = Policies.of(name, nodes, list, 5);
        return list.stream().mapToInt(shape -> place(policy, free, shape)).toArray();
    }

    private static int place(PackingPolicy policy, List<FreeNode> free, Shape shape) {
        policy.arrived(shape);
        int best = -1;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < free.size(); i++) {
            if (free.get(i).fits(shape) && policy.cost(free.get(i), shape) < least) {
                least = policy.cost(free.get(i), shape);
                best = i;
            }
        }
        if (best >= 0) {
            FreeNode node = free.get(best);
            node.take(shape, policy.gpus(node, shape));
            node.kinds |= shape.gpus() == 0 ? 0 : GpuClustering.kind(shape);
        }
        return best;
    }

    private static long touched(FreeNode was, FreeNode is, Shape.OfType some) {
        return IntStream.range(0, was.gpus.length)
                .filter(gpu -> was.gpus[gpu] > is.gpus[gpu])
                .filter(gpu -> (some.gpuTypes() >> was.types[gpu] & 1) != 0)
                .count();
    }
}
