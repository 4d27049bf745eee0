package io.berth.standalone.mesh;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A packaged Quarkus application of the checkout, as a JVM runs it: by its class path, which an
/// AOT cache can hold, and not by Quarkus's own class loader, which it cannot.
///
/// @param target the folder that its module is built into
/// @param name of the module
/// @param main the class that is run
record Application(Path target, String name, String main) {

    /// The class that Quarkus generates where a service has none of its own.
    static final String GENERATED = "io.quarkus.runner.GeneratedMain";

    /// What the manifest of `quarkus-run.jar` opens.
    private static final List<String> OPEN =
            List.of(
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

    /// The JVM of JDK 25 warns of code that it does not find in a cache, and compiles it anew.
    private static final String QUIET = "-Xlog:aot*=off";

    static Application of(Path root, String module, String main) {
        return new Application(root.resolve(module).resolve("target"), module, main);
    }

    /// What its JVM loaded, linked and compiled when it was trained, see [TrainingMesh].
    Path cache() {
        return target.resolve(name + ".aot");
    }

    /// Where one is made.
    private Path unfinished() {
        return cache().resolveSibling(cache().getFileName() + ".new");
    }

    /// Puts the cache that was made in its place.
    void keepCache() throws IOException {
        Files.move(unfinished(), cache(), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Deletes what there is of a cache that was not finished.
    void discardUnfinishedCache() throws IOException {
        Files.deleteIfExists(unfinished());
        // What the JVM has learnt, until it makes the cache of it.
        Files.deleteIfExists(Path.of(unfinished() + ".config"));
    }

    /// Whether there is a cache of just these classes: one that is older would slow the start.
    boolean trained() throws IOException {
        if (!Files.exists(cache())) {
            return false;
        }
        FileTime made = Files.getLastModifiedTime(cache());
        for (Path jar : jars()) {
            if (Files.getLastModifiedTime(jar).compareTo(made) >= 0) {
                return false;
            }
        }
        return true;
    }

    /// What a JVM is told to run it, with its cache if there is one.
    List<String> running() throws IOException {
        return arguments(trained() ? List.of("-XX:AOTCache=" + cache(), QUIET) : List.of());
    }

    /// What a JVM is told to run it and to write a cache when it ends.
    List<String> training() throws IOException {
        return arguments(List.of("-XX:AOTCacheOutput=" + unfinished()));
    }

    private List<String> arguments(List<String> cache) throws IOException {
        var arguments = new ArrayList<>(cache);
        arguments.addAll(OPEN);
        arguments.add("-cp");
        arguments.add(
                jars().stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)));
        arguments.add(main);
        return arguments;
    }

    /// What Quarkus changed comes before what it was made from.
    private List<Path> jars() throws IOException {
        Path folder = target.resolve("quarkus-app");
        if (!Files.isDirectory(folder)) {
            throw new IOException(folder + " is missing: build first");
        }
        var jars = new ArrayList<Path>();
        for (String part : List.of("quarkus", "app", "lib/boot", "lib/main")) {
            try (Stream<Path> files = Files.list(folder.resolve(part))) {
                files.filter(file -> file.toString().endsWith(".jar"))
                        .sorted(
                                Comparator.comparing((Path file) ->
                                                !file.endsWith("transformed-bytecode.jar"))
                                        .thenComparing(Comparator.naturalOrder()))
                        .forEach(jars::add);
            }
        }
        return jars;
    }
}
