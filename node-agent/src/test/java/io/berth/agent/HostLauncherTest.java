package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.TestConfig.OfMemory;
import io.berth.agent.group.MemoryRule;
import io.berth.agent.host.StartRefused;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostLauncherTest {

    @Test
    void bounds_of_memory_are_parts_of_the_machines() {
        MemoryRule rule =
                HostLauncher.memory(new OfMemory(101.5, 20, 50, 25, OptionalInt.of(0)), 4000);

        assertThat(rule)
                .isEqualTo(new MemoryRule(101.5, 20, 2000L << 20, 1000L << 20, OptionalInt.of(0)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | 100 | 100 | 10 | allowed-ram-space is from 1 to 1000, not 0.0",
                "NaN | 0 | 100 | 100 | 10 | allowed-ram-space is from 1 to 1000, not NaN",
                "100 | -1 | 100 | 100 | 10 | allowed-swap-space is from 0 to 1000, not -1.0",
                "100 | 0 | 101 | 100 | 10 | max-ram-percent is from 1 to 100, not 101.0",
                "100 | 0 | 100 | -5 | 10 | max-swap-percent is from 0 to 1000, not -5.0",
                "100 | 0 | 100 | 100 | 101 | swappiness is from 0 to 100, not 101.0"
            })
    void a_part_that_cannot_be_is_refused(
            double ram, double swap, double maxRam, double maxSwap, int swappiness, String why) {
        var config = new OfMemory(ram, swap, maxRam, maxSwap, OptionalInt.of(swappiness));

        assertThatThrownBy(() -> HostLauncher.memory(config, 4000))
                .isInstanceOf(StartRefused.class)
                .hasMessage("berth.agent.memory." + why);
    }
}
