package io.berth.standalone.mesh;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A mesh and its parts at one moment.
///
/// @param upSince epoch milliseconds
/// @param ready whether all parts are
public record MeshStatus(String home, long upSince, boolean ready, List<Part> parts) {

    /// What a part is doing.
    public enum State {
        STARTING,
        READY,
        NOT_READY,
        RESTARTING,
        CRASH_LOOP,
        STOPPED
    }

    /// One part.
    ///
    /// @param pid null while it does not run
    /// @param note what an operator should know, if anything
    /// @param memoryMib its share of the machine's memory, null if that is not known
    public record Part(
            String name,
            State state,
            @Nullable Long pid,
            int port,
            int restarts,
            @Nullable String note,
            @Nullable Long memoryMib) {

        Part withMemory() {
            return new Part(name, state, pid, port, restarts, note, memory());
        }

        /// The database is many processes.
        private @Nullable Long memory() {
            if (pid == null) {
                return null;
            }
            return name.equals(Mesh.DATABASE) ? Memory.ofFamily(pid) : Memory.ofProcess(pid);
        }
    }

    static MeshStatus of(MeshHome home, long upSince, List<Part> parts) {
        return new MeshStatus(
                home.root().toString(),
                upSince,
                parts.stream().allMatch(part -> part.state() == State.READY),
                parts);
    }

    public MeshStatus withMemory() {
        return new MeshStatus(home, upSince, ready, parts.stream().map(Part::withMemory).toList());
    }

    void write(MeshHome file) throws IOException {
        MeshHome.write(file.status(), toJson(), "rw-------");
    }

    public String toJson() throws IOException {
        return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n";
    }

    public static Optional<MeshStatus> read(MeshHome home) throws IOException {
        try {
            JsonNode tree = Json.mapper().readTree(Files.readString(home.status()));
            return Optional.of(Json.mapper().treeToValue(tree, MeshStatus.class));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /// The status as a table for people.
    public String toTable() {
        var table = new Table("PART", "STATE", "PID", "PORT", "RESTARTS", "MEMORY", "NOTE");
        for (Part part : parts) {
            table.row(
                    part.name(),
                    part.state().name(),
                    part.pid() == null ? "-" : part.pid().toString(),
                    Integer.toString(part.port()),
                    Integer.toString(part.restarts()),
                    part.memoryMib() == null ? "-" : part.memoryMib() + "M",
                    part.note() == null ? "" : part.note());
        }
        return table.toString();
    }
}
