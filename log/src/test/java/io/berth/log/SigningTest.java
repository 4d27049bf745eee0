package io.berth.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Records that are signed, and what becomes of them on the way.
class SigningTest {

    @TempDir Path folder;
    Path trusted;

    @BeforeEach
    void setFolder() {
        trusted = folder.resolve("trusted");
    }

    private SigningKey key(String name) throws IOException {
        return SigningKey.of(folder.resolve(name), trusted);
    }

    private static ProducerRecord<byte[], byte[]> record() {
        return order(1);
    }

    private static ProducerRecord<byte[], byte[]> signed(SigningKey key) {
        ProducerRecord<byte[], byte[]> record = record();
        key.sign(List.of(record));
        return record;
    }

    private static ConsumerRecord<byte[], byte[]> read(ProducerRecord<byte[], byte[]> written) {
        return read(written.topic(), written.key(), written.headers(), written.value());
    }

    private static ConsumerRecord<byte[], byte[]> read(
            String topic, byte[] key, Headers headers, byte[] value) {
        return new ConsumerRecord<>(
                topic,
                3,
                0,
                0,
                TimestampType.LOG_APPEND_TIME,
                key.length,
                value.length,
                key,
                value,
                headers,
                Optional.empty());
    }

    @Test
    void a_signed_record_is_believed() throws IOException {
        assertThat(new TrustedKeys(trusted).objection(read(signed(key("a"))))).isEmpty();
    }

    @Test
    void a_key_is_made_once_and_is_its_owners_alone() throws IOException {
        SigningKey first = key("a");

        SigningKey again = key("a");

        assertThat(again.id()).isEqualTo(first.id()).matches("[0-9a-f]{16}");
        assertThat(Files.getPosixFilePermissions(folder.resolve("a")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.readString(trusted.resolve(first.id() + ".pem")))
                .startsWith("-----BEGIN PUBLIC KEY-----")
                .doesNotContain("PRIVATE");
    }

    static Stream<UnaryOperator<ConsumerRecord<byte[], byte[]>>> changes() {
        return Stream.of(
                it -> read("others", it.key(), it.headers(), it.value()),
                it -> read(it.topic(), "node2".getBytes(UTF_8), it.headers(), it.value()),
                it -> read(it.topic(), it.key(), it.headers(), "{\"run\":77}".getBytes(UTF_8)),
                it -> {
                    var headers = new RecordHeaders(it.headers());
                    headers.remove("ce_type").add("ce_type", "orders/Stop".getBytes(UTF_8));
                    return read(it.topic(), it.key(), headers, it.value());
                },
                it -> {
                    byte[] shifted = (new String(it.key(), UTF_8) + "o").getBytes(UTF_8);
                    return read(it.topic(), shifted, it.headers(), it.value());
                });
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_record_that_was_changed_is_not_believed(
            UnaryOperator<ConsumerRecord<byte[], byte[]>> change) throws IOException {
        SigningKey key = key("a");

        Optional<String> objection =
                new TrustedKeys(trusted).objection(change.apply(read(signed(key))));

        assertThat(objection).contains("key " + key.id() + " has not signed it");
    }

    private static ProducerRecord<byte[], byte[]> order(int run) {
        var record =
                new ProducerRecord<>(
                        "orders",
                        3,
                        "node1".getBytes(UTF_8),
                        "{\"run\":%d}".formatted(run).getBytes(UTF_8));
        record.headers().add("ce_type", "orders/Go".getBytes(UTF_8));
        return record;
    }

    private static List<ProducerRecord<byte[], byte[]>> orders(int count) {
        return IntStream.range(0, count).mapToObj(SigningTest::order).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 100})
    void each_of_records_that_were_signed_together_is_believed_in_any_order(int count)
            throws IOException {
        List<ProducerRecord<byte[], byte[]>> orders = orders(count);

        key("a").sign(orders);

        var keys = new TrustedKeys(trusted);
        assertThat(orders.reversed())
                .allSatisfy(it -> assertThat(keys.objection(read(it))).isEmpty());
    }

    @ParameterizedTest
    @MethodSource("changes")
    void one_of_many_that_was_changed_is_not_believed_even_where_the_others_were(
            UnaryOperator<ConsumerRecord<byte[], byte[]>> change) throws IOException {
        SigningKey key = key("a");
        List<ProducerRecord<byte[], byte[]>> orders = orders(5);
        key.sign(orders);
        var keys = new TrustedKeys(trusted);

        assertThat(orders)
                .allSatisfy(it -> {
                    assertThat(keys.objection(read(it))).isEmpty();
                    assertThat(keys.objection(change.apply(read(it))))
                            .contains("key " + key.id() + " has not signed it");
                });
    }

    @Test
    void the_proof_of_one_record_does_not_hold_for_another() throws IOException {
        SigningKey key = key("a");
        List<ProducerRecord<byte[], byte[]>> orders = orders(4);
        key.sign(orders);
        ProducerRecord<byte[], byte[]> forged = order(99);
        forged.headers().add(orders.get(1).headers().lastHeader("berth_signature"));

        assertThat(new TrustedKeys(trusted).objection(read(forged)))
                .contains("key " + key.id() + " has not signed it");
    }

    @Test
    void the_hash_of_two_records_is_not_taken_for_a_record() throws IOException {
        // Who could pass an inner node off as a leaf would need a path that is shorter than its
        // place asks for.
        List<ProducerRecord<byte[], byte[]>> orders = orders(4);
        key("a").sign(orders);
        String header =
                new String(
                        orders.getFirst().headers().lastHeader("berth_signature").value(), UTF_8);
        ProducerRecord<byte[], byte[]> forged = order(0);
        forged.headers().add("berth_signature", header.replace(":0/4:", ":0/2:").getBytes(UTF_8));

        assertThat(new TrustedKeys(trusted).objection(read(forged)))
                .contains("its signature is no signature");
    }

    @Test
    void a_signature_of_a_root_does_not_hold_for_a_record_alone() throws IOException {
        SigningKey key = key("a");
        List<ProducerRecord<byte[], byte[]>> orders = orders(2);
        key.sign(orders);
        String header =
                new String(
                        orders.getFirst().headers().lastHeader("berth_signature").value(), UTF_8);
        ProducerRecord<byte[], byte[]> forged = order(0);
        forged.headers()
                .add(
                        "berth_signature",
                        header.substring(0, header.indexOf(":0/2:")).getBytes(UTF_8));

        assertThat(new TrustedKeys(trusted).objection(read(forged)))
                .contains("key " + key.id() + " has not signed it");
    }

    @Test
    void a_record_without_a_signature_is_not_believed() {
        assertThat(new TrustedKeys(trusted).objection(read(record()))).contains("it is not signed");
    }

    @Test
    void a_signature_that_names_a_file_elsewhere_is_none() {
        ProducerRecord<byte[], byte[]> record = record();
        record.headers().add("berth_signature", "../../../x:AAAA".getBytes(UTF_8));

        assertThat(new TrustedKeys(trusted).objection(read(record)))
                .contains("its signature is no signature");
    }

    @Test
    void keys_are_changed_while_records_are_read() throws IOException {
        var keys = new TrustedKeys(trusted);
        SigningKey old = key("old");
        SigningKey next = key("next");

        Optional<String> both = keys.objection(read(signed(next)));
        Files.delete(trusted.resolve(old.id() + ".pem"));

        assertThat(both).isEmpty();
        assertThat(keys.objection(read(signed(next)))).isEmpty();
        assertThat(keys.objection(read(signed(old))))
                .contains(
                        "key %s is not among the trusted ones in %s".formatted(old.id(), trusted));
    }

    @Test
    void a_key_of_openssl_serves() throws Exception {
        Path file = folder.resolve("openssl");
        int status =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "umask 077; openssl genpkey -algorithm ed25519 >$0 && openssl pkey -in $0 -pubout >>$0",
                                file.toString())
                        .start()
                        .waitFor();
        assumeThat(status).as("openssl").isZero();

        assertThat(new TrustedKeys(trusted).objection(read(signed(key("openssl"))))).isEmpty();
    }

    @Test
    void a_key_that_others_may_read_is_refused_but_to_the_group_of_another_owners()
            throws Exception {
        Path file = folder.resolve("shared");
        var unused = SigningKey.of(file, trusted);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> SigningKey.of(file, trusted)).hasMessageContaining("chmod 600");

        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).isEqualTo(0);
        Files.setAttribute(file, "unix:uid", 7600);
        assertThatCode(() -> SigningKey.of(file, trusted)).doesNotThrowAnyException();

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> SigningKey.of(file, trusted)).hasMessageContaining("chmod 600");
    }

    @Test
    void a_file_that_holds_no_key_is_named() throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(folder.resolve("a"), "nothing"),
                PosixFilePermissions.fromString("rw-------"));

        assertThatThrownBy(() -> key("a"))
                .isInstanceOf(IOException.class)
                .hasMessage(folder.resolve("a") + " holds no Ed25519 key: it has no PUBLIC KEY");
    }
}
