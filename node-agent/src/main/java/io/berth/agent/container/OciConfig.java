package io.berth.agent.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.agent.container.ContainerRuntime.Bind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The configuration with which crun and runc run a script: that of the user's bundle, in which the
/// process, and all that the run itself decides, is the run's. Of the kernel's namespaces a
/// container has its own files (and, to make them, its own users): its processes, network and
/// limits are those of the run, as without it.
///
/// Source: Open Container Initiative, Runtime Specification 1.0.
public final class OciConfig {

    private static final ObjectMapper JSON = new ObjectMapper();

    /// The run's part of the host's tree, which no bundle mounts otherwise.
    private static final Set<String> OURS = Set.of("/dev", "/proc", "/sys", "/run");

    /// The account that runs it.
    ///
    /// @param inside its number in the container
    public record Person(long uid, long gid, long inside) {}

    /// The size of a terminal of the container's own, in characters.
    public record Console(int rows, int columns) {}

    /// What is run in it.
    ///
    /// @param variables the run's, which outrank the bundle's
    /// @param directory the working directory
    /// @param console null for a program that has the files of who starts it, and no terminal
    public record Program(
            Map<String, String> variables,
            Path directory,
            List<String> command,
            @Nullable Console console) {}

    private OciConfig() {}

    /// The configuration of a script.
    ///
    /// @param bundle the text of the user's `config.json`; null for a folder that is the
    ///   container's files
    /// @param folder of the bundle, or of the files
    /// @param commands the folder in the container in which scripts find commands first
    /// @param edits of devices, by CDI
    /// @throws IOException if the text is no such configuration; it says why
    public static String of(
            @Nullable String bundle,
            Path folder,
            Person person,
            Program program,
            Path commands,
            List<Bind> binds,
            List<JsonNode> edits)
            throws IOException {
        ObjectNode config = bundle == null ? JSON.createObjectNode() : object(bundle);
        ObjectNode files = config.withObjectProperty("root");
        files.put("path", root(bundle, folder).toString());
        config.put("ociVersion", config.path("ociVersion").asText("1.0.0"));
        config.remove("hostname");
        process(config, person, program, commands);
        mounts(config, binds);
        linux(config, person);
        edits.forEach(edit -> apply(config, edit));
        return config.toString();
    }

    /// The folder of the container's files.
    ///
    /// @param bundle the text of the user's `config.json`; null for a folder that is that itself
    /// @throws IOException if the text is no configuration; it says why
    public static Path root(@Nullable String bundle, Path folder) throws IOException {
        String root =
                bundle == null ? "" : object(bundle).path("root").path("path").asText("rootfs");
        return folder.resolve(root).normalize();
    }

    private static ObjectNode object(String text) throws IOException {
        JsonNode read;
        try {
            read = JSON.readTree(text);
        } catch (IOException e) {
            throw new IOException("its config.json is no JSON", e);
        }
        if (!(read instanceof ObjectNode object)
                || !(object.path("mounts").isMissingNode() || object.path("mounts").isArray())
                || !mayHave(object, "root")
                || !mayHave(object, "hooks")
                || !object.path("hooks").valueStream().allMatch(JsonNode::isArray)) {
            throw new IOException("its config.json is no configuration of a container");
        }
        return object;
    }

    /// Whether what has that name is an object, or nothing.
    private static boolean mayHave(ObjectNode in, String name) {
        return in.path(name).isMissingNode() || in.path(name).isObject();
    }

    private static void process(ObjectNode config, Person person, Program program, Path commands) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (JsonNode each : config.path("process").path("env")) {
            String[] words = each.asText().split("=", 2);
            environment.put(words[0], words.length == 2 ? words[1] : "");
        }
        String path = environment.getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.putAll(program.variables());
        environment.put("PATH", commands + ":" + path);
        ObjectNode process = config.putObject("process");
        Console console = program.console();
        process.put("terminal", console != null);
        if (console != null) {
            process.putObject("consoleSize")
                    .put("height", console.rows())
                    .put("width", console.columns());
        }
        process.put("cwd", program.directory().toString());
        process.put("noNewPrivileges", true);
        process.putObject("user").put("uid", person.inside()).put("gid", person.inside());
        if (person.uid() == person.inside()) {
            process.withObjectProperty("user").put("gid", person.gid());
        }
        ArrayNode env = process.putArray("env");
        environment.forEach((name, value) -> env.add(name + "=" + value));
        ArrayNode args = process.putArray("args");
        program.command().forEach(args::add);
    }

    /// The run's come first: a bundle's may lie in them.
    private static void mounts(ObjectNode config, List<Bind> binds) {
        JsonNode theirs = config.path("mounts");
        ArrayNode mounts = JSON.createArrayNode();
        for (String place : List.of("/proc", "/dev")) {
            bind(mounts, Path.of(place), Path.of(place), "rw");
        }
        bind(mounts, Path.of("/sys"), Path.of("/sys"), "ro");
        mounts.addObject()
                .put("destination", "/run")
                .put("type", "tmpfs")
                .put("source", "tmpfs")
                .putArray("options")
                .add("nosuid")
                .add("nodev")
                .add("mode=755");
        for (JsonNode each : theirs) {
            String place = Path.of(each.path("destination").asText("/")).normalize().toString();
            if (OURS.stream().noneMatch(it -> place.equals(it) || place.startsWith(it + "/"))) {
                mounts.add(each);
            }
        }
        binds.forEach(
                it -> bind(mounts, it.source(), it.destination(), it.writable() ? "rw" : "ro"));
        config.set("mounts", mounts);
    }

    private static void bind(ArrayNode mounts, Path source, Path destination, String way) {
        mounts.addObject()
                .put("destination", destination.toString())
                .put("type", "none")
                .put("source", source.toString())
                .putArray("options")
                .add("rbind")
                .add("nosuid")
                .add(way);
    }

    /// Who is not root makes the container's files in a namespace of users, in which there is only
    /// he.
    private static void linux(ObjectNode config, Person person) {
        JsonNode seccomp = config.path("linux").path("seccomp");
        ObjectNode linux = config.putObject("linux");
        if (seccomp.isObject()) {
            linux.set("seccomp", seccomp);
        }
        ArrayNode namespaces = linux.putArray("namespaces");
        namespaces.addObject().put("type", "mount");
        if (person.uid() != 0) {
            namespaces.addObject().put("type", "user");
            boolean same = person.uid() == person.inside();
            map(linux.putArray("uidMappings"), person.inside(), person.uid());
            map(linux.putArray("gidMappings"), same ? person.gid() : person.inside(), person.gid());
        }
    }

    private static void map(ArrayNode mappings, long inside, long outside) {
        mappings.addObject().put("containerID", inside).put("hostID", outside).put("size", 1);
    }

    /// Device files are there already, and the run's group says which of them may be opened.
    private static void apply(ObjectNode config, JsonNode edit) {
        for (JsonNode variable : edit.path("env")) {
            String name = variable.asText().split("=", 2)[0] + "=";
            ArrayNode env = config.withObjectProperty("process").withArrayProperty("env");
            boolean there = false;
            for (JsonNode each : env) {
                there |= each.asText().startsWith(name);
            }
            if (!there) {
                env.add(variable.asText());
            }
        }
        for (JsonNode mount : edit.path("mounts")) {
            ObjectNode added = config.withArrayProperty("mounts").addObject();
            added.put("destination", mount.path("containerPath").asText());
            added.put("source", mount.path("hostPath").asText());
            added.put("type", mount.path("type").asText("none"));
            ArrayNode options = added.putArray("options");
            mount.path("options").forEach(options::add);
            if (options.isEmpty()) {
                options.add("rbind").add("ro");
            }
        }
        for (JsonNode hook : edit.path("hooks")) {
            ObjectNode added =
                    config.withObjectProperty("hooks")
                            .withArrayProperty(hook.path("hookName").asText())
                            .addObject();
            for (String name : List.of("path", "args", "env", "timeout")) {
                if (hook.has(name)) {
                    added.set(name, hook.get(name));
                }
            }
        }
    }
}
