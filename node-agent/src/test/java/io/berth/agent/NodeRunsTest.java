package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Consumption;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.RunUsage;
import io.berth.contracts.StepUsage;
import io.berth.contracts.TasksUsage;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the runs of a node tell together.
final class NodeRunsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 128, 512})
    void a_heartbeat_is_never_too_large_for_the_log(int runs) {
        List<StepUsage> steps =
                IntStream.range(0, 256)
                        .mapToObj(it ->
                                new StepUsage(
                                        it,
                                        999_999,
                                        1L << 50,
                                        1L << 40,
                                        "\ud83d\ude80".repeat(64),
                                        1L << 45,
                                        TasksUsage.of(
                                                Map.of(
                                                        999_999,
                                                        new Consumption(
                                                                1L << 50, 1L << 40, 1L << 40,
                                                                1L << 40)))))
                        .toList();
        List<RunUsage> all =
                IntStream.range(0, runs)
                        .mapToObj(it ->
                                new RunUsage(
                                        new RunId(new JobId(1L << 40), it + 1),
                                        new Consumption(1L << 50, 1L << 40),
                                        steps))
                        .toList();

        List<RunUsage> told = NodeRuns.told(all);
        var heartbeat =
                new Heartbeat(
                        new NodeName("n"),
                        1,
                        1,
                        all.stream().map(RunUsage::run).toList(),
                        0,
                        0,
                        List.of(),
                        told);

        assertThat(new EventCodec<>(Topics.HEARTBEATS).value(heartbeat).length)
                .isLessThan(Topics.HEARTBEATS.maxBytes());
        assertThat(told).extracting(RunUsage::run).hasSize(runs);
        assertThat(told).noneMatch(it -> it.steps().isEmpty());
    }
}
