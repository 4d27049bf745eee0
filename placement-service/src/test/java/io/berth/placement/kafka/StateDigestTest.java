package io.berth.placement.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.event.CellStatus;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

final class StateDigestTest {

    private static final String NONE = new StateDigest().toString();

    private final StateDigest digest = new StateDigest();

    @Test
    void it_is_that_of_the_last_records_in_whatever_order_they_came() {
        put("1", "a");
        put("2", "b");
        put("1", "c");
        var other = new StateDigest();
        other.put("jobs", "2", bytes("b"));
        other.put("jobs", "1", bytes("c"));

        assertThat(digest).hasToString(other.toString());
    }

    @Test
    void what_is_removed_leaves_nothing() {
        put("1", "a");
        digest.put("jobs", "1", null);

        assertThat(digest).hasToString(NONE);
    }

    @Test
    void values_that_change_places_change_it() {
        put("1", "a");
        put("2", "b");
        String before = digest.toString();
        put("1", "b");
        put("2", "a");

        assertThat(digest.toString()).isNotEqualTo(before);
    }

    @Test
    void a_state_is_led_if_its_digest_is_the_one_that_was_written() {
        assertThatCode(() -> rebuilt(NONE)).doesNotThrowAnyException();
        put("1", "a");
        assertThatThrownBy(() -> rebuilt(digest.toString()))
                .isInstanceOf(Fatal.class)
                .hasMessageContaining("has digest " + NONE)
                .hasMessageContaining("round 7 wrote " + digest);
    }

    /// It was of SHA-256 then.
    @Test
    void a_state_with_the_digest_of_an_earlier_version_is_led() {
        assertThatCode(() -> rebuilt("93e0a1b2c3d4e5f6")).doesNotThrowAnyException();
    }

    private static void rebuilt(String written) {
        var states = new LastStates(0);
        var status = new CellStatus(0, 7, 1000, List.of(), 0, 0, written);
        states.add(read(CellLog.CELL_STATES.record(0, status, "round-7")));
        states.settle();
        var _ = states.rebuild();
    }

    private static ConsumerRecord<byte[], byte[]> read(ProducerRecord<byte[], byte[]> written) {
        var record = new ConsumerRecord<>(written.topic(), 0, 0L, written.key(), written.value());
        written.headers().forEach(record.headers()::add);
        return record;
    }

    private void put(String key, String value) {
        digest.put("jobs", key, bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
