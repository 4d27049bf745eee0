package io.berth.simulator.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class GpuDemandsTest {

    private static GpuDemands demands(int... milli) {
        var demands = new GpuDemands();
        for (int one : milli) {
            demands.add(one, 1);
        }
        return demands;
    }

    @Test
    void two_demands_of_600_never_share_a_gpu() {
        assertThat(demands(600, 600, 600, 600).leastUnallocatedPercent(2))
                .isCloseTo(40, within(1.0));
    }

    @Test
    void demands_that_complete_one_another_leave_nothing() {
        assertThat(demands(600, 400, 600, 400).leastUnallocatedPercent(2))
                .isCloseTo(0, within(0.5));
    }

    @Test
    void gpus_that_nobody_asks_for_stay_free() {
        assertThat(demands(500).leastUnallocatedPercent(2)).isCloseTo(75, within(0.5));
    }

    @Test
    void several_gpus_of_one_job_count_each() {
        var demands = new GpuDemands();
        demands.add(1000, 3);

        assertThat(demands.leastUnallocatedPercent(4)).isCloseTo(25, within(0.5));
    }

    @Test
    void no_choice_and_no_packing_leaves_less() {
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            int[] milli = random.ints(3 + random.nextInt(5), 1, 1001).toArray();
            int gpus = 1 + random.nextInt(3);
            double least = 100.0 - 100.0 * mostPlaced(milli, 0, new int[gpus]) / (gpus * 1000);

            assertThat(demands(milli).leastUnallocatedPercent(gpus))
                    .as("seed " + seed)
                    .isLessThanOrEqualTo(least + 1e-9);
        }
    }

    private static int mostPlaced(int[] milli, int from, int[] used) {
        if (from == milli.length) {
            return 0;
        }
        int most = mostPlaced(milli, from + 1, used);
        for (int gpu = 0; gpu < used.length; gpu++) {
            if (used[gpu] + milli[from] <= 1000) {
                used[gpu] += milli[from];
                most = Math.max(most, milli[from] + mostPlaced(milli, from + 1, used));
                used[gpu] -= milli[from];
            }
        }
        return most;
    }
}
