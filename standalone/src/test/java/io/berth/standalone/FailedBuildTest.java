package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `berth` script, where Maven fails.
class FailedBuildTest {

    @TempDir Path checkout;

    /// Maven ends by taking back a colour, and no line.
    @Test
    void a_build_that_fails_is_told_and_nothing_runs() throws Exception {
        program("mvn", "printf '[ERROR] no such class\\n\\033[0m'; exit 1");
        Files.copy(TestMesh.ROOT.resolve("berth"), checkout.resolve("berth"));

        var builder = new ProcessBuilder("sh", "./berth", "status").directory(checkout.toFile());
        builder.environment().put("PATH", checkout + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process script = builder.redirectErrorStream(true).start();
        String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(script.waitFor()).isEqualTo(1);
        assertThat(said).contains("[ERROR] no such class", "berth: the build failed");
        assertThat(checkout.resolve("target/built")).doesNotExist();
    }

    private void program(String name, String text) throws IOException {
        Path file = Files.writeString(checkout.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
