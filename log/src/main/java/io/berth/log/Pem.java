package io.berth.log;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Keys and certificates as text.
///
/// Source: RFC 7468.
final class Pem {

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Pem() {}

    static String text(String kind, byte[] content) {
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
                .formatted(kind, LINES.encodeToString(content));
    }

    /// The first block of that kind.
    ///
    /// @throws IllegalArgumentException if there is none
    static byte[] block(String text, String kind) {
        Matcher block =
                Pattern.compile(
                                "-----BEGIN %1$s-----([A-Za-z0-9+/=\\s]+)-----END %1$s-----"
                                        .formatted(kind))
                        .matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException("it has no " + kind);
        }
        return Base64.getMimeDecoder().decode(block.group(1));
    }

    /// Whether a key, in PKCS #8, is that of the first certificate: what the one signs the other
    /// proves. Something that cannot be used goes with nothing.
    static boolean together(String certificates, String key) {
        try {
            var bytes = new ByteArrayInputStream(certificates.getBytes(StandardCharsets.UTF_8));
            var open =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(bytes)
                            .getPublicKey();
            String algorithm = open.getAlgorithm();
            var secret =
                    KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(block(key, "PRIVATE KEY")));
            var signature =
                    Signature.getInstance(
                            "SHA256with" + (algorithm.equals("EC") ? "ECDSA" : algorithm));
            signature.initSign(secret);
            byte[] proof = signature.sign();
            signature.initVerify(open);
            return signature.verify(proof);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }
}
