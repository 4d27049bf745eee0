package io.berth.log;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/// A private Ed25519 key that signs records, each in a header of its own: who may write to a topic
/// is not yet one whose orders are obeyed.
///
/// Its file holds two PEM blocks, `PRIVATE KEY` (PKCS #8) and `PUBLIC KEY`, as `openssl genpkey
/// -algorithm ed25519` and `openssl pkey -pubout` write them. Who trusts it knows the second.
///
/// Source: RFC 8032.
public final class SigningKey {

    private final String id;
    private final PrivateKey key;
    private final byte[] open;

    private SigningKey(PrivateKey key, byte[] open) {
        this.id = SignedBytes.id(open);
        this.key = key;
        this.open = open;
    }

    /// The key in a file, with its public half in a folder of [TrustedKeys]. What is not there is
    /// made.
    ///
    /// @throws IOException if the file cannot be read or made, or holds no such key
    public static SigningKey of(Path file, Path trusted) throws IOException {
        SigningKey key = of(file);
        publish(Pem.text("PUBLIC KEY", key.open), trusted, key.id + ".pem");
        return key;
    }

    /// The key in a file. Both are made if there is none.
    ///
    /// @throws IOException if the file cannot be read or made, or holds no such key
    public static SigningKey of(Path file) throws IOException {
        if (!Files.exists(file)) {
            generate(file);
        }
        String text = PrivateFile.read(file);
        try {
            byte[] open = Pem.block(text, "PUBLIC KEY");
            byte[] secret = Pem.block(text, "PRIVATE KEY");
            return new SigningKey(
                    KeyFactory.getInstance(SignedBytes.ALGORITHM)
                            .generatePrivate(new PKCS8EncodedKeySpec(secret)),
                    open);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(file + " holds no Ed25519 key: " + e.getMessage(), e);
        }
    }

    /// The name of the key: 16 hexadecimal digits of its public half's SHA-256.
    public String id() {
        return id;
    }

    /// The public half, encoded as X.509 says, in Base64.
    public String open() {
        return Base64.getEncoder().encodeToString(open);
    }

    /// Signs topic, key, type and value of records, all with one signature: to make one takes a
    /// hundred times as long as to hash a record.
    public void sign(List<ProducerRecord<byte[], byte[]>> records) {
        if (records.isEmpty()) {
            return;
        }
        List<byte[]> texts = records.stream().map(SigningKey::text).toList();
        if (texts.size() == 1) {
            add(records.getFirst(), Proof.alone(id, signature(texts.getFirst())));
            return;
        }
        var tree = new HashTree(texts);
        byte[] signature = signature(Proof.batch(tree.root()));
        for (int i = 0; i < texts.size(); i++) {
            add(records.get(i), new Proof(id, signature, i, texts.size(), tree.path(i)));
        }
    }

    private static byte[] text(ProducerRecord<byte[], byte[]> record) {
        return SignedBytes.of(record.topic(), record.key(), record.headers(), record.value());
    }

    private static void add(ProducerRecord<byte[], byte[]> record, Proof proof) {
        record.headers().add(SignedBytes.HEADER, proof.header());
    }

    private byte[] signature(byte[] bytes) {
        try {
            Signature signature = Signature.getInstance(SignedBytes.ALGORITHM);
            signature.initSign(key);
            signature.update(bytes);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("sign with key " + id + ", which was read", e);
        }
    }

    private static void generate(Path file) throws IOException {
        KeyPair pair;
        try {
            pair = KeyPairGenerator.getInstance(SignedBytes.ALGORITHM).generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("generate a key: every Java 25 has Ed25519", e);
        }
        Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        Path temporary =
                Files.createTempFile(
                        folder,
                        "key",
                        ".new",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
                temporary,
                Pem.text("PRIVATE KEY", pair.getPrivate().getEncoded())
                        + Pem.text("PUBLIC KEY", pair.getPublic().getEncoded()));
        try {
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException e) {
            // Another instance was first: its key is the key.
            return;
        } finally {
            Files.delete(temporary);
        }
    }

    private static void publish(String pem, Path folder, String name) throws IOException {
        Path file = Files.createDirectories(folder).resolve(name);
        if (!Files.exists(file)) {
            Path temporary = Files.createTempFile(folder, name, ".new");
            Files.writeString(temporary, pem);
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
