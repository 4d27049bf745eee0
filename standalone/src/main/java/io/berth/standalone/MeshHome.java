package io.berth.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/// The folder that holds everything of a mesh, closed to all but its user.
///
/// ```
/// keys/            what tokens are signed and checked with
/// operator.token   the operator's own
/// mesh.properties  where the mesh listens
/// cluster.yaml     partitions, accounts, users
/// kafka/ postgres/ the data
/// spool/           what the agent runs
/// log/             one file for each part
/// run/             who runs now; empty when nobody does
/// ```
public record MeshHome(Path root) {

    /// As `--home`, `BERTH_HOME` or the user's own folder say, in this order.
    static MeshHome configured(
            @org.jspecify.annotations.Nullable Path option, Map<String, String> environment) {
        if (option != null) {
            return new MeshHome(option.toAbsolutePath().normalize());
        }
        String variable = environment.getOrDefault("BERTH_HOME", "");
        return new MeshHome(
                variable.isBlank()
                        ? Path.of(System.getProperty("user.home"), ".berth")
                        : Path.of(variable).toAbsolutePath().normalize());
    }

    void create() throws IOException {
        if (!Files.isDirectory(root)) {
            Files.createDirectories(root.toAbsolutePath().getParent());
            Files.createDirectory(
                    root,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        }
        for (Path folder : new Path[] {keys(), logs(), run(), spool()}) {
            Files.createDirectories(folder);
        }
    }

    Path keys() {
        return root.resolve("keys");
    }

    Path privateKey() {
        return keys().resolve("token-private.pem");
    }

    Path publicKey() {
        return keys().resolve("token-public.pem");
    }

    Path operatorToken() {
        return root.resolve("operator.token");
    }

    Path addresses() {
        return root.resolve("mesh.properties");
    }

    Path cluster() {
        return root.resolve("cluster.yaml");
    }

    Path kafka() {
        return root.resolve("kafka");
    }

    Path postgres() {
        return root.resolve("postgres");
    }

    Path spool() {
        return root.resolve("spool");
    }

    Path logs() {
        return root.resolve("log");
    }

    Path log(String part) {
        return logs().resolve(part + ".log");
    }

    Path run() {
        return root.resolve("run");
    }

    /// Held by the supervisor while it lives; its content is the supervisor's process id.
    Path lock() {
        return run().resolve("lock");
    }

    /// The mesh as it was when something last changed.
    Path status() {
        return run().resolve("status.json");
    }

    /// Writes where the mesh listens, for the commands.
    void writeAddresses(Ports ports) throws IOException {
        write(
                addresses(),
                """
                url=http://127.0.0.1:%d
                accountingUrl=http://127.0.0.1:%d
                home=%s
                """
                        .formatted(ports.submit(), ports.accounting(), root),
                "rw-r--r--");
    }

    /// Replaces the content of a file at once, so that a reader sees the old or the new.
    static void write(Path file, String content, String permissions) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(
                unfinished,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        Files.writeString(unfinished, content, UTF_8);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
