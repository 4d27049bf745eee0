package io.berth.accounting;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;

/// Makes of one setting, `berth.accounting.database-ca`, all that both clients of the database need
/// to know the server: its certificate leads to that authority and has the name in the address.
/// What is set beside it for one of them counts first.
public final class DatabaseTls implements ConfigSourceFactory {

    static final String SETTING = "berth.accounting.database-ca";

    /// Above the application's own properties, which have 250, and below the environment.
    private static final int ORDINAL = 275;

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        ConfigValue authority = context.getValue(SETTING);
        if (authority == null || authority.getValue() == null || authority.getValue().isEmpty()) {
            return List.of();
        }
        return List.of(
                new PropertiesConfigSource(settings(authority.getValue()), SETTING, ORDINAL));
    }

    private static Map<String, String> settings(String authority) {
        String jdbc = "quarkus.datasource.jdbc.additional-jdbc-properties.";
        String reactive = "quarkus.datasource.reactive.";
        return Map.of(
                jdbc + "sslmode", "verify-full",
                jdbc + "sslrootcert", authority,
                reactive + "postgresql.ssl-mode", "verify-full",
                reactive + "hostname-verification-algorithm", "HTTPS",
                reactive + "trust-certificate-pem", "true",
                reactive + "trust-certificate-pem.certs", authority);
    }
}
