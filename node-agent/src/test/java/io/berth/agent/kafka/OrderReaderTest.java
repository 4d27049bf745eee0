package io.berth.agent.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import io.berth.log.Sealed;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

final class OrderReaderTest {

    private final KeyExchange exchange = new KeyExchange();
    private final OrderReader reader = new OrderReader(Optional.empty(), exchange);

    private SpecReference read(SpecReference spec) throws UnknownEventType, CorruptEvent {
        Order launch =
                new Order.Launch(
                        new NodeName("n1"),
                        1,
                        1,
                        new RunId(new JobId(1), 1),
                        spec,
                        LaunchMode.BATCH,
                        false,
                        List.of(),
                        60);
        var written = new Events<>(Topics.PLACEMENTS, "test").record(0, launch, "test");
        var record = new ConsumerRecord<>(written.topic(), 0, 0, written.key(), written.value());
        written.headers().forEach(record.headers()::add);
        return ((Order.Launch) reader.order(record)).spec();
    }

    /// So that it stands in the spool for an agent that comes after this one.
    @Test
    void the_key_of_a_launch_is_opened_when_it_is_read()
            throws GeneralSecurityException, UnknownEventType, CorruptEvent {
        String key = Sealed.key();
        var sealed = new SpecReference(0, 7, "00", new KeyExchange().seal(key, exchange.open()));

        assertThat(read(sealed)).isEqualTo(sealed.by(key));
    }

    @Test
    void a_key_that_is_not_sealed_is_the_key_and_one_for_another_agent_stays_shut()
            throws GeneralSecurityException, UnknownEventType, CorruptEvent {
        var plain = new SpecReference(0, 7, "00", Sealed.key());
        var none = new SpecReference(0, 7, "00");
        var others =
                new SpecReference(
                        0, 7, "00", new KeyExchange().seal(Sealed.key(), new KeyExchange().open()));

        assertThat(read(plain)).isEqualTo(plain);
        assertThat(read(none)).isEqualTo(none);
        assertThat(read(others)).isEqualTo(others);
    }
}
