package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.MemoryRequest.Per;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonShapeTest {

    private static final JobDescription DESCRIPTION =
            new JobDescription(
                    "alice",
                    "team_a",
                    "batch",
                    "normal",
                    "train",
                    new ResourceRequest(
                            2, 3, 4, new MemoryRequest(Per.NODE, 1024), new GpuRequest(2, null)),
                    LaunchMode.BATCH,
                    60,
                    0,
                    true);

    private final EventCodec<JobEvent> codec = new EventCodec<>(Topics.JOBS);

    @Test
    void an_event_is_its_components_in_order_without_nulls() {
        var event = new JobEvent.Queued(new JobId(17), 5, DESCRIPTION);

        String json = new String(codec.value(event), StandardCharsets.UTF_8);

        assertThat(json)
                .isEqualTo(
                        """
                        {"job":17,"at":5,"description":{"user":"alice","account":"team_a","partition":"batch","qos":"normal","name":"train",\
                        "request":{"nodes":2,"tasks":3,"cpusPerTask":4,"memory":{"per":"NODE","mib":1024},"gpus":{"perNode":2}},\
                        "launch":"BATCH","timeLimitSeconds":60,"nice":0,"requeue":true}}\
                        """);
    }

    @Test
    void a_placed_event_reads_back_as_it_was_written() throws Exception {
        var event =
                new JobEvent.Placed(
                        new JobId(17),
                        5,
                        1,
                        List.of(
                                new Allocation(
                                        new NodeName("n1"),
                                        0,
                                        3,
                                        IndexSet.parse("0-3,8"),
                                        64,
                                        List.of("GPU-1"))),
                        7);

        JobEvent read = codec.event("berth.jobs.v1/Placed", codec.value(event));

        assertThat(read).isEqualTo(event);
    }

    @Test
    void a_missing_field_is_corrupt_and_named() {
        byte[] json = "{\"job\":17}".getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> codec.event("berth.jobs.v1/Started", json))
                .isInstanceOf(CorruptEvent.class)
                .hasMessageContaining("at");
    }
}
