package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The folder that holds everything of a mesh, closed to all but its user.
///
/// ```
/// keys/            what tokens and orders are signed and checked with
/// operator.token   the operator's own
/// mesh.properties  where the mesh listens
/// cluster.yaml     partitions, accounts, users
/// kafka/ postgres/ the data
/// spool/           what the agent runs
/// log/             one file for each part
/// run/             who runs now; empty when nobody does
/// ```
public record MeshHome(Path root) {

    /// What the first start writes, and then some.
    private static final long LEAST_FREE_MIB = 64;

    /// As `--home`, `BERTH_HOME` or the user's own folder say, in this order.
    public static MeshHome configured(@Nullable Path option, Map<String, String> environment) {
        if (option != null) {
            return new MeshHome(option.toAbsolutePath().normalize());
        }
        String variable = environment.getOrDefault("BERTH_HOME", "");
        return new MeshHome(
                variable.isBlank()
                        ? Path.of(System.getProperty("user.home"), ".berth")
                        : Path.of(variable).toAbsolutePath().normalize());
    }

    public void create() throws IOException {
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

    public Path keys() {
        return root.resolve("keys");
    }

    public Path privateKey() {
        return keys().resolve("token-private.pem");
    }

    public Path publicKey() {
        return keys().resolve("token-public.pem");
    }

    /// The key by which placement signs its orders.
    public Path placementKey() {
        return keys().resolve("placement-private.pem");
    }

    /// The public halves of the keys that agents believe.
    public Path placementKeys() {
        return keys().resolve("placement-keys");
    }

    public Path operatorToken() {
        return root.resolve("operator.token");
    }

    public Path addresses() {
        return root.resolve("mesh.properties");
    }

    public Path cluster() {
        return root.resolve("cluster.yaml");
    }

    /// @throws CannotStart if a disk that holds data of the mesh is nearly full
    public void requireRoom() throws IOException {
        for (Path folder : List.of(kafka(), postgres(), spool())) {
            Path there = Files.exists(folder) ? folder : root;
            long free = Files.getFileStore(there).getUsableSpace() >> 20;
            if (free < LEAST_FREE_MIB) {
                throw new CannotStart(
                        "no room to start: %s has %d MiB free, and at least %d are needed"
                                .formatted(folder, free, LEAST_FREE_MIB));
            }
        }
    }

    public Path kafka() {
        return root.resolve("kafka");
    }

    public Path postgres() {
        return root.resolve("postgres");
    }

    public Path spool() {
        return root.resolve("spool");
    }

    public Path logs() {
        return root.resolve("log");
    }

    public Path log(String part) {
        return logs().resolve(part + ".log");
    }

    public Path run() {
        return root.resolve("run");
    }

    /// Held by the supervisor while it lives; its content is the supervisor's process id.
    public Path lock() {
        return run().resolve("lock");
    }

    /// The mesh as it was when something last changed.
    public Path status() {
        return run().resolve("status.json");
    }

    /// Writes what the parts and the commands read, as far as it is not there, and where the mesh
    /// will listen. The cluster begins as in `examples/accounts.yaml`.
    ///
    /// @param root of the checkout
    public Identity prepare(Path root, Ports ports) throws IOException {
        Identity identity = Identity.of(this, System.getProperty("user.name"));
        if (!Files.exists(cluster())) {
            write(cluster(), Files.readString(root.resolve("examples/accounts.yaml")), "rw-r--r--");
        }
        writeAddresses(ports);
        return identity;
    }

    private void writeAddresses(Ports ports) throws IOException {
        write(
                addresses(),
                """
                url=http://127.0.0.1:%d
                accountingUrl=http://127.0.0.1:%d
                placementUrl=http://127.0.0.1:%d
                kafka=127.0.0.1:%d
                home=%s
                """
                        .formatted(
                                ports.submit(),
                                ports.accounting(),
                                ports.placement(),
                                ports.kafka(),
                                root),
                "rw-r--r--");
    }

    /// Deletes all of it but the lock, if there is one, which is never deleted.
    public void clear() throws IOException {
        boolean locked = Files.exists(lock());
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!locked || !lock().startsWith(file)) {
                    // The lock of the supervisor's log goes away by itself.
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /// Replaces the content of a file at once, so that a reader sees the old or the new.
    public static void write(Path file, String content, String permissions) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        Files.createFile(
                unfinished,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        Files.writeString(unfinished, content, UTF_8);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
