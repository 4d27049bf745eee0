package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The tests of the Python client, with this gateway for its mesh. Skipped where there is no
/// python3.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class PythonClientTest {
    private static final Path CLIENT = Path.of("../clients/python");

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @Test
    void the_python_client_passes_its_tests_against_this_gateway() throws Exception {
        assumeThat(python()).as("python3 on the PATH").isTrue();
        var builder = new ProcessBuilder("python3", "-m", "unittest", "-v");
        builder.directory(CLIENT.toFile()).redirectErrorStream(true);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().put("BERTH_URL", "http://127.0.0.1:" + RestAssured.port);
        builder.environment().put("BERTH_TOKEN", Tokens.user("pythia"));

        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("test_a_key_makes_one_job")
                .contains("\nOK")
                .doesNotContain("skipped");
    }

    private static boolean python() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(it -> Path.of(it, "python3"))
                .anyMatch(Files::isExecutable);
    }
}
