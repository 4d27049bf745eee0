package io.berth.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    private static final int RANGE = 7;
    private static final int PORTS = 8;

    /// Each stands for a process.
    @Test
    void two_that_come_upon_the_same_range_have_no_port_in_common() {
        FreePorts one = FreePorts.claim(RANGE);
        FreePorts other = FreePorts.claim(RANGE);

        for (int i = 0; i < 100; i++) {
            assertThat(ports(one.consecutive(PORTS)))
                    .doesNotContain(ports(other.consecutive(PORTS)));
        }
    }

    @Test
    void ports_in_a_row_are_not_given_again_at_once() {
        FreePorts ports = FreePorts.claim(RANGE);

        assertThat(ports(ports.consecutive(PORTS))).doesNotContain(ports(ports.consecutive(PORTS)));
    }

    @Test
    void one_that_somebody_listens_on_is_passed_over() throws IOException {
        FreePorts ports = FreePorts.claim(RANGE);
        int port = ports.consecutive(1) + 3;

        try (var taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(ports(ports.consecutive(PORTS))).doesNotContain(taken.getLocalPort());
        }
    }

    private static int[] ports(int first) {
        return IntStream.range(first, first + PORTS).toArray();
    }
}
