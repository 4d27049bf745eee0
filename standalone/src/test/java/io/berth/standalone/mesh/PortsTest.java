package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortsTest {

    @Test
    void the_base_is_7600_unless_it_is_set() {
        assertThat(Ports.configured(Map.of()).kafka()).isEqualTo(7605);
        assertThat(Ports.configured(Map.of("BERTH_PORT_BASE", "9000")).kafka()).isEqualTo(9005);
    }

    @ParameterizedTest
    @CsvSource({"port,not a number", "80,not in 1024", "65530,not in 1024"})
    void a_bad_base_is_named(String base, String complaint) {
        assertThatThrownBy(() -> Ports.configured(Map.of("BERTH_PORT_BASE", base)))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("BERTH_PORT_BASE is ")
                .hasMessageContaining(complaint);
    }

    @Test
    void a_taken_port_is_named_with_its_use() throws IOException {
        Ports ports = Ports.free();
        try (var taken = new ServerSocket(ports.kafka(), 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(ports::requireFree)
                    .isInstanceOf(CannotStart.class)
                    .hasMessage(
                            "port %d (Kafka) is taken: set BERTH_PORT_BASE to the first of 8 free ports",
                            taken.getLocalPort());
        }
    }
}
