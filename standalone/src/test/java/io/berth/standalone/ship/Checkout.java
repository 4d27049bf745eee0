package io.berth.standalone.ship;

import io.berth.log.KafkaSecurity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/// The files of this checkout that are shipped, and the settings that its services have.
final class Checkout {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /// The modules that become images.
    static final List<String> SERVICES =
            List.of(
                    "submit-service",
                    "priority-service",
                    "placement-service",
                    "accounting-service",
                    "node-agent");

    /// Settings of the platform that no file of ours names.
    private static final Set<String> PLATFORM =
            Set.of("quarkus.datasource.password", "mp.jwt.verify.publickey.location");

    private static final Pattern MAPPING =
            Pattern.compile("@ConfigMapping\\(prefix = \"([a-z.-]+)\"\\)");
    private static final Pattern METHOD =
            Pattern.compile("^    [A-Z]?[\\w<>.]+ (\\w+)\\(\\);", Pattern.MULTILINE);
    private static final Pattern IMAGE_VARIABLE =
            Pattern.compile("^(?:ENV|   ) ([A-Z_]+)=", Pattern.MULTILINE);
    private static final Pattern PROPERTY =
            Pattern.compile("@ConfigProperty\\(\\s*name = \"([a-z.-]+)\"");

    private Checkout() {}

    static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Object> yaml(String file) {
        return documents(read(file));
    }

    /// The documents of a YAML file. A key that stands twice is an error.
    static List<Object> documents(String yaml) {
        var options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        List<Object> documents = new ArrayList<>();
        new Yaml(options).loadAll(yaml).forEach(documents::add);
        return documents;
    }

    /// The settings of a service, named as environment variables, and the variables of its image.
    static Set<String> variables(String module) {
        Stream<String> image =
                IMAGE_VARIABLE
                        .matcher(read(module + "/Dockerfile"))
                        .results()
                        .map(it -> it.group(1));
        return Stream.concat(
                        Stream.concat(settings(module), PLATFORM.stream()).map(Checkout::variable),
                        image)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// The settings of all services.
    static Set<String> variables() {
        return SERVICES.stream()
                .flatMap(module -> variables(module).stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// The port that a service listens on unless told otherwise.
    static int port(String module) {
        Matcher port =
                Pattern.compile("^quarkus.http.port=(\\d+)$", Pattern.MULTILINE)
                        .matcher(read(module + "/src/main/resources/application.properties"));
        if (!port.find()) {
            throw new AssertionError(module + " has no port");
        }
        return Integer.parseInt(port.group(1));
    }

    private static Stream<String> settings(String module) {
        Stream<String> properties =
                read(module + "/src/main/resources/application.properties")
                        .lines()
                        .filter(line -> line.contains("=") && !line.startsWith("#"))
                        .map(line -> line.substring(0, line.indexOf('=')));
        return Stream.of(
                        properties,
                        KafkaSecurity.SETTINGS.stream(),
                        sources(module).stream().flatMap(Checkout::settingsInSource))
                .flatMap(it -> it);
    }

    private static Stream<String> settingsInSource(String source) {
        Stream<String> single = PROPERTY.matcher(source).results().map(it -> it.group(1));
        Matcher mapping = MAPPING.matcher(source);
        if (!mapping.find()) {
            return single;
        }
        String prefix = mapping.group(1);
        return Stream.concat(
                single,
                METHOD.matcher(source).results().map(it -> prefix + "." + dashed(it.group(1))));
    }

    private static List<String> sources(String module) {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            return files.filter(it -> it.toString().endsWith(".java"))
                    .map(it -> read(ROOT.relativize(it).toString()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String dashed(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String variable(String property) {
        return property.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }
}
