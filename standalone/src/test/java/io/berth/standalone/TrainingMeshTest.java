package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.json.Json;
import io.berth.standalone.mesh.MeshHome;
import io.berth.standalone.mesh.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class TrainingMeshTest {

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final MeshHome home = new MeshHome(TestMesh.ROOT.resolve("target/training"));

    @Test
    void a_training_that_is_given_up_leaves_nothing(@TempDir Path folder) throws Exception {
        Process training = train(folder.resolve("log"));
        try {
            await().atMost(PATIENCE).ignoreExceptions().until(this::allAreReady);
            var mesh = new Properties();
            mesh.load(Files.newBufferedReader(home.addresses()));
            var gateway = URI.create(mesh.getProperty("url"));

            training.destroy();

            assertThat(training.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            TestMesh.assertGone(home.root(), home, new Ports(gateway.getPort()));
            try (Stream<Path> left = Files.walk(home.root())) {
                assertThat(left.filter(Files::isRegularFile)).containsExactly(home.lock());
            }
            assertThat(unfinished()).as("caches that are not done").isEmpty();
        } finally {
            training.descendants().forEach(ProcessHandle::destroyForcibly);
            training.destroyForcibly();
        }
    }

    private static Process train(Path log) throws IOException {
        var builder =
                new ProcessBuilder(TestMesh.ROOT.resolve("berth").toString(), "train-mesh")
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start();
    }

    private static List<Path> unfinished() throws IOException {
        try (Stream<Path> found =
                Files.find(TestMesh.ROOT, 3, (path, _) -> path.toString().contains(".aot.new"))) {
            return found.toList();
        }
    }

    private boolean allAreReady() throws IOException {
        List<String> states =
                Json.mapper()
                        .readTree(home.status().toFile())
                        .path("parts")
                        .findValuesAsText("state");
        return states.size() == 7 && states.stream().allMatch("READY"::equals);
    }
}
