package io.berth.contracts.event;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// That who asks a node for something of a job knows the job's
/// [key][io.berth.contracts.JobSpec#key], which stands in its specification alone: the HMAC-SHA256,
/// by that key, of all that is asked, in base64.
final class Proof {

    private static final String ALGORITHM = "HmacSHA256";

    private Proof() {}

    /// @param said what is asked, beginning with a word for its kind; none but the last may have an
    ///   end of line in it
    static String of(String key, String... said) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes(key), ALGORITHM));
            return Base64.getEncoder().encodeToString(mac.doFinal(bytes(String.join("\n", said))));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /// Whether two are the same, in a time that does not tell how much of them is.
    static boolean same(String one, String other) {
        return MessageDigest.isEqual(bytes(one), bytes(other));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
