package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.NativeMapped;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What a native image has to be told of JNA, which it cannot see: the classes that JNA's own
/// library looks up by their names, the interfaces that it makes proxies of, the files that are
/// read at run time.
final class ReachabilityTest {

    private static final String METADATA =
            "/META-INF/native-image/io.berth/node-agent/reachability-metadata.json";
    private static final String SETTINGS =
            "/META-INF/native-image/io.berth/node-agent/native-image.properties";
    private static final Path CLASSES = Path.of("target/classes");

    /// A class as native code names it: `com/sun/jna/Pointer`.
    private static final Pattern CLASS =
            Pattern.compile("\\x00((?:com/sun/jna|java/\\w+)/[\\w/$]+)(?=\\x00)");

    private static final List<Class<?>> MADE =
            List.of(Pointer.class, NativeMapped.class, Structure.class, Callback.class);

    private final JsonNode metadata = Json.mapper().readTree(bytes(METADATA));

    ReachabilityTest() throws IOException {}

    private static byte[] bytes(String resource) throws IOException {
        try (InputStream in = ReachabilityTest.class.getResourceAsStream(resource)) {
            return Objects.requireNonNull(in, resource).readAllBytes();
        }
    }

    private Set<String> types(String field) {
        var types = new TreeSet<String>();
        metadata.path("reflection")
                .forEach(it -> {
                    if (it.path(field).asBoolean()) {
                        types.add(it.path("type").asText());
                    }
                });
        return types;
    }

    @Test
    void every_class_that_jnas_library_looks_up_is_accessible_to_it() throws IOException {
        String library =
                new String(
                        bytes("/com/sun/jna/" + Platform.RESOURCE_PREFIX + "/libjnidispatch.so"),
                        StandardCharsets.ISO_8859_1);
        Set<String> lookedUp =
                CLASS.matcher(library)
                        .results()
                        .map(MatchResult::group)
                        .map(it -> it.substring(1).replace('/', '.'))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(lookedUp).contains("com.sun.jna.Native", "java.lang.reflect.Method");
        assertThat(types("jniAccessible")).containsAll(lookedUp);
    }

    @Test
    void every_interface_of_a_library_is_made_a_proxy_of() throws IOException {
        var proxies = new TreeSet<String>();
        metadata.path("reflection")
                .forEach(it ->
                        it.path("type").path("proxy").forEach(type -> proxies.add(type.asText())));
        Set<String> libraries = names(libraries().stream());

        assertThat(libraries).hasSizeGreaterThan(2);
        assertThat(proxies).isEqualTo(libraries);
        assertThat(types("allDeclaredMethods")).containsAll(libraries);
    }

    /// JNA makes them by their constructors, and reads the fields of structures.
    @Test
    void every_type_that_jna_makes_for_a_call_is_in_it() throws IOException {
        Stream<Class<?>> called =
                libraries().stream()
                        .flatMap(it -> Stream.of(it.getMethods()))
                        .flatMap(it ->
                                Stream.concat(
                                        Stream.of(it.getReturnType()),
                                        Stream.of(it.getParameterTypes())));
        Set<String> made =
                names(
                        Stream.concat(called, classes().stream())
                                .filter(it ->
                                        MADE.stream().anyMatch(of -> of.isAssignableFrom(it))));

        assertThat(made).contains("com.sun.jna.NativeLong", "com.sun.jna.ptr.IntByReference");
        assertThat(types("allDeclaredConstructors")).containsAll(made);
        assertThat(types("allDeclaredFields"))
                .containsAll(names(classes().stream().filter(Structure.class::isAssignableFrom)));
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(CLASSES.resolve("io/berth"))) {
            return files.filter(it -> it.toString().endsWith(".class")).toList();
        }
    }

    private static List<Class<?>> classes() throws IOException {
        return files().stream().<Class<?>>map(ReachabilityTest::load).toList();
    }

    private static List<Class<?>> libraries() throws IOException {
        return classes().stream()
                .filter(it -> it.isInterface() && Library.class.isAssignableFrom(it))
                .toList();
    }

    private static Set<String> names(Stream<Class<?>> classes) {
        return classes.map(Class::getName).collect(Collectors.toCollection(TreeSet::new));
    }

    /// JNA finds the machine's libraries when its classes are initialized, as must whoever keeps
    /// what it makes in static fields; Quarkus initializes all others at build time.
    @Test
    void what_calls_jna_is_initialized_at_run_time() throws IOException {
        var settings = new Properties();
        settings.load(new StringReader(new String(bytes(SETTINGS), StandardCharsets.UTF_8)));
        List<String> atRunTime =
                List.of(
                        settings.getProperty("Args")
                                .replaceAll("--initialize-at-run-time=(\\S+).*", "$1")
                                .split(","));
        var callers = new TreeSet<>(Set.of("com.sun.jna"));
        for (Path file : files()) {
            if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("com/sun/jna/")) {
                callers.add(load(file).getPackageName());
            }
        }

        assertThat(callers).hasSizeGreaterThan(3);
        assertThat(atRunTime).containsAll(callers);
    }

    @Test
    void every_type_that_it_names_is_there() {
        metadata.path("reflection")
                .forEach(it -> {
                    if (it.path("type").isTextual()) {
                        load(it.path("type").asText());
                    }
                });
    }

    @Test
    void every_file_that_is_read_at_run_time_is_in_it() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(Path.of("src/main/resources/io"))) {
            files = all.filter(Files::isRegularFile).toList();
        }

        assertThat(files).isNotEmpty();
        assertThat(files)
                .allMatch(file ->
                        metadata.path("resources").findValuesAsText("glob").stream()
                                .anyMatch(glob ->
                                        FileSystems.getDefault()
                                                .getPathMatcher("glob:" + glob)
                                                .matches(
                                                        Path.of("src/main/resources")
                                                                .relativize(file))));
    }

    private static Class<?> load(Path file) {
        String path = CLASSES.relativize(file).toString();
        return load(path.substring(0, path.length() - ".class".length()).replace('/', '.'));
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ReachabilityTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
