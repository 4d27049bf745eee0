package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An application whose jars are empty files.
class ApplicationTest {

    private static final Instant BUILT = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir Path folder;
    Application application;

    @BeforeEach
    void setApplication() {
        application = Application.of(folder, "part", Application.GENERATED);
    }

    private Path file(String name, Instant made) throws IOException {
        Path file = folder.resolve("part/target").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        return Files.setLastModifiedTime(file, FileTime.from(made));
    }

    private void build() throws IOException {
        for (String jar :
                new String[] {
                    "quarkus/generated-bytecode.jar",
                    "quarkus/transformed-bytecode.jar",
                    "app/part.jar",
                    "lib/boot/b.jar",
                    "lib/main/z.jar",
                    "lib/main/a.jar"
                }) {
            file("quarkus-app/" + jar, BUILT);
        }
        file("quarkus-app/quarkus/quarkus-application.dat", BUILT);
    }

    @Test
    void what_quarkus_changed_comes_before_what_it_was_made_from() throws IOException {
        build();

        String classPath = application.running().get(application.running().indexOf("-cp") + 1);

        assertThat(classPath.replace(folder + "/part/target/quarkus-app/", "").split(":"))
                .containsExactly(
                        "quarkus/transformed-bytecode.jar",
                        "quarkus/generated-bytecode.jar",
                        "app/part.jar",
                        "lib/boot/b.jar",
                        "lib/main/a.jar",
                        "lib/main/z.jar");
    }

    @Test
    void a_cache_that_is_newer_than_every_jar_is_used() throws IOException {
        build();
        file("part.aot", BUILT.plusSeconds(1));

        assertThat(application.running()).first().isEqualTo("-XX:AOTCache=" + application.cache());
    }

    @Test
    void a_cache_of_an_older_build_is_not_used() throws IOException {
        build();
        file("part.aot", BUILT.plusSeconds(1));
        file("quarkus-app/lib/main/a.jar", BUILT.plusSeconds(2));

        assertThat(application.running()).noneMatch(it -> it.startsWith("-XX:AOTCache"));
    }

    @Test
    void a_training_makes_a_cache_beside_of_just_the_class_path_that_runs() throws IOException {
        build();
        List<String> running = application.running();

        assertThat(application.training())
                .first()
                .isEqualTo("-XX:AOTCacheOutput=" + application.cache() + ".new");
        assertThat(application.training()).endsWith(running.toArray(String[]::new));
    }

    @Test
    void without_a_build_it_says_so() {
        assertThatThrownBy(application::running)
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("quarkus-app is missing: build first");
    }
}
