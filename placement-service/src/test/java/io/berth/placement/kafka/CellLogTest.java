package io.berth.placement.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Order;
import io.berth.log.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellLogTest {

    @TempDir Path folder;

    private static ProducerRecord<byte[], byte[]> order() {
        var go = new Order.Go(new NodeName("gpu1"), 1, 2, new RunId(new JobId(7), 1));
        return CellLog.PLACEMENTS.record(0, go, "order");
    }

    @Test
    void orders_carry_the_name_of_the_key_that_signed_them() throws IOException {
        SigningKey key = SigningKey.of(folder.resolve("key.pem"), folder.resolve("trusted"));

        ProducerRecord<byte[], byte[]> order = order();

        new CellLog(0, 2, Optional.of(key)).sign(List.of(order));

        assertThat(order.headers().lastHeader("berth_signature").value())
                .asString()
                .startsWith(key.id() + ":");
    }

    @Test
    void without_a_key_they_carry_no_signature() {
        ProducerRecord<byte[], byte[]> order = order();

        new CellLog(0, 2).sign(List.of(order));

        assertThat(order.headers().lastHeader("berth_signature")).isNull();
    }
}
