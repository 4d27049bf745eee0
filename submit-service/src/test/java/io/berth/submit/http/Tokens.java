package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;

/// Signs ES256 tokens as `berth token` does, with the key that the application verifies.
record Tokens(String privateKey, String publicPem, ECPublicKey publicKey) {
    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    static Tokens create() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            String pem =
                    "-----BEGIN PUBLIC KEY-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                                    .encodeToString(pair.getPublic().getEncoded())
                            + "\n-----END PUBLIC KEY-----\n";
            return new Tokens(
                    Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()),
                    pem,
                    (ECPublicKey) pair.getPublic());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256, but this one", e);
        }
    }

    static String user(String name) {
        return token(Map.of("upn", name, "groups", List.of("user")));
    }

    static String operator() {
        return token(Map.of("upn", "root", "groups", List.of("operator")));
    }

    static String admin() {
        return token(Map.of("upn", "root", "groups", List.of("admin")));
    }

    /// A token that is right but for these claims.
    static String token(Map<String, ?> claims) {
        return token(claims, ConfigProvider.getConfig().getValue("test.token-key", String.class));
    }

    static String token(Map<String, ?> claims, String privateKey) {
        return token(claims, privateKey, Map.of("alg", "ES256", "typ", "JWT"));
    }

    /// A token that names this key.
    String signed(Map<String, ?> claims) {
        return token(claims, privateKey, Map.of("alg", "ES256", "typ", "JWT", "kid", id()));
    }

    /// The same without any signature.
    static String unsigned(Map<String, ?> claims) {
        return part(Map.of("alg", "none", "typ", "JWT")) + "." + part(claims) + ".";
    }

    private String id() {
        return Integer.toHexString(publicPem.hashCode());
    }

    /// The public key as an identity provider publishes it (RFC 7517).
    String jwk() {
        return "{\"kty\":\"EC\",\"use\":\"sig\",\"alg\":\"ES256\",\"crv\":\"P-256\",\"kid\":\"%s\",\"x\":\"%s\",\"y\":\"%s\"}"
                .formatted(
                        id(),
                        coordinate(publicKey.getW().getAffineX()),
                        coordinate(publicKey.getW().getAffineY()));
    }

    private static String coordinate(BigInteger number) {
        var bytes = new byte[32];
        byte[] digits = number.toByteArray();
        int length = Math.min(digits.length, bytes.length);
        System.arraycopy(digits, digits.length - length, bytes, bytes.length - length, length);
        return URL.encodeToString(bytes);
    }

    private static String token(Map<String, ?> claims, String privateKey, Map<String, ?> header) {
        var all = new LinkedHashMap<String, Object>();
        all.put("iss", "berth");
        all.put("iat", Instant.now().getEpochSecond());
        all.put("exp", Instant.now().plusSeconds(600).getEpochSecond());
        all.putAll(claims);
        String signed = part(header) + "." + part(all);
        try {
            PrivateKey key =
                    KeyFactory.getInstance("EC")
                            .generatePrivate(
                                    new PKCS8EncodedKeySpec(
                                            Base64.getDecoder().decode(privateKey)));
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + URL.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign a token", e);
        }
    }

    private static String part(Map<String, ?> json) {
        try {
            return URL.encodeToString(Json.mapper().writeValueAsBytes(json));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + json, e);
        }
    }
}
