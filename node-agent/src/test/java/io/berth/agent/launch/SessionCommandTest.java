package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionCommandTest {

    @TempDir Path home;

    private Path program(String name, String text) throws IOException {
        Path program = home.resolve(name);
        Shims.install(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                program,
                "rwxr-xr-x");
        return program;
    }

    @Test
    void a_native_agent_is_given_no_word_of_a_command_that_looks_like_a_setting_of_its_own()
            throws Exception {
        Path agent = program("the agent", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Path command = program("berth-session", SessionCommand.ofExecutable(agent));

        String words =
                new Commands()
                        .run(
                                List.of(command.toString(), "java", "-Xmx4g", "-Dx=a  b", "", "*"),
                                Duration.ofMinutes(1))
                        .output();

        assertThat(words.lines())
                .containsExactly("-Xmx32m", "session", "=java", "=-Xmx4g", "=-Dx=a  b", "=", "=*");
    }
}
