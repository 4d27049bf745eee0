package io.berth.standalone.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.log.LogFields;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The lines that services log, as their sources have them.
class LogLinesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /// The keys of one line, up to its text.
    private static final Pattern KEYS =
            Pattern.compile("(?:\\.addKeyValue\\(\\s*\"\\w+\",[^;]*?)+\\s*\\.log\\(");

    private static final Pattern KEY = Pattern.compile("\\.addKeyValue\\(\\s*\"(\\w+)\",");

    /// Fields are made of the first words of a line: a name that comes after what may be any text
    /// is a part of that text.
    @Test
    void things_come_before_what_is_said_of_them() {
        List<List<String>> lines = lines();

        assertThat(lines)
                .hasSizeGreaterThan(80)
                .allSatisfy(keys ->
                        assertThat(keys.stream().dropWhile(LogFields.THINGS::contains))
                                .doesNotContainAnyElementsOf(LogFields.THINGS));
    }

    @Test
    void every_field_is_documented_and_on_some_line() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/operating.md"));

        assertThat(LogFields.THINGS)
                .allSatisfy(it -> assertThat(page).contains("`" + it + "`"))
                .allSatisfy(it -> assertThat(lines()).anyMatch(keys -> keys.contains(it)));
    }

    private static List<List<String>> lines() {
        return sources().stream()
                .flatMap(source -> KEYS.matcher(source).results())
                .map(line -> KEY.matcher(line.group()).results().map(it -> it.group(1)).toList())
                .toList();
    }

    private static List<String> sources() {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(it -> it.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .flatMap(LogLinesTest::javaFiles)
                    .map(LogLinesTest::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(it -> it.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
