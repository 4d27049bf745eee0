package io.berth.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// The keys by which records are believed: a folder with a file `<id>.pem` for each public key. It
/// is read for each record, so that keys come and go without a restart: a new one is put beside the
/// old, the writer changes over, the old one is removed.
///
/// The last signatures that held are remembered, for records that were signed together.
public final class TrustedKeys {

    private static final int REMEMBERED = 64;

    private final Path folder;
    private final ReentrantLock lock = new ReentrantLock();

    /// Key, signature and root of records that were signed together, oldest first.
    private final Map<ByteBuffer, Boolean> held =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /// @param folder of the public keys; whoever may write there gives orders
    public TrustedKeys(Path folder) {
        this.folder = folder;
    }

    /// Why a record is not to be believed, in one line; nothing if one of the keys has signed it.
    public Optional<String> objection(ConsumerRecord<byte[], byte[]> record) {
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
        return objection(proof.get(), record);
    }

    private Optional<String> objection(Proof proof, ConsumerRecord<byte[], byte[]> record) {
        String id = proof.key();
        try {
            byte[] key = Pem.block(Files.readString(folder.resolve(id + ".pem")), "PUBLIC KEY");
            byte[] text =
                    SignedBytes.of(record.topic(), record.key(), record.headers(), record.value());
            return SignedBytes.id(key).equals(id) && holds(key, proof, text)
                    ? Optional.empty()
                    : Optional.of("key " + id + " has not signed it");
        } catch (NoSuchFileException e) {
            return Optional.of("key " + id + " is not among the trusted ones in " + folder);
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
