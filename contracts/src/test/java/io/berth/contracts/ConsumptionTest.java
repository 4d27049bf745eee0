package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ConsumptionTest {

    @Test
    void of_two_nodes_energy_is_the_sum_use_the_mean_of_all_gpus_and_memory_the_highest() {
        var one = new Consumption(10, 5).with(new GpuConsumption(1, 90, 100L, 7L));
        var other = new Consumption(20, 7).with(new GpuConsumption(3, 10, 300L, 5L));

        assertThat(one.and(other))
                .isEqualTo(new Consumption(30, 7).with(new GpuConsumption(4, 30, 300L, 12L)));
    }

    @Test
    void what_one_node_did_not_measure_is_the_others() {
        var measured = new GpuConsumption(2, 50, 100L, 7L);
        var not = new GpuConsumption(2, null, null, null);

        assertThat(not.and(measured)).isEqualTo(new GpuConsumption(4, 50, 100L, 7L));
        assertThat(measured.and(not)).isEqualTo(new GpuConsumption(4, 50, 100L, 7L));
        assertThat(not.and(not)).isEqualTo(new GpuConsumption(4, null, null, null));
        assertThat(new Consumption(1, 1).and(new Consumption(1, 1).with(measured)).gpu())
                .isEqualTo(measured);
    }
}
