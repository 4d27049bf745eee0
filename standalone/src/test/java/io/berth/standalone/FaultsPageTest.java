package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Pages that promise tests by name.
class FaultsPageTest {

    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)\\.(\\w+)`");

    @ParameterizedTest
    @ValueSource(strings = {"docs/faults.md", "docs/slurm-testsuite.md"})
    void every_test_that_a_page_names_is_there(String page) throws IOException {
        Map<String, String> tests = tests();
        List<MatchResult> named =
                TEST.matcher(Files.readString(TestMesh.ROOT.resolve(page))).results().toList();

        assertThat(named)
                .hasSizeGreaterThan(40)
                .allSatisfy(it ->
                        assertThat(tests.getOrDefault(it.group(1), "no such class"))
                                .contains("void " + it.group(2) + "("));
    }

    @Test
    void what_nobody_can_read_is_told_of_on_each_topic() throws IOException {
        String page = Files.readString(TestMesh.ROOT.resolve("docs/faults.md"));
        String table = page.substring(page.indexOf("## What nobody can read"));

        assertThat(Topics.all())
                .extracting(it -> it.name().replaceAll("^berth\\.|\\.v\\d+$", ""))
                .allSatisfy(it -> assertThat(table).contains("`" + it + "`"));
    }

    /// The sources of all tests of the checkout, by the name of their class.
    private static Map<String, String> tests() throws IOException {
        var tests = new HashMap<String, String>();
        try (Stream<Path> modules = Files.list(TestMesh.ROOT)) {
            modules.map(it -> it.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .forEach(folder -> add(folder, tests));
        }
        return tests;
    }

    private static void add(Path folder, Map<String, String> tests) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(it -> it.toString().endsWith("Test.java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                tests.merge(name, Files.readString(file), String::concat);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
