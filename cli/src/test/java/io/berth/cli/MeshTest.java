package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.client.Mesh;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where tokens may go.
class MeshTest {

    private static final String LOCAL = "http://127.0.0.1:7600";

    @ParameterizedTest
    @ValueSource(
            strings = {
                LOCAL,
                "http://localhost:7600",
                "http://127.1.2.3",
                "http://[::1]:7600/",
                "HTTPS://mesh.example:7600"
            })
    void a_token_may_go_to_this_machine_and_anywhere_by_https(String address) {
        assertThat(new Mesh(address, LOCAL, LOCAL).plain()).isEmpty();
        assertThat(new Mesh(LOCAL, address, LOCAL).plain()).isEmpty();
        assertThat(new Mesh(LOCAL, LOCAL, address).plain()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://mesh.example:7600",
                "http://127.0.0.1.mesh.example",
                "http://localhost.mesh.example:7600",
                "http://127.0.0.1@mesh.example",
                "http://localhost:80@mesh.example",
                "http://10.0.0.1",
                "mesh:7600"
            })
    void a_token_does_not_go_elsewhere_in_the_clear(String address) {
        assertThat(new Mesh(address, LOCAL, LOCAL).plain()).isEqualTo(address);
        assertThat(new Mesh(LOCAL, address, LOCAL).plain()).isEqualTo(address);
        assertThat(new Mesh(LOCAL, LOCAL, address).plain()).isEqualTo(address);
    }

    @Test
    void what_is_no_address_is_named() {
        assertThat(new CommandRun().with("BERTH_URL", "foo").run("squeue").err())
                .isEqualTo(
                        "squeue: error: 'foo' is no address of a service: use https://HOST:PORT or http://HOST:PORT\n");
    }

    @Test
    void a_command_says_that_it_does_not_send_it_unless_it_is_told_to() throws Exception {
        Outcome refused = new CommandRun().with("BERTH_URL", "http://192.0.2.1:1").run("squeue");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .startsWith("squeue: error: no token is sent to http://192.0.2.1:1, as others");
        try (var mesh = new FakeMesh()) {
            Outcome told =
                    new CommandRun(mesh)
                            .with("BERTH_PLACEMENT_URL", "http://192.0.2.1:1")
                            .with("BERTH_PLAIN_HTTP", "1")
                            .run("squeue");
            assertThat(told.err()).doesNotContain("no token is sent");
        }
    }
}
