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
        try {
            return KafkaConnection.of(name -> config.getOptionalValue(name, String.class));
        } catch (ConfigException e) {
            throw new ConfigurationException(e.getMessage());
        }
    }
}
