package io.berth.standalone.ship;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The images can be built from what Maven makes, and say when they are well.
class DockerfilesTest {

    static List<String> services() {
        return Checkout.SERVICES;
    }

    @ParameterizedTest
    @MethodSource("services")
    void an_image_stands_on_one_pinned_base(String service) {
        assertThat(Dockerfile.of(service).all("FROM"))
                .singleElement()
                .asString()
                .matches("[a-z/-]+:\\d+\\.\\d+[\\w.-]*");
    }

    @ParameterizedTest
    @MethodSource("services")
    void what_is_copied_is_what_the_build_makes_and_may_be_sent(String service) {
        List<String> sources =
                Dockerfile.of(service).all("COPY").stream()
                        .map(it -> it.substring(0, it.indexOf(' ')))
                        .toList();

        assertThat(sources)
                .hasSize(4)
                .allSatisfy(it -> assertThat(Checkout.ROOT.resolve(service).resolve(it)).exists())
                .allMatch(it -> it.startsWith("target/quarkus-app/"));
        assertThat(Checkout.read(service + "/.dockerignore").lines())
                .containsExactly("*", "!target/quarkus-app");
    }

    @ParameterizedTest
    @CsvSource({
        "submit-service, 7600:7600",
        "priority-service, 7600:7600",
        "placement-service, 7600:7600",
        "accounting-service, 7600:7600",
        "node-agent, root"
    })
    void only_the_agent_runs_as_root(String service, String user) {
        assertThat(Dockerfile.of(service).all("USER")).last().isEqualTo(user);
    }

    @ParameterizedTest
    @MethodSource("services")
    void an_image_listens_where_its_service_does(String service) {
        assertThat(Dockerfile.of(service).all("ENV"))
                .singleElement()
                .asString()
                .contains("QUARKUS_HTTP_PORT=" + Checkout.port(service) + " ");
    }

    @ParameterizedTest
    @MethodSource("services")
    void its_java_takes_all_flags(String service) throws Exception {
        List<String> words = Dockerfile.of(service).words("ENTRYPOINT");
        assertThat(words).hasSize(3).startsWith("sh", "-c");
        String flags =
                words.getLast()
                        .replaceFirst("^exec (\\$BERTH_ENTER )?java ", "")
                        .replace("-jar quarkus-run.jar", "");

        var java = new ArrayList<String>();
        java.add(System.getProperty("java.home") + "/bin/java");
        Stream.of(flags.replace("$JAVA_OPTIONS", "").strip().split(" ")).forEach(java::add);
        java.add("-version");

        assertThat(status(java, Map.of())).isZero();
    }

    @ParameterizedTest
    @CsvSource({"200, 0", "503, 1"})
    void the_health_check_says_what_readiness_says(int answer, int status) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(loopback(), 0), 0);
        server.createContext(
                "/q/health/ready",
                exchange -> {
                    exchange.sendResponseHeaders(answer, -1);
                    exchange.close();
                });
        server.start();
        try {
            var port = Map.of("QUARKUS_HTTP_PORT", "" + server.getAddress().getPort());

            for (String service : Checkout.SERVICES) {
                List<String> check = Dockerfile.of(service).words("HEALTHCHECK");
                assertThat(status(check, port)).as(service).isEqualTo(status);
            }
        } finally {
            server.stop(0);
        }
    }

    @Test
    void the_health_check_fails_where_nobody_listens() throws Exception {
        List<String> check = Dockerfile.of("submit-service").words("HEALTHCHECK");

        assertThat(status(check, Map.of("QUARKUS_HTTP_PORT", "1"))).isNotZero();
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    private static int status(List<String> command, Map<String, String> environment)
            throws Exception {
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        return builder.start().waitFor();
    }
}
