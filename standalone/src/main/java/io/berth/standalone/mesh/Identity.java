package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;

/// The key of a home, and the tokens that are signed with it: JWT, ES256.
public final class Identity {

    /// The group of those who may act as others, and change all.
    public static final String ADMIN = "admin";

    /// The group of those who may look after others.
    public static final String OPERATOR = "operator";

    public static final String USER = "user";

    static final String ISSUER = "berth";

    private static final Duration LIFE = Duration.ofDays(3650);
    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    private final PrivateKey key;

    private Identity(PrivateKey key) {
        this.key = key;
    }

    /// The identity of that home, made on first use, with a token for its operator.
    public static Identity of(MeshHome home, String operator) throws IOException {
        try {
            if (!Files.exists(home.privateKey()) || !Files.exists(home.publicKey())) {
                generate(home);
                Files.deleteIfExists(home.operatorToken());
            }
            var identity = new Identity(read(home.privateKey()));
            if (!Files.exists(home.operatorToken()) || isFromBeforeAdmins(home.operatorToken())) {
                MeshHome.write(
                        home.operatorToken(), identity.token(operator, ADMIN) + "\n", "rw-------");
            }
            return identity;
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot use the key in " + home.privateKey(), e);
        }
    }

    /// Whether it is what this wrote before there were admins: an operator's.
    private static boolean isFromBeforeAdmins(Path token) throws IOException {
        String[] parts = Files.readString(token).strip().split("\\.", -1);
        try {
            JsonNode claims =
                    Json.mapper()
                            .readTree(
                                    Base64.getUrlDecoder()
                                            .decode(parts.length == 3 ? parts[1] : ""));
            return claims.path("groups").toString().equals("[\"" + OPERATOR + "\"]")
                    && !claims.has("scope");
        } catch (IllegalArgumentException | JsonProcessingException e) {
            return false;
        }
    }

    /// A token of that user.
    public String token(String user, String group) {
        try {
            return token(user, group, Instant.now());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign with a key that was read", e);
        }
    }

    private String token(String user, String group, Instant now) throws GeneralSecurityException {
        var claims = new LinkedHashMap<String, Object>();
        claims.put("iss", ISSUER);
        claims.put("sub", user);
        claims.put("upn", user);
        claims.put("groups", List.of(group));
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", now.plus(LIFE).getEpochSecond());
        String signed =
                encoded("{\"alg\":\"ES256\",\"typ\":\"JWT\"}")
                        + "."
                        + encoded(Json.mapper().valueToTree(claims).toString());
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(signed.getBytes(UTF_8));
        return signed + "." + URL.encodeToString(signature.sign());
    }

    private static String encoded(String json) {
        return URL.encodeToString(json.getBytes(UTF_8));
    }

    private static void generate(MeshHome home) throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        MeshHome.write(
                home.publicKey(), pem("PUBLIC KEY", pair.getPublic().getEncoded()), "rw-r--r--");
        MeshHome.write(
                home.privateKey(), pem("PRIVATE KEY", pair.getPrivate().getEncoded()), "rw-------");
    }

    private static String pem(String kind, byte[] content) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, body);
    }

    private static PrivateKey read(Path file) throws IOException, GeneralSecurityException {
        String body = Files.readString(file).replaceAll("-----[A-Z ]+-----|\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body)));
    }
}
