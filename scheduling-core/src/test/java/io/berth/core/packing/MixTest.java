package io.berth.core.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MixTest {

    private static final Shape OFTEN = new Shape(1000, 0, 1, 500, -1);
    private static final Shape SELDOM = new Shape(1000, 0, 2, 1000, -1);
    private static final Shape CPUS = new Shape(1000, 0, 0, 0, -1);

    private static void add(Mix mix, Shape shape, int times) {
        for (int i = 0; i < times; i++) {
            mix.add(shape);
        }
    }

    @Test
    void shapes_without_gpus_do_not_count() {
        var mix = new Mix();

        add(mix, CPUS, 150);

        assertThat(mix.shapes()).isEmpty();
        assertThat(mix.sum()).isZero();
    }

    @Test
    void the_picture_is_taken_anew_after_100_and_then_with_every_three_tenths_more() {
        var mix = new Mix();
        add(mix, SELDOM, 1);
        assertThat(mix.sum()).isEqualTo(1);

        add(mix, OFTEN, 98);
        assertThat(mix.sum()).isEqualTo(1);

        add(mix, OFTEN, 1);
        assertThat(mix.sum()).isEqualTo(100);

        add(mix, OFTEN, 29);
        assertThat(mix.sum()).isEqualTo(100);

        add(mix, OFTEN, 1);
        assertThat(mix.sum()).isEqualTo(130);
    }

    @Test
    void a_shape_is_found_as_often_as_it_arrived() {
        var mix = new Mix();
        add(mix, SELDOM, 25);
        add(mix, OFTEN, 75);

        assertThat(IntStream.range(0, mix.sum()).mapToObj(mix::shape))
                .startsWith(SELDOM)
                .endsWith(OFTEN)
                .filteredOn(SELDOM::equals)
                .hasSize(25);
    }
}
