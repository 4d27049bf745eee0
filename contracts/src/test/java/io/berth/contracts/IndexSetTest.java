package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IndexSetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0",
                "0-3,8|0-3,8",
                "3,1,2|1-3",
                "0-4,2-9|0-9",
                "7-7|7",
                "0,1|0-1",
                "65535|65535"
            })
    void a_list_is_printed_in_its_shortest_form(String text, String shortest) {
        assertThat(IndexSet.parse(text)).hasToString(shortest);
    }

    @Test
    void the_empty_text_is_the_empty_set() {
        assertThat(IndexSet.parse("")).isEqualTo(IndexSet.EMPTY).hasToString("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",",
                "1,",
                ",1",
                "-",
                "1-",
                "-1",
                "3-1",
                "a",
                "1-2-3",
                " 1",
                "65536",
                "0x1",
                "١",
                "99999999999"
            })
    void what_is_no_list_is_refused(String text) {
        assertThatThrownBy(() -> IndexSet.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }

    @Test
    void a_printed_set_parses_to_itself() {
        for (long seed = 0; seed < 500; seed++) {
            var set = IndexSet.of(randomBits(new Random(seed)));

            assertThat(IndexSet.parse(set.toString())).as("seed %d", seed).isEqualTo(set);
        }
    }

    @Test
    void sets_intersect_as_their_bits_do() {
        for (long seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            BitSet left = randomBits(random);
            BitSet right = randomBits(random);

            assertThat(IndexSet.of(left).intersects(IndexSet.of(right)))
                    .as("seed %d", seed)
                    .isEqualTo(left.intersects(right));
        }
    }

    @Test
    void a_set_does_not_change_with_the_bits_that_it_came_from() {
        var bits = new BitSet();
        bits.set(3);
        var set = IndexSet.of(bits);

        bits.set(4);
        set.toBitSet().set(5);

        assertThat(set).hasToString("3");
    }

    @Test
    void the_first_n_are_the_indices_below_n() {
        assertThat(IndexSet.firstN(4)).hasToString("0-3").returns(4, IndexSet::size);
        assertThat(IndexSet.firstN(0)).isEqualTo(IndexSet.EMPTY).returns(true, IndexSet::isEmpty);
    }

    private static BitSet randomBits(Random random) {
        var bits = new BitSet();
        int runs = random.nextInt(6);
        for (int i = 0; i < runs; i++) {
            int first = random.nextInt(200);
            bits.set(first, first + random.nextInt(10));
        }
        return bits;
    }
}
