package io.berth.agent.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import io.berth.log.Signatures;
import io.berth.log.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentLogTest {

    private static final NodeName NODE = new NodeName("n1");
    private static final NodeSeen SEEN =
            new NodeSeen(
                    NODE,
                    "nonce",
                    "machine",
                    "boot",
                    "test",
                    new Inventory(
                            1, 4, 1, 4, 1024, List.of(), List.of(), false, null, "linux", "x86_64"),
                    List.of(),
                    0);

    private final KeyExchange exchange = new KeyExchange();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    private void write(Optional<SigningKey> key) {
        try (var log = new AgentLog(() -> producer, 0, key, exchange)) {
            var unused = log.write(SEEN);
            log.write(
                    LongStream.range(1, 4)
                            .<RunReport>mapToObj(it ->
                                    new RunReport.Ready(new RunId(new JobId(it), 1), NODE, 1, it))
                            .toList());
            unused = log.write(new Heartbeat(NODE, 1, 0, List.of(), 0, 0, List.of(), List.of()), 1);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> written() {
        return producer.history().stream()
                .map(it -> {
                    var read = new ConsumerRecord<>(it.topic(), 0, 0, it.key(), it.value());
                    it.headers().forEach(read.headers()::add);
                    return read;
                })
                .toList();
    }

    private NodeSeen seen() throws UnknownEventType, CorruptEvent {
        return new Events<>(Topics.NODES, "test").event(written().getFirst());
    }

    @Test
    void with_a_key_all_that_is_written_is_signed_and_the_registration_names_it(
            @TempDir Path folder) throws IOException, UnknownEventType, CorruptEvent {
        SigningKey key = SigningKey.of(folder.resolve("node.pem"));

        write(Optional.of(key));

        var signatures = new Signatures();
        assertThat(written())
                .hasSize(5)
                .allSatisfy(it -> assertThat(signatures.objection(it, key.open())).isEmpty());
        assertThat(seen()).isEqualTo(SEEN.by(key.open()).sealing(exchange.open()));
    }

    @Test
    void without_a_key_nothing_is_signed() throws UnknownEventType, CorruptEvent {
        write(Optional.empty());

        assertThat(written())
                .hasSize(5)
                .allSatisfy(it -> assertThat(it.headers().lastHeader("berth_signature")).isNull());
        assertThat(seen().key()).isNull();
    }
}
