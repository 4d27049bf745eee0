package io.berth.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/// Records whose value only those can read who have their key: AES-128 in Galois/Counter Mode, a
/// random nonce of 12 bytes before what is encrypted. The record's own key is authenticated with
/// it.
///
/// Source: NIST SP 800-38D.
public final class Sealed {

    /// Says how the value is encrypted; a record without it is not.
    static final String HEADER = "berth_sealed";

    private static final byte[] ALGORITHM = "A128GCM".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BYTES = "application/octet-stream".getBytes(StandardCharsets.UTF_8);
    private static final int KEY_BYTES = 16;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Sealed() {}

    /// A new key, in Base64.
    public static String key() {
        return Base64.getEncoder().encodeToString(random(KEY_BYTES));
    }

    /// The record with its value sealed, for nobody else to write.
    ///
    /// @param key see [#key()]
    public static ProducerRecord<byte[], byte[]> seal(
            ProducerRecord<byte[], byte[]> record, String key) {
        byte[] sealed = seal(record.value(), Base64.getDecoder().decode(key), record.key());
        var written =
                new ProducerRecord<>(
                        record.topic(), record.partition(), record.key(), sealed, record.headers());
        written.headers().remove("content-type").add("content-type", BYTES).add(HEADER, ALGORITHM);
        return written;
    }

    /// The record with its value opened; the record itself if it is not sealed.
    ///
    /// @throws GeneralSecurityException if that is not its key, or somebody has changed it
    public static ConsumerRecord<byte[], byte[]> open(
            ConsumerRecord<byte[], byte[]> record, String key) throws GeneralSecurityException {
        Header header = record.headers().lastHeader(HEADER);
        if (header == null) {
            return record;
        }
        byte[] open = open(record.value(), decoded(key), record.key());
        var read =
                new ConsumerRecord<>(
                        record.topic(), record.partition(), record.offset(), record.key(), open);
        record.headers().forEach(read.headers()::add);
        return read;
    }

    /// @param with what is authenticated beside it
    static byte[] seal(byte[] text, byte[] key, byte[] with) {
        try {
            byte[] nonce = random(NONCE_BYTES);
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, nonce, with).doFinal(text);
            return ByteBuffer.allocate(nonce.length + sealed.length).put(nonce).put(sealed).array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("seal: every Java 25 has AES", e);
        }
    }

    static byte[] open(byte[] sealed, byte[] key, byte[] with) throws GeneralSecurityException {
        if (sealed.length < NONCE_BYTES) {
            throw new GeneralSecurityException("it is too short");
        }
        byte[] nonce = new byte[NONCE_BYTES];
        ByteBuffer.wrap(sealed).get(nonce);
        return cipher(Cipher.DECRYPT_MODE, key, nonce, with)
                .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
    }

    private static Cipher cipher(int mode, byte[] key, byte[] nonce, byte[] with)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce), RANDOM);
        cipher.updateAAD(with);
        return cipher;
    }

    static byte[] decoded(String base64) throws GeneralSecurityException {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("the key is no Base64", e);
        }
    }

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return random;
    }
}
