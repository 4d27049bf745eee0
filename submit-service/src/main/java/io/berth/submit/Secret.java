package io.berth.submit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// Random texts by which somebody is known, and how they are compared.
public final class Secret {
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Secret() {}

    /// 256 random bits, in letters that an address may have.
    public static String random() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Whether an `Authorization` header shows the secret; it takes the same time for each.
    public static boolean isBearer(@Nullable String authorization, String secret) {
        return MessageDigest.isEqual(
                (authorization == null ? "" : authorization).getBytes(StandardCharsets.UTF_8),
                ("Bearer " + secret).getBytes(StandardCharsets.UTF_8));
    }
}
