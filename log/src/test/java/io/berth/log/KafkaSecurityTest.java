package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.embedded.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KafkaSecurityTest {

    @TempDir static Path folder;

    @BeforeAll
    static void certify() throws IOException {
        new Certificates(folder).certify("client", "/CN=client");
    }

    private static Map<String, String> tls() {
        var settings = new HashMap<String, String>();
        settings.put("kafka.bootstrap.servers", "kafka1:9093");
        settings.put("kafka.tls.ca", folder.resolve("ca.crt").toString());
        settings.put("kafka.tls.certificate", folder.resolve("client.crt").toString());
        settings.put("kafka.tls.key", folder.resolve("client.key").toString());
        return settings;
    }

    private static Map<String, String> scram(Path password) {
        var settings = new HashMap<String, String>();
        settings.put("kafka.bootstrap.servers", "kafka1:9093");
        settings.put("kafka.tls.ca", folder.resolve("ca.crt").toString());
        settings.put("kafka.sasl.username", "berth-submit");
        settings.put("kafka.sasl.password-file", password.toString());
        return settings;
    }

    private static KafkaConnection of(Map<String, String> settings) {
        return KafkaConnection.of(name -> Optional.ofNullable(settings.get(name)));
    }

    private static Path secret(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void refused(Map<String, String> settings, String why) {
        assertThatThrownBy(() -> of(settings)).isInstanceOf(ConfigException.class).hasMessage(why);
    }

    @Test
    void without_settings_it_is_plain_text() {
        var connection = of(Map.of("kafka.bootstrap.servers", "127.0.0.1:7605"));

        assertThat(connection).isEqualTo(new KafkaConnection("127.0.0.1:7605"));
        assertThat(connection.producerSettings()).doesNotContainKey("security.protocol");
    }

    @Test
    void a_certificate_is_shown_over_tls() {
        assertThat(of(tls()).producerSettings())
                .containsEntry("security.protocol", "SSL")
                .containsEntry("ssl.engine.factory.class", PemSslEngineFactory.class)
                .doesNotContainKeys("sasl.mechanism", "ssl.endpoint.identification.algorithm");
    }

    @Test
    void a_password_goes_over_tls_alone_and_is_not_shown() throws IOException {
        var settings = of(scram(secret("password", "say \"a\\b\"\n"))).security().settings();

        assertThat(settings)
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.mechanism", "SCRAM-SHA-512");
        assertThat(settings.get("sasl.jaas.config"))
                .isEqualTo(
                        new Password(
                                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"berth-submit\" password=\"say \\\"a\\\\b\\\"\";"));
        assertThat(settings.toString()).doesNotContain("say");
    }

    @Test
    void what_is_missing_is_named() {
        refused(Map.of(), "kafka.bootstrap.servers: no broker is named");
        for (String name : KafkaSecurity.SETTINGS) {
            if (tls().containsKey(name)) {
                Path none = folder.resolve("none");
                var settings = tls();
                settings.put(name, none.toString());
                refused(settings, name + ": there is no file " + none);
            }
        }
        var half = tls();
        half.remove("kafka.tls.key");
        refused(half, "kafka.tls.certificate is set, and kafka.tls.key is not: they go together");
        var nameless = scram(folder);
        nameless.remove("kafka.sasl.username");
        refused(
                nameless,
                "kafka.sasl.password-file is set, and kafka.sasl.username is not: they go together");
    }

    @Test
    void nobody_shows_who_he_is_without_tls() throws IOException {
        var certificate = tls();
        certificate.remove("kafka.tls.ca");
        refused(
                certificate,
                "kafka.tls.certificate is set, and kafka.tls.ca is not: there is no TLS");
        var password = scram(secret("password", "secret"));
        password.remove("kafka.tls.ca");
        refused(password, "kafka.sasl.username is set, and kafka.tls.ca is not: there is no TLS");
    }

    @Test
    void a_file_that_holds_something_else_is_named() throws IOException {
        Path key = folder.resolve("client.key");
        var settings = tls();
        settings.put("kafka.tls.ca", key.toString());
        refused(
                settings,
                "kafka.tls.ca: " + key + " holds no certificates: it has no BEGIN CERTIFICATE");

        Path sec1 = secret("sec1.key", Files.readString(key).replace("PRIVATE", "EC PRIVATE"));
        settings = tls();
        settings.put("kafka.tls.key", sec1.toString());
        refused(
                settings,
                "kafka.tls.key: "
                        + sec1
                        + " is no key in PKCS #8, which begins with BEGIN PRIVATE KEY");

        Path locked =
                secret("locked", Files.readString(key).replace("PRIVATE", "ENCRYPTED PRIVATE"));
        settings.put("kafka.tls.key", locked.toString());
        refused(
                settings,
                "kafka.tls.key: " + locked + " is encrypted: a key without a password is needed");

        new Certificates(folder).certify("other", "/CN=other");
        Path other = folder.resolve("other.key");
        settings.put("kafka.tls.key", other.toString());
        refused(
                settings,
                "kafka.tls.key: " + other + " is not the key of " + folder.resolve("client.crt"));

        Path lines = secret("lines", "one\ntwo\n");
        refused(
                scram(lines),
                "kafka.sasl.password-file: " + lines + " is not one line with a password");
    }

    @Test
    void a_secret_that_others_may_read_is_not_taken() throws IOException {
        Path open = secret("open.key", Files.readString(folder.resolve("client.key")));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        var settings = tls();
        settings.put("kafka.tls.key", open.toString());
        String why = " may be read by others than its owner: chmod 600 it";

        refused(settings, "kafka.tls.key: " + open + why);
        refused(scram(open), "kafka.sasl.password-file: " + open + why);
    }
}
