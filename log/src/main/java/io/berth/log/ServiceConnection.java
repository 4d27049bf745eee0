package io.berth.log;

import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.apache.kafka.common.config.ConfigException;
import org.eclipse.microprofile.config.Config;

/// The connection of a service to the log, of its settings: the same for all services.
final class ServiceConnection {

    private ServiceConnection() {}

    /// @throws ConfigurationException whose message is all that the service says before it ends
    @Produces
    @Singleton
    static KafkaConnection kafka(Config config) {
        int cells = config.getOptionalValue("berth.cells", Integer.class).orElse(1);
        if (cells != 1) {
            // Gateways write into the first alone.
            throw new ConfigurationException(
                    "berth.cells is %d: a mesh has one cell".formatted(cells));
        }
        try {
            return KafkaConnection.of(name -> config.getOptionalValue(name, String.class));
        } catch (ConfigException e) {
            throw new ConfigurationException(e.getMessage());
        }
    }
}
