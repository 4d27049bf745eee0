package io.berth.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// The keys by which records are believed: a folder with a file `<id>.pem` for each public key. It
/// is read for each record, so that keys come and go without a restart: a new one is put beside the
/// old, the writer changes over, the old one is removed.
///
/// @param folder of the public keys; whoever may write there gives orders
public record TrustedKeys(Path folder) {

    private static final Pattern SIGNATURE = Pattern.compile("([0-9a-f]{16}):([A-Za-z0-9+/=]+)");

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
        Matcher text = SIGNATURE.matcher(new String(header.value(), StandardCharsets.US_ASCII));
        if (!text.matches()) {
            return Optional.of("its signature is no signature");
        }
        String id = text.group(1);
        try {
            byte[] key = Pem.block(Files.readString(folder.resolve(id + ".pem")), "PUBLIC KEY");
            return SignedBytes.id(key).equals(id) && signed(record, key, text.group(2))
                    ? Optional.empty()
                    : Optional.of("key " + id + " has not signed it");
        } catch (NoSuchFileException e) {
            return Optional.of("key " + id + " is not among the trusted ones in " + folder);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            return Optional.of("key " + id + " cannot be used: " + e);
        }
    }

    private static boolean signed(
            ConsumerRecord<byte[], byte[]> record, byte[] key, String signature)
            throws GeneralSecurityException {
        Signature verifier = Signature.getInstance(SignedBytes.ALGORITHM);
        verifier.initVerify(
                KeyFactory.getInstance(SignedBytes.ALGORITHM)
                        .generatePublic(new X509EncodedKeySpec(key)));
        verifier.update(
                SignedBytes.of(record.topic(), record.key(), record.headers(), record.value()));
        return verifier.verify(Base64.getDecoder().decode(signature));
    }
}
