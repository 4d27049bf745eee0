package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Inventory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class GpuLayoutTest {

    /// Two groups of four with double and single NVLinks inside and across.
    private static final GpuLinks DGX_1 =
            new GpuLinks(
                    List.of(
                            "X NV1 NV1 NV2 NV2 SYS SYS SYS",
                            "NV1 X NV2 NV1 SYS NV2 SYS SYS",
                            "NV1 NV2 X NV2 SYS SYS NV1 SYS",
                            "NV2 NV1 NV2 X SYS SYS SYS NV1",
                            "NV2 SYS SYS SYS X NV1 NV1 NV2",
                            "SYS NV2 SYS SYS NV1 X NV2 NV1",
                            "SYS SYS NV1 SYS NV1 NV2 X NV2",
                            "SYS SYS SYS NV1 NV2 NV1 NV2 X"));

    private static GpuLayout layout(@Nullable GpuLinks links, int... numaNodes) {
        var gpus = new ArrayList<Gpu>();
        for (int i = 0; i < numaNodes.length; i++) {
            gpus.add(new Gpu(i, "GPU-" + i, "v100", "V100", i, 32768, numaNodes[i]));
        }
        var inventory =
                new Inventory(
                        2, 20, 2, 80, 524288, gpus, List.of(), false, null, "Linux", "amd64", links,
                        null);
        return new GpuLayout.Known().of(inventory);
    }

    private static GpuLinks all(int size, String word) {
        return new GpuLinks(
                Collections.nCopies(size, word).stream()
                        .map(_ -> new ArrayList<>(Collections.nCopies(size, word)))
                        .map(row -> String.join(" ", row))
                        .toList());
    }

    private static List<Integer> places(long bits) {
        var places = new ArrayList<Integer>();
        for (int place = 0; place < Integer.SIZE; place++) {
            if ((bits >> place & 1) != 0) {
                places.add(place);
            }
        }
        return places;
    }

    private static int free(int... places) {
        int bits = 0;
        for (int place : places) {
            bits |= 1 << place;
        }
        return bits;
    }

    private final GpuLayout dgx1 = layout(DGX_1, 0, 0, 0, 0, 1, 1, 1, 1);

    @Test
    void gpus_that_xgmi_joins_are_near_and_an_island() {
        GpuLayout pairs =
                layout(
                        new GpuLinks(
                                List.of(
                                        "X NODE XGMI NODE",
                                        "NODE X NODE XGMI",
                                        "XGMI NODE X NODE",
                                        "NODE XGMI NODE X")),
                        0,
                        0,
                        0,
                        0);

        assertThat(places(pairs.choose(free(0, 1, 3), 2))).containsExactly(1, 3);
        assertThat(places(pairs.island(free(0, 1, 2, 3), 2))).containsExactly(0, 2);
        assertThat(pairs.holdsIsland(free(0, 1, 2, 3), 3)).isFalse();
    }

    @Test
    void four_of_a_dgx_1_are_one_of_its_two_meshes() {
        long chosen = dgx1.choose(0xff, 4);

        assertThat(places(chosen)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void four_are_the_other_mesh_when_one_of_the_first_is_held() {
        long chosen = dgx1.choose(free(1, 2, 3, 4, 5, 6, 7), 4);

        assertThat(places(chosen)).containsExactly(4, 5, 6, 7);
    }

    @Test
    void two_are_joined_by_two_links_not_by_one() {
        long chosen = dgx1.choose(free(0, 1, 4), 2);

        assertThat(places(chosen)).containsExactly(0, 4);
    }

    @Test
    void one_is_the_one_that_the_others_miss_least() {
        long chosen = dgx1.choose(free(0, 4, 5, 6, 7), 1);

        assertThat(places(chosen)).containsExactly(0);
    }

    @Test
    void two_behind_one_bridge_go_before_two_across_sockets() {
        var pcie = new GpuLinks(List.of("X SYS PIX", "SYS X SYS", "PIX SYS X"));

        long chosen = layout(pcie, 0, 1, 0).choose(0b111, 2);

        assertThat(places(chosen)).containsExactly(0, 2);
    }

    @Test
    void gpus_that_a_switch_makes_equally_near_share_a_numa_node() {
        long chosen = layout(all(8, "NV12"), 3, 1, 3, 1, 7, 5, 7, 5).choose(0xff, 2);

        assertThat(places(chosen)).containsExactly(0, 2);
    }

    @Test
    void without_links_the_lowest_of_one_numa_node_are_taken() {
        long chosen = layout(null, 0, 1, 1, 1).choose(0b1111, 2);

        assertThat(places(chosen)).containsExactly(1, 2);
    }

    @Test
    void gpus_of_which_nothing_is_known_are_taken_from_the_lowest_on() {
        long chosen = layout(null, -1, -1, -1, -1).choose(0b1110, 2);

        assertThat(places(chosen)).containsExactly(1, 2);
    }
}
