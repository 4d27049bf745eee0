package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipalFactory;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.ParseException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Tokens of an identity provider, with the settings that `docs/api.md` names: its keys by JWKS, an
/// audience, roles by a claim of groups.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OidcTest {
    private static final String PASSWORD = "password";

    private final List<Tokens> keys = new CopyOnWriteArrayList<>();
    private final HttpsServer provider;
    private final JWTAuthContextInfo settings = new JWTAuthContextInfo();
    private DefaultJWTCallerPrincipalFactory tokens = new DefaultJWTCallerPrincipalFactory();

    OidcTest(@TempDir Path folder) throws Exception {
        provider =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
        KeyStore own = certificate(folder);
        var managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(own, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        provider.setHttpsConfigurator(new HttpsConfigurator(context));
        String pem =
                "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                        .formatted(
                                Base64.getMimeEncoder()
                                        .encodeToString(own.getCertificate("mykey").getEncoded()));
        provider.createContext("/jwks", this::answer);
        provider.start();
        settings.setPublicKeyLocation(
                "https://127.0.0.1:" + provider.getAddress().getPort() + "/jwks");
        settings.setTlsCertificate(pem);
        settings.setSignatureAlgorithm(Set.of(SignatureAlgorithm.ES256));
        settings.setIssuedBy("https://idp.example");
        settings.setExpectedAudience(Set.of("berth"));
        settings.setJwksRefreshInterval(60);
        settings.setForcedJwksRefreshInterval(0);
    }

    /// One who knows no keys yet.
    @BeforeEach
    void start() {
        keys.clear();
        keys.add(Tokens.create());
        tokens = new DefaultJWTCallerPrincipalFactory();
    }

    @AfterAll
    void stop() {
        provider.stop(0);
    }

    /// A certificate that the JDK's own tool makes.
    private static KeyStore certificate(Path folder) throws Exception {
        Path store = folder.resolve("store.p12");
        String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        int made =
                new ProcessBuilder(
                                List.of(
                                        keytool,
                                        "-genkeypair",
                                        "-keyalg",
                                        "EC",
                                        "-dname",
                                        "CN=127.0.0.1",
                                        "-ext",
                                        "san=ip:127.0.0.1",
                                        "-storepass",
                                        PASSWORD,
                                        "-keystore",
                                        store.toString()))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start()
                        .waitFor();
        assertThat(made).isZero();
        var keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] published =
                keys.stream()
                        .map(Tokens::jwk)
                        .collect(Collectors.joining(",", "{\"keys\":[", "]}"))
                        .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, published.length);
        exchange.getResponseBody().write(published);
        exchange.close();
    }

    private static Map<String, Object> claims(Map<String, ?> others) {
        var claims = new HashMap<String, Object>();
        claims.put("iss", "https://idp.example");
        claims.put("aud", "berth");
        claims.put("sub", "f00-1");
        claims.put("preferred_username", "alice");
        claims.put("scope", "openid operator");
        claims.put("groups", List.of("user"));
        claims.putAll(others);
        return claims;
    }

    private JWTCallerPrincipal read(String token) throws ParseException {
        return tokens.parse(token, settings);
    }

    @Test
    void a_token_of_the_provider_is_a_user_by_its_groups_and_not_by_its_scopes()
            throws ParseException {
        JWTCallerPrincipal alice = read(keys.getFirst().signed(claims(Map.of())));

        assertThat(alice.getName()).isEqualTo("alice");
        assertThat(alice.getGroups()).containsExactly("user");
    }

    @Test
    void one_of_several_audiences_is_enough() throws ParseException {
        String token = keys.getFirst().signed(claims(Map.of("aud", List.of("other", "berth"))));

        assertThat(read(token).getName()).isEqualTo("alice");
    }

    static Stream<Map<String, ?>> wrong() {
        return Stream.of(
                Map.of("aud", "another"),
                Map.of("aud", List.of()),
                Map.of("iss", "berth"),
                Map.of("iat", 1000, "exp", Instant.now().minusSeconds(600).getEpochSecond()));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void a_token_for_another_audience_of_another_issuer_or_time_is_not_valid(Map<String, ?> claim) {
        String token = keys.getFirst().signed(claims(claim));

        assertThatThrownBy(() -> read(token)).isInstanceOf(ParseException.class);
    }

    @Test
    void a_token_that_no_key_of_the_provider_signed_is_not_valid() {
        String valid = keys.getFirst().signed(claims(Map.of()));
        List<String> forged =
                List.of(
                        Tokens.create().signed(claims(Map.of())),
                        valid.substring(0, valid.lastIndexOf('.') + 1),
                        Tokens.unsigned(claims(Map.of())));

        assertThat(forged)
                .allSatisfy(it ->
                        assertThatThrownBy(() -> read(it)).isInstanceOf(ParseException.class));
    }

    @Test
    void a_new_key_is_taken_up_when_a_token_names_it_and_a_withdrawn_one_is_not_good_any_more()
            throws ParseException {
        Tokens before = keys.getFirst();
        Tokens next = Tokens.create();
        assertThat(read(before.signed(claims(Map.of()))).getName()).isEqualTo("alice");
        keys.set(0, next);

        // Keys that were read a moment ago are not read again.
        await().ignoreExceptionsInstanceOf(ParseException.class)
                .untilAsserted(() ->
                        assertThat(read(next.signed(claims(Map.of()))).getName())
                                .isEqualTo("alice"));
        assertThatThrownBy(() -> read(before.signed(claims(Map.of()))))
                .isInstanceOf(ParseException.class);
    }
}
