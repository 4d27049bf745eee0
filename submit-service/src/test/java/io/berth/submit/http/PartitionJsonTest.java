package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.core.placement.VictimTerms;
import io.berth.submit.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartitionJsonTest {
    @Test
    void it_tells_whose_jobs_it_takes_and_what_memory_of_a_cpu_they_have() {
        Configuration configuration = Samples.configuration();
        Partition batch = configuration.partitions().values().iterator().next();
        var rules =
                new PartitionRules(
                        State.UP,
                        1,
                        0,
                        4096,
                        List.of("lab"),
                        List.of("team_a"),
                        List.of("normal"),
                        List.of("high"),
                        "nightly",
                        null,
                        0,
                        false,
                        null);
        var strict =
                new Partition(
                        batch.part(),
                        batch.name(),
                        true,
                        batch.nodes(),
                        0,
                        0,
                        0,
                        1,
                        1,
                        1024,
                        rules);

        PartitionJson told = PartitionJson.of(strict, new VictimTerms(configuration), List.of());

        assertThat(told.allowAccounts()).containsExactly("lab");
        assertThat(told.denyAccounts()).containsExactly("team_a");
        assertThat(told.allowQos()).containsExactly("normal");
        assertThat(told.denyQos()).containsExactly("high");
        assertThat(told.qos()).isEqualTo("nightly");
        assertThat(told.defaultMemoryMibPerCpu()).isEqualTo(1024);
        assertThat(told.maxMemoryMibPerCpu()).isEqualTo(4096);
    }
}
