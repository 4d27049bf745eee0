package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.embedded.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PemSslEngineFactoryTest {

    @TempDir Path folder;
    private final PemSslEngineFactory factory = new PemSslEngineFactory();

    @BeforeEach
    void certify() throws IOException {
        new Certificates(folder).certify("first", "/CN=first");
        new Certificates(folder).certify("second", "/CN=second");
        use("first");
    }

    private void use(String name) throws IOException {
        replace(name, ".crt");
        replace(name, ".key");
    }

    private void replace(String name, String end) throws IOException {
        Files.copy(
                folder.resolve(name + end),
                folder.resolve("client" + end),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private void configure() {
        configure(factory);
    }

    private void configure(PemSslEngineFactory one) {
        one.configure(
                Map.of(
                        SslConfigs.SSL_PROTOCOL_CONFIG,
                        SslConfigs.DEFAULT_SSL_PROTOCOL,
                        PemSslEngineFactory.AUTHORITY,
                        folder.resolve("ca.crt").toString(),
                        PemSslEngineFactory.CERTIFICATE,
                        folder.resolve("client.crt").toString(),
                        PemSslEngineFactory.KEY,
                        folder.resolve("client.key").toString()));
    }

    /// The subject of the certificate that the next connection shows.
    private String shown() throws Exception {
        KeyStore store = Objects.requireNonNull(factory.keystore());
        var certificate = (X509Certificate) store.getCertificate(store.aliases().nextElement());
        return certificate.getSubjectX500Principal().getName();
    }

    @Test
    void a_certificate_that_was_renewed_is_shown_from_then_on() throws Exception {
        configure();
        assertThat(shown()).isEqualTo("CN=first");

        use("second");

        assertThat(shown()).isEqualTo("CN=second");
    }

    @Test
    void while_a_file_is_half_written_or_gone_the_last_certificate_is_shown() throws Exception {
        configure();

        Files.writeString(folder.resolve("client.key"), "-----BEGIN");
        assertThat(shown()).isEqualTo("CN=first");
        Files.delete(folder.resolve("client.key"));
        assertThat(shown()).isEqualTo("CN=first");
    }

    @Test
    void while_the_key_is_not_that_of_the_certificate_the_last_pair_is_shown() throws Exception {
        configure();

        replace("second", ".crt");
        assertThat(shown()).isEqualTo("CN=first");
        replace("second", ".key");
        assertThat(shown()).isEqualTo("CN=second");
    }

    @Test
    void clients_of_the_same_certificate_share_what_was_made_of_it() throws IOException {
        var other = new PemSslEngineFactory();
        configure();
        configure(other);

        assertThat(other.keystore()).isNotNull().isSameAs(factory.keystore());

        use("second");
        assertThat(other.keystore()).isNotNull().isSameAs(factory.keystore());
        other.close();
        assertThat(factory.createClientSslEngine("localhost", 1, "https")).isNotNull();
    }

    @Test
    void who_begins_without_a_file_fails() throws IOException {
        Files.delete(folder.resolve("ca.crt"));

        assertThatThrownBy(this::configure)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(folder.resolve("ca.crt").toString());
    }
}
