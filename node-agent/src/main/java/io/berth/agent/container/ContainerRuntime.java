package io.berth.agent.container;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A program that runs containers, which a script's account calls in the group of its run: what the
/// run may use holds for it too, so it is told to leave control groups alone.
public record ContainerRuntime(Kind kind, Path program) {

    /// In the order in which they are looked for.
    public enum Kind {
        CRUN,
        RUNC,
        APPTAINER,
        PODMAN;

        private String command() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// A script in a container.
    ///
    /// @param name of the container
    /// @param bundle the folder with the configuration that [OciConfig] made, for those that take
    ///   one
    /// @param image the folder of the container's files
    /// @param binds what of the host is there, and where
    /// @param directory the working directory
    /// @param variables the names of those that the container has, with their values here
    /// @param gpus CDI names of the GPUs that it may use
    /// @param terminal whether it has a terminal
    /// @param command what runs in it
    public record Call(
            String name,
            Path bundle,
            Path image,
            List<Bind> binds,
            Path directory,
            Collection<String> variables,
            List<String> gpus,
            boolean terminal,
            List<String> command) {}

    /// A folder of the host in the container.
    public record Bind(Path source, Path destination, boolean writable) {}

    /// The program of that path, which must be one of those that are known; else the first that is
    /// in a folder of the search path.
    ///
    /// @throws IllegalArgumentException if it is none of them
    public static Optional<ContainerRuntime> find(Optional<Path> given, String searchPath) {
        if (given.isPresent()) {
            return Optional.of(of(given.get()));
        }
        for (Kind kind : Kind.values()) {
            for (String folder : searchPath.split(":")) {
                Path program = Path.of(folder, kind.command());
                if (Files.isExecutable(program)) {
                    return Optional.of(new ContainerRuntime(kind, program));
                }
            }
        }
        return Optional.empty();
    }

    private static ContainerRuntime of(Path program) {
        for (Kind kind : Kind.values()) {
            if (program.endsWith(kind.command())) {
                return new ContainerRuntime(kind, program);
            }
        }
        throw new IllegalArgumentException(
                program + " is no runtime that is known: crun, runc, apptainer, podman");
    }

    /// Whether it takes a bundle, whose configuration says all.
    public boolean takesBundle() {
        return kind == Kind.CRUN || kind == Kind.RUNC;
    }

    /// Why it cannot be told of a folder: a character in its name would be the end of a word.
    /// Nothing if it can.
    public Optional<String> refusal(Path folder) {
        String separators =
                switch (kind) {
                    case CRUN, RUNC -> "";
                    case APPTAINER -> ":,";
                    case PODMAN -> ":";
                };
        return folder.toString().chars().anyMatch(it -> separators.indexOf(it) >= 0)
                ? Optional.of(
                        "%s takes no folder with one of '%s' in its name: %s"
                                .formatted(kind.command(), separators, folder))
                : Optional.empty();
    }

    /// Whether the account must be root to itself in the container.
    public boolean needsRoot() {
        return kind == Kind.RUNC;
    }

    /// The words of its command line.
    public List<String> command(Call call) {
        var words = new ArrayList<String>();
        words.add(program.toString());
        switch (kind) {
            case CRUN -> {
                words.addAll(List.of("--root", call.bundle().resolve("state").toString()));
                words.add("--cgroup-manager=disabled");
                words.addAll(List.of("run", "--bundle", call.bundle().toString(), call.name()));
            }
            case RUNC -> {
                words.addAll(List.of("--root", call.bundle().resolve("state").toString()));
                words.addAll(List.of("--rootless", "true"));
                words.addAll(List.of("run", "--bundle", call.bundle().toString(), call.name()));
            }
            case APPTAINER -> {
                words.addAll(List.of("exec", "--pwd", call.directory().toString()));
                call.binds()
                        .forEach(bind ->
                                words.addAll(
                                        List.of(
                                                "--bind",
                                                words(bind, bind.writable() ? "rw" : "ro"))));
                if (!call.gpus().isEmpty()) {
                    words.add("--nv");
                }
                words.add(call.image().toString());
                words.addAll(call.command());
            }
            case PODMAN -> {
                words.addAll(List.of("run", "--rm", "--name", call.name(), "--cgroups=disabled"));
                words.add("--interactive");
                if (call.terminal()) {
                    words.add("--tty");
                }
                words.addAll(List.of("--network=host", "--pid=host", "--ipc=host"));
                words.addAll(List.of("--userns=keep-id", "--workdir", call.directory().toString()));
                call.binds()
                        .forEach(bind ->
                                words.addAll(
                                        List.of(
                                                "--volume",
                                                words(bind, bind.writable() ? "rw" : "ro"))));
                call.variables().forEach(name -> words.addAll(List.of("--env", name)));
                call.gpus().forEach(gpu -> words.addAll(List.of("--device", gpu)));
                words.addAll(List.of("--rootfs", call.image().toString()));
                words.addAll(call.command());
            }
        }
        return words;
    }

    private static String words(Bind bind, String way) {
        return bind.source() + ":" + bind.destination() + ":" + way;
    }
}
