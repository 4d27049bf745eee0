package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

    @Test
    void by_a_jvm_it_takes_a_cache_that_was_made_of_its_classes() throws Exception {
        Path java = program("java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Path agent = Files.createFile(home.resolve("the agent.jar"));
        Path language = Files.createFile(home.resolve("slurm.jar"));
        assertThat(words(java, agent, language)).noneMatch(it -> it.contains("AOTCache"));

        Path cache = Files.createFile(home.resolve("session.aot"));
        made(cache, 2);
        made(agent, 1);
        made(language, 1);
        assertThat(words(java, agent, language))
                .contains("-XX:AOTCache=" + cache)
                .endsWith(
                        "-cp",
                        agent + ":" + language,
                        "io.berth.agent.session.JobEnd",
                        "srun",
                        "a  b");

        made(language, 3);
        assertThat(words(java, agent, language)).noneMatch(it -> it.contains("AOTCache"));
    }

    private static void made(Path file, long second) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(second, TimeUnit.SECONDS));
    }

    private List<String> words(Path java, Path agent, Path language) throws Exception {
        Path command = program("berth-session", SessionCommand.ofJars(java, agent, language));
        return new Commands()
                .run(List.of(command.toString(), "srun", "a  b"), Duration.ofMinutes(1))
                .output()
                .lines()
                .toList();
    }
}
