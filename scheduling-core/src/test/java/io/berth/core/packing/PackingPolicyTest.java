package io.berth.core.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Which node, and which of its GPUs: small cases worked out by hand.
final class PackingPolicyTest {

    private static final int PLENTY = 64_000;

    static List<String> policies() {
        return Policies.names();
    }

    private static FreeNode node(int... gpuMilli) {
        return new FreeNode(PLENTY, PLENTY, 0, gpuMilli);
    }

    private static FreeNode nodeWithCpus(int cpus, int... gpuMilli) {
        return new FreeNode(cpus, PLENTY, 0, gpuMilli);
    }

    private static Shape share(int milli) {
        return new Shape(1000, 0, 1, milli, -1);
    }

    private static Shape whole(int gpus) {
        return new Shape(1000, 0, gpus, Shape.WHOLE, -1);
    }

    private static int chosen(String policy, Shape shape, FreeNode... nodes) {
        return packer(policy, List.of(shape), nodes).place(shape);
    }

    private static Packer packer(String policy, List<Shape> list, FreeNode... nodes) {
        List<FreeNode> cluster = Arrays.asList(nodes);
        return new Packer(cluster, Policies.of(policy, cluster, list, 1));
    }

    @Test
    void first_fit_takes_the_first_node_with_room() {
        assertThat(chosen("first-fit", share(500), node(400), node(1000), node(500))).isEqualTo(1);
    }

    /// The first leaves 300 of its GPU, the second 100, and the third as much with fewer CPUs.
    @Test
    void tightest_takes_the_gpu_then_the_node_with_the_least_left() {
        assertThat(
                        chosen(
                                "tightest",
                                share(400),
                                nodeWithCpus(2_000, 700),
                                nodeWithCpus(9_000, 1000, 500),
                                nodeWithCpus(8_000, 1000, 500)))
                .isEqualTo(2);
    }

    @Test
    void least_loaded_takes_the_node_with_the_most_free_cpus() {
        assertThat(
                        chosen(
                                "least-loaded",
                                share(400),
                                nodeWithCpus(2_000, 400),
                                nodeWithCpus(9_000, 1000)))
                .isEqualTo(1);
    }

    /// Two GPUs of type 0 and three of type 1: a job's are of one type.
    @Test
    void gpus_of_a_job_are_of_one_type() {
        var node =
                new FreeNode(
                        PLENTY,
                        PLENTY,
                        new int[] {0, 0, 1, 1, 1},
                        new int[] {1000, 1000, 1000, 1000, 1000},
                        5);
        for (String policy : Policies.live()) {
            var packer = packer(policy, List.of(), node);
            assertThat(packer.place(whole(3))).as(policy).isZero();
            assertThat(packer.free().getFirst().gpus).containsExactly(1000, 1000, 0, 0, 0);
            assertThat(packer.place(whole(3))).as(policy).isEqualTo(-1);
            assertThat(packer.place(whole(2))).as(policy).isZero();
        }
    }

    private static FreeNode node(int cpus, int[] types) {
        var gpus = new int[types.length];
        Arrays.fill(gpus, Shape.WHOLE);
        return new FreeNode(cpus, PLENTY, types, gpus, gpus.length);
    }

    private static Shape ofTypes(int cpus, int ofFirst, int ofSecond) {
        return Shape.ofTypes(
                cpus, 0, List.of(new Shape.OfType(ofFirst, 1), new Shape.OfType(ofSecond, 2)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void a_job_of_several_types_has_so_many_gpus_of_each(String policy) {
        FreeNode one = node(PLENTY, new int[] {0, 0, 0, 0});
        FreeNode both = node(PLENTY, new int[] {0, 0, 0, 1, 1});
        Shape shape = ofTypes(1000, 2, 1);
        Packer packer = packer(policy, List.of(shape), one, both);

        assertThat(packer.place(shape)).isEqualTo(1);
        assertThat(packer.free().get(1).gpus).containsExactly(0, 0, 1000, 0, 1000);
        assertThat(packer.place(shape)).isEqualTo(-1);
        assertThat(packer.place(ofTypes(1000, 1, 1))).isEqualTo(1);
    }

    /// All but the last arrivals want a GPU of each type, which only the first node has.
    @ParameterizedTest
    @CsvSource({"first-fit, 0", "fgd, 1", "default, 1"})
    void one_gpu_is_not_taken_of_two_types_that_go_together(String policy, int place) {
        FreeNode both = node(PLENTY, new int[] {0, 1});
        FreeNode one = node(PLENTY, new int[] {0, 0});
        PackingPolicy learnt = Policies.of(policy, List.of(both, one));
        for (int i = 0; i < 200; i++) {
            learnt.arrived(ofTypes(1000, 1, 1));
        }
        var packer = new Packer(List.of(both, one), learnt);

        assertThat(packer.place(new Shape(1000, 0, 1, Shape.WHOLE, 1))).isEqualTo(place);
    }

    @Test
    void gpu_clustering_counts_gpus_of_all_types() {
        int[] types = {0, 0, 1, 1};
        Packer packer =
                packer("gpu-clustering", List.of(), node(PLENTY, types), node(PLENTY, types));

        assertThat(packer.place(whole(1))).isZero();
        assertThat(packer.place(ofTypes(1000, 1, 1))).isEqualTo(1);
        assertThat(packer.place(ofTypes(1000, 1, 1))).isEqualTo(1);
    }

    /// The products with a demand of 32 CPUs and 2 GPUs, of 64 and 4: 0.5·0.5 + 1·0.5 = 0.75, and
    /// 0.875·0.5 + 0.5·0.5 = 0.6875. With 1 GPU the first would be less.
    @Test
    void dot_product_counts_gpus_of_all_types() {
        int chosen =
                chosen(
                        "dot-product",
                        ofTypes(32_000, 1, 1),
                        node(32_000, new int[] {0, 0, 0, 1}),
                        node(56_000, new int[] {0, 1}),
                        node(64_000, new int[0]));

        assertThat(chosen).isEqualTo(1);
    }

    /// What has been learned at once is no other than before, whatever was learned in between.
    @Test
    void default_learns_the_same_of_the_same_arrivals() {
        List<Shape> some = List.of(share(470), share(530), whole(1), share(470));
        PackingPolicy policy = Policies.learning();
        policy.learn(some);
        long before = policy.cost(node(1000, 530, 200), share(470));
        policy.learn(List.of(whole(2), share(100)));
        policy.cost(node(1000, 530, 200), share(470));
        policy.learn(some);

        assertThat(policy.cost(node(1000, 530, 200), share(470))).isEqualTo(before);
    }

    /// Of the largest node's 64 CPUs and 2 GPUs, the first leaves 62/64 + 1000/2000, the second
    /// 31/64 + 1500/2000: less.
    @Test
    void best_fit_takes_the_node_with_the_least_left_of_cpus_and_gpus() {
        int chosen =
                chosen(
                        "best-fit",
                        share(500),
                        nodeWithCpus(63_000, 500, 1000),
                        nodeWithCpus(32_000, 1000, 1000),
                        nodeWithCpus(64_000, 1000, 1000));

        assertThat(chosen).isEqualTo(1);
    }

    /// The products with a demand of 1 CPU and half a GPU: 64·1/64² + 1000·500/2000² = 0.141 and
    /// 8·1/64² + 2000·500/2000² = 0.252.
    @Test
    void dot_product_takes_the_node_with_the_least_product() {
        assertThat(
                        chosen(
                                "dot-product",
                                share(500),
                                nodeWithCpus(8_000, 1000, 1000),
                                nodeWithCpus(64_000, 500, 500)))
                .isEqualTo(1);
    }

    @Test
    void gpu_packing_fills_gpus_in_use_then_nodes_in_use_then_empty_ones() {
        FreeNode empty = node(1000);
        FreeNode used = node(0, 1000);
        FreeNode wide = node(700, 1000);
        FreeNode tight = node(600, 1000);

        assertThat(chosen("gpu-packing", share(500), empty, used, wide, tight)).isEqualTo(3);
        assertThat(chosen("gpu-packing", share(650), empty, used, wide, tight)).isEqualTo(2);
        assertThat(chosen("gpu-packing", share(800), empty, used)).isEqualTo(1);
    }

    @Test
    void gpu_clustering_keeps_a_kind_of_demand_together() {
        var packer =
                packer("gpu-clustering", List.of(), node(1000, 1000), node(1000, 1000, 1000, 1000));

        assertThat(packer.place(share(500))).isZero();
        assertThat(packer.place(whole(1))).isEqualTo(1);
        assertThat(packer.place(share(300))).isZero();
        assertThat(packer.place(whole(1))).isEqualTo(1);
    }

    /// A half has come before and now comes again. On the first node it makes 500 of 1000 unusable
    /// to nobody; on the second, with 700 free, it leaves 200 that no half can use.
    @Test
    void fgd_takes_the_node_where_the_arrivals_so_far_lose_the_least() {
        var packer = packer("fgd", List.of(), node(1000), node(700));

        assertThat(packer.place(share(500))).isZero();
        assertThat(packer.place(share(500))).isZero();
        assertThat(packer.place(share(500))).isEqualTo(1);
    }

    /// Unusable by the one shape of 500: on the first node 0 before and 400 after (the GPU of 900);
    /// on the second 0 and 0. A gradient of 400 is 100·σ(−0.4) = 40.1, cut to 40, against 50.
    @Test
    void fgd_paper_takes_the_node_with_the_highest_score() {
        assertThat(chosen("fgd-paper", share(500), node(900), node(1000))).isEqualTo(1);
    }

    /// They leave 2 and 1 thousandths unusable: 100·σ(−0.002) and 100·σ(−0.001), both cut to 49.
    @Test
    void fgd_paper_takes_the_first_node_where_the_paper_s_scores_are_equal() {
        assertThat(chosen("fgd-paper", share(500), node(502), node(501))).isZero();
    }

    @Test
    void fgd_paper_knows_the_whole_list_beforehand() {
        List<Shape> quarters = Collections.nCopies(100, share(250));
        List<Shape> halves = Collections.nCopies(100, share(500));

        var amongQuarters = packer("fgd-paper", quarters, node(750), node(1000));
        var amongHalves = packer("fgd-paper", halves, node(750), node(1000));

        assertThat(amongQuarters.place(share(500))).isZero();
        assertThat(amongHalves.place(share(500))).isEqualTo(1);
    }

    @Test
    void random_is_the_same_for_the_same_seed() {
        FreeNode[] nodes = Collections.nCopies(100, node(1000)).toArray(FreeNode[]::new);
        List<FreeNode> cluster = Arrays.asList(nodes);

        int one = new Packer(cluster, Policies.of("random", cluster, List.of(), 1)).place(share(1));
        int again =
                new Packer(cluster, Policies.of("random", cluster, List.of(), 1)).place(share(1));
        int other =
                new Packer(cluster, Policies.of("random", cluster, List.of(), 2)).place(share(1));

        assertThat(again).isEqualTo(one).isNotEqualTo(other);
    }

    /// 470 leaves 530 of a free GPU, which a future fills; of the other it leaves 60, which none
    /// can.
    @Test
    void default_completes_fractions_that_go_together() {
        var packer = learnt(share(470), share(530));

        packer.place(share(470));

        assertThat(packer.free().getFirst().gpus).containsExactly(530, 530);
    }

    private static Packer learnt(Shape... mix) {
        PackingPolicy policy = Policies.learning();
        for (int i = 0; i < 200; i++) {
            policy.arrived(mix[i % mix.length]);
        }
        return new Packer(List.of(node(1000, 530)), policy);
    }

    /// Most arrivals want 8 CPUs and a GPU: the node with 9 CPUs cannot fill its two GPUs.
    @Test
    void default_saves_cpus_for_the_gpus_beside_them() {
        PackingPolicy policy = Policies.learning();
        var hungry = new Shape(8000, 0, 1, Shape.WHOLE, -1);
        for (int i = 0; i < 200; i++) {
            policy.arrived(hungry);
        }
        var packer =
                new Packer(
                        List.of(nodeWithCpus(16_000, 1000, 1000), nodeWithCpus(9_000, 1000, 1000)),
                        policy);

        assertThat(packer.place(new Shape(1000, 0, 1, Shape.WHOLE, -1))).isEqualTo(1);
    }

    @Test
    void default_keeps_a_node_whole_for_jobs_that_want_all_of_it() {
        PackingPolicy policy = Policies.learning();
        for (int i = 0; i < 200; i++) {
            policy.arrived(i % 2 == 0 ? whole(4) : whole(1));
        }
        var packer = new Packer(List.of(node(1000, 1000, 1000, 1000), node(1000, 1000)), policy);

        assertThat(packer.place(whole(1))).isEqualTo(1);
    }

    /// One in ten wants a GPU of type 1, which only the first node has; the others take any.
    @Test
    void default_keeps_gpus_of_a_type_for_jobs_that_want_it() {
        PackingPolicy policy = Policies.learning();
        for (int i = 0; i < 200; i++) {
            policy.arrived(i % 10 == 0 ? new Shape(1000, 0, 1, Shape.WHOLE, 2) : whole(1));
        }
        var wanted = new FreeNode(PLENTY, PLENTY, 1, new int[] {1000});
        var packer = new Packer(List.of(wanted, node(1000, 1000, 1000)), policy);

        assertThat(packer.place(whole(1))).isEqualTo(1);
    }

    @Test
    void there_is_no_policy_of_another_name() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Policies.of("worst-fit", List.of(node(1000)), List.of(), 0))
                .withMessageContaining("found worst-fit");
    }
}
