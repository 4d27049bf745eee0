package io.berth.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.json.Json;
import io.berth.standalone.mesh.MeshHome;
import java.io.IOException;
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
            String port = mesh.getProperty("url", "").replaceAll(".*:", "");

            training.destroy();

            assertThat(training.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(processes()).as("processes of " + home.root()).isEmpty();
            assertThat(groups("berth-" + port)).as("control groups").isEmpty();
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

    private List<Path> processes() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(it -> it.getFileName().toString().matches("\\d+"))
                    .filter(it -> commandLine(it).contains(home.root() + "/"))
                    .toList();
        }
    }

    private static String commandLine(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("cmdline")), UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static List<Path> groups(String name) throws IOException {
        Path all = Path.of("/sys/fs/cgroup");
        if (!Files.isDirectory(all)) {
            return List.of();
        }
        try (Stream<Path> found = Files.find(all, 2, (path, _) -> path.endsWith(name))) {
            return found.toList();
        }
    }
}
