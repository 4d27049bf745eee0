package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Links of the README and of all pages under docs/: each leads to a file of the checkout, and to a
/// heading of it where one is named, by the anchors that GitHub makes of headings.
class LinksTest {

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");

    @TempDir Path folder;

    @Test
    void every_relative_link_of_a_page_leads_somewhere() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(TestMesh.ROOT.resolve("README.md")));
        try (Stream<Path> files = Files.walk(TestMesh.ROOT.resolve("docs"))) {
            files.filter(it -> it.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        var broken = new ArrayList<String>();
        for (Path page : pages) {
            broken.addAll(broken(page));
        }

        assertThat(pages).hasSizeGreaterThan(40);
        assertThat(broken).isEmpty();
    }

    @Test
    void a_link_to_a_page_or_a_heading_that_there_is_not_is_noticed() throws IOException {
        Files.writeString(
                folder.resolve("other.md"), "## Two words: `one`\n```\n# no heading\n```\n");
        Path page =
                Files.writeString(
                        folder.resolve("page.md"),
                        """
                        [a](other.md#two-words-one) [b](other.md#no-heading) [c](gone.md)
                        [d](#here) [e](https://example.org/gone) `[f](gone)`
                        """);

        assertThat(broken(page))
                .containsExactly(
                        "page.md: other.md#no-heading", "page.md: gone.md", "page.md: #here");
    }

    /// The page's links that lead nowhere, each as `page: link`.
    private static List<String> broken(Path page) throws IOException {
        var broken = new ArrayList<String>();
        for (String line : prose(page)) {
            Matcher links = LINK.matcher(line.replaceAll("`[^`]*`", ""));
            while (links.find()) {
                String link = links.group(1);
                if (!link.matches("[a-z]+:.*") && !leads(page, link)) {
                    broken.add(page.getFileName() + ": " + link);
                }
            }
        }
        return broken;
    }

    private static boolean leads(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    private static Set<String> anchors(Path page) throws IOException {
        var anchors = new HashSet<String>();
        for (String line : prose(page)) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                anchors.add(
                        heading.group(1)
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                                .replace(' ', '-'));
            }
        }
        return anchors;
    }

    /// The page's lines outside of blocks of code.
    private static List<String> prose(Path page) throws IOException {
        var prose = new ArrayList<String>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                code = !code;
            } else if (!code) {
                prose.add(line);
            }
        }
        return prose;
    }
}
