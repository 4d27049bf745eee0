package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;

final class ServiceConnectionTest {

    private static Config config(String cells) {
        return new SmallRyeConfigBuilder()
                .withSources(
                        new PropertiesConfigSource(
                                Map.of(
                                        "kafka.bootstrap.servers",
                                        "localhost:9",
                                        "berth.cells",
                                        cells),
                                "test",
                                100))
                .build();
    }

    @Test
    void a_mesh_of_several_cells_is_refused_in_a_line() {
        assertThatThrownBy(() -> ServiceConnection.kafka(config("2")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("berth.cells is 2: a mesh has one cell");
    }

    @Test
    void a_mesh_of_one_cell_is_not() {
        assertThat(ServiceConnection.kafka(config("1"))).isNotNull();
    }
}
