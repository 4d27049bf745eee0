package io.berth.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/// Records, and keys, that only those can read for whom they are.
class SealedTest {

    private static final String KEY = Sealed.key();

    private static ProducerRecord<byte[], byte[]> record() {
        var record =
                new ProducerRecord<>("specs", 0, "17".getBytes(UTF_8), "script".getBytes(UTF_8));
        record.headers().add("content-type", "application/json".getBytes(UTF_8));
        return record;
    }

    private static ConsumerRecord<byte[], byte[]> read(ProducerRecord<byte[], byte[]> written) {
        return read(written, "17", written.value());
    }

    private static ConsumerRecord<byte[], byte[]> read(
            ProducerRecord<byte[], byte[]> written, String key, byte[] value) {
        var read = new ConsumerRecord<>(written.topic(), 0, 5L, key.getBytes(UTF_8), value);
        written.headers().forEach(read.headers()::add);
        return read;
    }

    @Test
    void who_has_the_key_reads_what_was_written() throws GeneralSecurityException {
        var open = Sealed.open(read(Sealed.seal(record(), KEY)), KEY);

        assertThat(open.value()).isEqualTo(record().value());
        assertThat(open.offset()).isEqualTo(5);
    }

    @Test
    void the_record_says_that_it_is_no_json_and_hides_what_it_is() {
        var sealed = Sealed.seal(record(), KEY);

        assertThat(new String(sealed.value(), UTF_8)).doesNotContain("script");
        assertThat(sealed.headers().headers("content-type"))
                .singleElement()
                .satisfies(it ->
                        assertThat(it.value()).asString().isEqualTo("application/octet-stream"));
        assertThat(sealed.value()).isNotEqualTo(Sealed.seal(record(), KEY).value());
    }

    @Test
    void a_record_that_is_not_sealed_is_read_as_it_is() throws GeneralSecurityException {
        var plain = read(record());

        assertThat(Sealed.open(plain, KEY)).isSameAs(plain);
    }

    @Test
    void another_key_opens_nothing_nor_does_this_what_was_changed_or_is_of_another_job() {
        var sealed = Sealed.seal(record(), KEY);
        byte[] changed = sealed.value().clone();
        changed[20] ^= 1;

        assertThatThrownBy(() -> Sealed.open(read(sealed), Sealed.key()))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> Sealed.open(read(sealed, "17", changed), KEY))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> Sealed.open(read(sealed, "18", sealed.value()), KEY))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> Sealed.open(read(sealed, "17", new byte[3]), KEY))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> Sealed.open(read(sealed), "no Base64!"))
                .isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void a_key_that_is_sealed_for_one_is_opened_by_him_alone() throws GeneralSecurityException {
        var placement = new KeyExchange();
        var agent = new KeyExchange();
        var other = new KeyExchange();

        String first = placement.seal(KEY, agent.open());
        String second = placement.seal(KEY, agent.open());

        assertThat(first).doesNotContain(KEY).isNotEqualTo(second);
        assertThat(KeyExchange.sealed(first)).isTrue();
        assertThat(KeyExchange.sealed(KEY)).isFalse();
        assertThat(agent.open(first)).isEqualTo(KEY);
        assertThat(agent.open(second)).isEqualTo(KEY);
        assertThatThrownBy(() -> other.open(first)).isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> placement.open(first))
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> agent.open(KEY)).isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> placement.seal(KEY, "no key"))
                .isInstanceOf(GeneralSecurityException.class);
    }
}
