package io.berth.contracts.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the comments of the sources say of types and their components.
final class SourceDocs {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Pattern DECLARATION =
            Pattern.compile(
                    "((?:^ *///.*\\n)+)(?:^ *@.*\\n)*^ *(?:(?:public|private|static|sealed|final) )*"
                            + "(?:record|enum|interface|class) (\\w+)",
                    Pattern.MULTILINE);
    private static final Pattern PARAMETERS = Pattern.compile("^@param ", Pattern.MULTILINE);

    /// The text of a type and those of its components, on one line each.
    private record Docs(String text, Map<String, String> components) {
        static final Docs NONE = new Docs("", Map.of());
    }

    private final Map<Class<?>, Map<String, Docs>> files = new HashMap<>();

    /// The first paragraph on a type; empty if it has none.
    String of(Class<?> type) {
        return docs(type).text();
    }

    /// What is said of a record's component; empty if nothing is.
    String of(Class<?> type, String component) {
        return docs(type).components().getOrDefault(component, "");
    }

    private Docs docs(Class<?> type) {
        Class<?> outer = type;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        return files.computeIfAbsent(outer, SourceDocs::read)
                .getOrDefault(type.getSimpleName(), Docs.NONE);
    }

    private static Map<String, Docs> read(Class<?> outer) {
        var docs = new HashMap<String, Docs>();
        Matcher declarations = DECLARATION.matcher(source(outer));
        while (declarations.find()) {
            String comment = declarations.group(1).replaceAll("(?m)^ *///? ?", "").strip();
            docs.putIfAbsent(declarations.group(2), parse(comment));
        }
        return docs;
    }

    private static Docs parse(String comment) {
        String[] parts = PARAMETERS.split(comment);
        var components = new HashMap<String, String>();
        for (int i = 1; i < parts.length; i++) {
            String[] nameAndText = parts[i].split("\\s+", 2);
            components.put(nameAndText[0], line(nameAndText.length > 1 ? nameAndText[1] : ""));
        }
        return new Docs(line(parts[0].split("\\n\\s*\\n", 2)[0]), components);
    }

    /// One line, in which a link is the name that it links to.
    private static String line(String text) {
        return text.strip().replaceAll("\\s+", " ").replaceAll("\\[([\\w#.]+)\\](?!\\()", "$1");
    }

    private static String source(Class<?> outer) {
        try {
            return Files.readString(SOURCES.resolve(outer.getName().replace('.', '/') + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
