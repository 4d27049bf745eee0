package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// That both clients come to a database that takes nobody without TLS is tested by all tests of the
/// whole service.
class DatabaseTlsTest {

    private static SmallRyeConfig config(Map<String, String> settings) {
        return new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(settings, "test", 300))
                .withSources(new DatabaseTls())
                .build();
    }

    @Test
    void one_setting_lets_both_clients_verify_the_server_and_its_name() {
        var config = config(Map.of("berth.accounting.database-ca", "/etc/berth/ca.crt"));
        String reactive = "quarkus.datasource.reactive.";
        String jdbc = "quarkus.datasource.jdbc.additional-jdbc-properties.";

        assertThat(value(config, reactive + "postgresql.ssl-mode")).isEqualTo("verify-full");
        assertThat(value(config, reactive + "hostname-verification-algorithm")).isEqualTo("HTTPS");
        assertThat(value(config, reactive + "trust-certificate-pem.certs"))
                .isEqualTo("/etc/berth/ca.crt");
        assertThat(value(config, jdbc + "sslmode")).isEqualTo("verify-full");
        assertThat(value(config, jdbc + "sslrootcert")).isEqualTo("/etc/berth/ca.crt");
    }

    private static String value(SmallRyeConfig config, String name) {
        return config.getConfigValue(name).getValue();
    }

    @Test
    void without_it_nothing_is_set() {
        assertThat(config(Map.of()).getPropertyNames())
                .noneMatch(it -> it.startsWith("quarkus.datasource"));
    }
}
