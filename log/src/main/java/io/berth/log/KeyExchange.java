package io.berth.log;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// One who seals small keys for others whose public key he knows, and opens what they have sealed
/// for him. His own keys are new with each, and known to nobody else.
///
/// Two make a secret of their keys (X25519) once, and remember it: to make it takes several times
/// as long as to use it. What is sealed is `<sender's public key>:<nonce and text>`, both in
/// Base64. Safe for use by several threads.
///
/// Source: RFC 7748; RFC 5869, section 2.2, for how the secret becomes a key.
public final class KeyExchange {

    private static final String ALGORITHM = "X25519";
    private static final int KEY_BYTES = 16;
    private static final int REMEMBERED = 16_384;
    private static final byte[] NOTHING = {};

    private final KeyPair own;
    private final String open;

    /// By the other's public key and who of the two sealed; the least recently used first.
    private final Map<String, byte[]> secrets =
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
                    return size() > REMEMBERED;
                }
            };

    public KeyExchange() {
        try {
            own = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("exchange keys: every Java 25 has X25519", e);
        }
        open = Base64.getEncoder().encodeToString(own.getPublic().getEncoded());
    }

    /// The public key for which others seal, encoded as X.509 says, in Base64.
    public String open() {
        return open;
    }

    /// Whether a text was sealed.
    public static boolean sealed(String text) {
        return text.contains(":");
    }

    /// The text, sealed for who has that public key.
    ///
    /// @throws GeneralSecurityException if it is none
    public String seal(String text, String recipient) throws GeneralSecurityException {
        byte[] sealed =
                Sealed.seal(Sealed.decoded(text), secret(recipient, open, recipient), NOTHING);
        return open + ":" + Base64.getEncoder().encodeToString(sealed);
    }

    /// What was sealed for this one.
    ///
    /// @throws GeneralSecurityException if it was not
    public String open(String sealed) throws GeneralSecurityException {
        String[] parts = sealed.split(":", -1);
        if (parts.length != 2) {
            throw new GeneralSecurityException("it is not sealed");
        }
        byte[] secret = secret(parts[0], parts[0], open);
        return Base64.getEncoder()
                .encodeToString(Sealed.open(Sealed.decoded(parts[1]), secret, NOTHING));
    }

    /// The key that both have for what the one seals for the other.
    private synchronized byte[] secret(String other, String sender, String recipient)
            throws GeneralSecurityException {
        byte[] known = secrets.get(sender + recipient);
        if (known != null) {
            return known;
        }
        KeyAgreement agreement = KeyAgreement.getInstance(ALGORITHM);
        agreement.init(own.getPrivate());
        agreement.doPhase(
                KeyFactory.getInstance(ALGORITHM)
                        .generatePublic(new X509EncodedKeySpec(Sealed.decoded(other))),
                true);
        Mac mac = Mac.getInstance("HmacSHA256");
        byte[] names = SignedBytes.ascii("berth sealed key:" + sender + ":" + recipient);
        mac.init(new SecretKeySpec(names, "HmacSHA256"));
        byte[] made = Arrays.copyOf(mac.doFinal(agreement.generateSecret()), KEY_BYTES);
        secrets.put(sender + recipient, made);
        return made;
    }
}
