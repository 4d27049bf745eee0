package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryRuleTest {

    private static final long MIB = 1L << 20;

    @Test
    void who_is_given_memory_has_so_much_and_no_swap() {
        MemoryRule.Allowed allowed = MemoryRule.AS_GIVEN.of(1000 * MIB);

        assertThat(allowed).isEqualTo(new MemoryRule.Allowed(1000 * MIB, 0, 1000 * MIB));
        assertThat(allowed.both()).isEqualTo(1000 * MIB);
    }

    /// On a machine that lets nobody have more than 2,000 MiB of RAM and 500 of swap.
    @ParameterizedTest
    @CsvSource({
        "1000, 100, 0, 1000, 0, 1000",
        "1000, 150, 0, 1500, 0, 1000",
        "1000, 98.55, 0, 985, 0, 985",
        "1000, 100, 10, 1000, 100, 1000",
        "1000, 100, 80, 1000, 500, 1000",
        "1500, 150, 10, 2000, 150, 1500",
        "3000, 100, 0, 2000, 0, 2000",
        "1, 10, 0, 1, 0, 1"
    })
    void ram_and_swap_are_parts_of_it_up_to_a_bound(
            long given, double ramPercent, double swapPercent, long ram, long swap, long high) {
        var rule =
                new MemoryRule(ramPercent, swapPercent, 2000 * MIB, 500 * MIB, OptionalInt.empty());

        assertThat(rule.of(given * MIB))
                .isEqualTo(new MemoryRule.Allowed(ram * MIB, swap * MIB, high * MIB));
    }
}
