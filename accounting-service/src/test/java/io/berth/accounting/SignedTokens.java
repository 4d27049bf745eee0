package io.berth.accounting;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.berth.contracts.json.Json;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;

/// Tokens as `berth token` makes them, and the keys for them.
///
/// @param publicKey in PEM
/// @param privateKey PKCS#8 in Base64
record SignedTokens(String publicKey, String privateKey) {

    /// The property that hands the private key to tests.
    static final String KEY = "test.token-key";

    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    static SignedTokens create() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            return new SignedTokens(
                    "-----BEGIN PUBLIC KEY-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                    .encodeToString(pair.getPublic().getEncoded())
                            + "\n-----END PUBLIC KEY-----\n",
                    Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256, but this one", e);
        }
    }

    /// A token for the service under test.
    ///
    /// @param scope as OAuth has it; empty for none
    static String of(String user, String group, String scope) throws Exception {
        long now = Instant.now().getEpochSecond();
        Map<String, Object> claims =
                Map.of(
                        "iss",
                        "berth",
                        "upn",
                        user,
                        "groups",
                        List.of(group),
                        "scope",
                        scope,
                        "iat",
                        now,
                        "exp",
                        now + 600);
        String signed = part(Map.of("alg", "ES256", "typ", "JWT")) + "." + part(claims);
        byte[] key =
                Base64.getDecoder().decode(ConfigProvider.getConfig().getValue(KEY, String.class));
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)));
        signature.update(signed.getBytes(UTF_8));
        return signed + "." + URL.encodeToString(signature.sign());
    }

    private static String part(Map<String, ?> json) throws Exception {
        return URL.encodeToString(Json.mapper().writeValueAsBytes(json));
    }
}
