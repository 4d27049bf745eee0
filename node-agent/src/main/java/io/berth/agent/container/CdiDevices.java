package io.berth.agent.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What containers need of devices, by the Container Device Interface: files that the vendors'
/// tools keep on the host, such as `/var/run/cdi/nvidia.yaml`.
///
/// Source: CDI specification 0.8, "CDI JSON Specification".
public final class CdiDevices {

    private static final Logger LOG = LoggerFactory.getLogger(CdiDevices.class);
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    /// By name, such as `nvidia.com/gpu=GPU-…`, the edits of the device and those of its kind.
    private final Map<String, List<JsonNode>> devices = new TreeMap<>();

    private CdiDevices() {}

    /// None.
    public static CdiDevices none() {
        return new CdiDevices();
    }

    /// Those that the files of some folders name; of two of a name the later counts. A file that
    /// cannot be read is passed over: another may name the device that is wanted.
    public static CdiDevices in(List<Path> folders) throws IOException {
        var all = new CdiDevices();
        for (Path folder : folders) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.{json,yaml}")) {
                for (Path file : files) {
                    all.add(file);
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                continue;
            }
        }
        return all;
    }

    private void add(Path file) {
        JsonNode spec;
        try {
            spec = YAML.readTree(Files.readString(file));
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("cause", e.getMessage())
                    .log("No CDI specification");
            return;
        }
        for (JsonNode device : spec.path("devices")) {
            devices.put(
                    spec.path("kind").asText() + "=" + device.path("name").asText(),
                    List.of(spec.path("containerEdits"), device.path("containerEdits")));
        }
    }

    /// The name of a GPU of NVIDIA: by its UUID, else by its place in PCI order; nothing if no file
    /// names it.
    public Optional<String> gpu(String uuid, String place) {
        for (String name : List.of("nvidia.com/gpu=" + uuid, "nvidia.com/gpu=" + place)) {
            if (devices.containsKey(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /// What a container that has these devices is given: each edit once.
    public List<JsonNode> edits(List<String> names) {
        var edits = new ArrayList<JsonNode>();
        for (String name : names) {
            for (JsonNode edit : devices.getOrDefault(name, List.of())) {
                if (!edits.contains(edit)) {
                    edits.add(edit);
                }
            }
        }
        return edits;
    }
}
