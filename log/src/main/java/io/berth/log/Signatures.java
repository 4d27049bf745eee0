package io.berth.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// Tells who has signed a record. The last signatures that held are remembered, for records that
/// were signed together.
public final class Signatures {

    private static final int REMEMBERED = 64;

    private final ReentrantLock lock = new ReentrantLock();

    /// Key, signature and root of records that were signed together, oldest first.
    private final Map<ByteBuffer, Boolean> held =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /// The public key of that name, encoded.
    @FunctionalInterface
    interface Keys {
        byte[] key(String id) throws IOException, NoKey;
    }

    /// Nobody is believed by a key of that name; the message says why, without it.
    static final class NoKey extends Exception {
        private static final long serialVersionUID = 1;

        NoKey(String why) {
            super(why);
        }
    }

    /// Why that key has not signed a record, in one line; nothing if it has.
    ///
    /// @param open see [SigningKey#open]
    public Optional<String> objection(ConsumerRecord<byte[], byte[]> record, String open) {
        return objection(record, _ -> Base64.getDecoder().decode(open));
    }

    /// Why none of the keys has signed a record, in one line; nothing if one has.
    Optional<String> objection(ConsumerRecord<byte[], byte[]> record, Keys keys) {
        Header header = record.headers().lastHeader(SignedBytes.HEADER);
        if (header == null || header.value() == null) {
            return Optional.of("it is not signed");
        }
        Header type = record.headers().lastHeader("ce_type");
        if (record.key() == null
                || record.value() == null
                || (type != null && type.value() == null)) {
            return Optional.of("it is no event");
        }
        Optional<Proof> proof = Proof.parse(header.value());
        if (proof.isEmpty()) {
            return Optional.of("its signature is no signature");
        }
        return objection(proof.get(), record, keys);
    }

    private Optional<String> objection(
            Proof proof, ConsumerRecord<byte[], byte[]> record, Keys keys) {
        String id = proof.key();
        try {
            byte[] key = keys.key(id);
            byte[] text =
                    SignedBytes.of(record.topic(), record.key(), record.headers(), record.value());
            return SignedBytes.id(key).equals(id) && holds(key, proof, text)
                    ? Optional.empty()
                    : Optional.of("key " + id + " has not signed it");
        } catch (NoKey e) {
            return Optional.of("key " + id + " " + e.getMessage());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            return Optional.of("key " + id + " cannot be used: " + e);
        }
    }

    private boolean holds(byte[] key, Proof proof, byte[] text) throws GeneralSecurityException {
        byte[] signed = proof.signed(text);
        if (proof.size() == 1) {
            return verified(key, proof.signature(), signed);
        }
        ByteBuffer name =
                ByteBuffer.allocate(key.length + proof.signature().length + signed.length)
                        .put(key)
                        .put(proof.signature())
                        .put(signed)
                        .flip();
        lock.lock();
        try {
            boolean holds = held.containsKey(name) || verified(key, proof.signature(), signed);
            if (holds) {
                held.put(name, true);
            }
            return holds;
        } finally {
            lock.unlock();
        }
    }

    private static boolean verified(byte[] key, byte[] signature, byte[] text)
            throws GeneralSecurityException {
        Signature verifier = Signature.getInstance(SignedBytes.ALGORITHM);
        verifier.initVerify(
                KeyFactory.getInstance(SignedBytes.ALGORITHM)
                        .generatePublic(new X509EncodedKeySpec(key)));
        verifier.update(text);
        return verifier.verify(signature);
    }
}
