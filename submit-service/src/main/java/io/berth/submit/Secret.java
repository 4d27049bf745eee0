package io.berth.submit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Texts by which somebody is known, and how they are compared.
public final class Secret {
    private static final int BYTES = 32;
    private static final String HMAC = "HmacSHA256";
    private static final Pattern TEXT = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private Secret() {}

    /// 256 random bits, in letters that an address may have.
    public static String random() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Whether a text is as long as these, and of their letters.
    public static boolean isPossible(String text) {
        return TEXT.matcher(text).matches();
    }

    /// A secret that follows from another and a name, and does not tell the other.
    public static String of(String secret, String name) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(name.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }

    /// Whether an `Authorization` header shows the secret; it takes the same time for each.
    public static boolean isBearer(@Nullable String authorization, String secret) {
        return MessageDigest.isEqual(
                (authorization == null ? "" : authorization).getBytes(StandardCharsets.UTF_8),
                ("Bearer " + secret).getBytes(StandardCharsets.UTF_8));
    }
}
