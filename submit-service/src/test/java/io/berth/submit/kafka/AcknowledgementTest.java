package io.berth.submit.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.submit.Deadline;
import io.berth.submit.Unavailable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class AcknowledgementTest {

    /// A broker that has forgotten where it put what it was sent before says so with no offset.
    @Test
    void one_without_an_offset_is_void() {
        var write =
                CompletableFuture.completedFuture(
                        new RecordMetadata(new TopicPartition("id-blocks", 0), -1, 0, 1, 1, 1));

        assertThatThrownBy(() -> Acknowledgement.of(write, Deadline.in(Duration.ofSeconds(1))))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("without an offset");
    }
}
