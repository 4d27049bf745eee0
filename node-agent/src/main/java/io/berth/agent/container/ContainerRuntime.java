package io.berth.agent.container;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    /// @param state a folder for what the runtime keeps of it
    /// @param image the folder of the container's files
    /// @param binds what of the host is there, and where
    /// @param directory the working directory
    /// @param umask of what is made in it, octal
    /// @param variables those that the container has: a name, for its value here, or `NAME=VALUE`
    /// @param gpus CDI names of the GPUs that it may use
    /// @param terminal whether it has a terminal
    /// @param command what runs in it
    public record Call(
            String name,
            Path bundle,
            Path state,
            Path image,
            List<Bind> binds,
            Path directory,
            String umask,
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
                words.addAll(List.of("--root", call.state().toString()));
                words.add("--cgroup-manager=disabled");
                words.addAll(List.of("run", "--bundle", call.bundle().toString(), call.name()));
            }
            case RUNC -> {
                words.addAll(List.of("--root", call.state().toString()));
                words.addAll(List.of("--rootless", "true"));
                // It warns of control groups that it was told to leave alone. What ends it, it also
                // says on its standard error.
                words.add("--log=/dev/null");
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
                words.addAll(podman(call.state()));
                words.addAll(List.of("run", "--rm", "--name", call.name(), "--interactive"));
                if (call.terminal()) {
                    words.addAll(List.of("--tty", "--log-driver=none"));
                } else {
                    words.add("--log-driver=passthrough");
                }
                words.addAll(List.of("--cgroups=no-conmon", "--network=host", "--pid=host"));
                words.addAll(List.of("--ipc=host", "--ulimit=host", "--umask=" + call.umask()));
                words.addAll(List.of("--no-hosts", "--dns=none"));
                words.add("--security-opt=no-new-privileges");
                words.addAll(List.of("--workdir", call.directory().toString()));
                words.add("--mount=type=tmpfs,destination=/run");
                words.add("--volume=/dev:/dev");
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

    /// It keeps what it can in the run's folder, and has its crun leave control groups alone. It
    /// could itself be told that, but then would give the container its own numbers of processes.
    private static List<String> podman(Path state) {
        return List.of(
                "--log-level=fatal",
                "--root=" + state.resolve("storage"),
                "--tmpdir=" + state.resolve("tmp"),
                "--storage-driver=vfs",
                "--events-backend=none",
                "--cgroup-manager=cgroupfs",
                "--runtime=crun",
                "--runtime-flag=cgroup-manager=disabled",
                "--runtime-flag=root=" + state.resolve("crun"));
    }

    /// Variables of the runtime's own process, and not of the program.
    ///
    /// @param state see [Call#state]
    /// @param commands the folder in the container in which scripts find commands first
    public Map<String, String> variables(Path state, Path commands) {
        return switch (kind) {
            case CRUN, RUNC -> Map.of();
            case APPTAINER -> Map.of("APPTAINERENV_PREPEND_PATH", commands.toString());
            case PODMAN ->
                    Map.of(
                            "HOME", state.toString(),
                            "XDG_CONFIG_HOME", state.toString(),
                            // It takes no long path for it.
                            "XDG_RUNTIME_DIR", "");
        };
    }

    private static String words(Bind bind, String way) {
        return bind.source() + ":" + bind.destination() + ":" + way;
    }
}
