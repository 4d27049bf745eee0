package io.berth.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// A PostgreSQL server as a child process, on 127.0.0.1, durable at commit. Its data and the
/// password of its one role stay in its folder and are found again.
///
/// The server ends with the process that started it, also if that is killed: the kernel asks it to
/// shut down (Linux, where `setpriv` is installed), and a server that is still there at the next
/// start is stopped first.
public final class PostgresServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final int port;
    private final String password;
    private final FileChannel lock;
    private final Process process;

    private PostgresServer(
            Path directory, int port, String password, FileChannel lock, Process process) {
        this.directory = directory;
        this.port = port;
        this.password = password;
        this.lock = lock;
        this.process = process;
    }

    /// Unpacks the programs, as the first start in that folder does otherwise.
    ///
    /// @return the folder that they are in, below that one
    /// @throws IOException if the folder cannot be written
    public static Path unpack(Path directory) throws IOException {
        return PostgresBinaries.unpackedIn(Files.createDirectories(directory));
    }

    /// Starts a server and returns when it takes connections.
    ///
    /// @param directory filled on first use: programs, data, password, log
    /// @throws IOException if the folder or the port is taken, or PostgreSQL does not start
    public static PostgresServer start(Path directory, int port) throws IOException {
        Files.createDirectories(directory);
        return start(directory, port, Confinement.of(directory));
    }

    /// Starts a server that takes connections over TLS alone, for tests.
    ///
    /// @param authority of its certificate, which is for `127.0.0.1`
    /// @throws IOException if it cannot; `openssl` may be missing
    public static PostgresServer start(Path directory, int port, Certificates authority)
            throws IOException {
        Files.createDirectories(directory);
        authority.certify("postgres", "/CN=postgres", "IP:127.0.0.1");
        return start(directory, port, Confinement.of(directory), authority);
    }

    static PostgresServer start(Path directory, int port, Confinement confinement)
            throws IOException {
        return start(directory, port, confinement, null);
    }

    private static PostgresServer start(
            Path directory, int port, Confinement confinement, @Nullable Certificates authority)
            throws IOException {
        Path home = directory.toRealPath();
        FileChannel lock = lock(home);
        try {
            Path data = home.resolve("data");
            PostmasterFile.of(data).stopOrphan();
            requireFree(port);
            var cluster = new PostgresCluster(PostgresBinaries.unpackedIn(home), data, confinement);
            String password = PostgresCluster.password(home.resolve("password"));
            cluster.makeOnce(password);
            if (authority != null) {
                Path folder = authority.folder();
                cluster.requireTls(folder.resolve("postgres.crt"), folder.resolve("postgres.key"));
            }
            Process process = spawn(cluster.serve(port), home.resolve("postgres.log"));
            var server = new PostgresServer(home, port, password, lock, process);
            server.awaitReady();
            return server;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    public String jdbcUrl() {
        return "jdbc:" + reactiveUrl();
    }

    /// The address as Quarkus' reactive client takes it.
    public String reactiveUrl() {
        return "postgresql://127.0.0.1:" + port + "/" + PostgresCluster.NAME;
    }

    public String user() {
        return PostgresCluster.NAME;
    }

    public String password() {
        return password;
    }

    /// The server's process id.
    public long pid() {
        return process.pid();
    }

    /// Done when the server has ended, for whatever reason.
    public CompletableFuture<Process> onExit() {
        return process.onExit();
    }

    /// Shuts the server down: transactions that run are rolled back.
    @Override
    public void close() throws IOException {
        try (lock) {
            Signals.stop(process.toHandle());
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        var channel =
                FileChannel.open(
                        directory.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        @Nullable FileLock held = null;
        try {
            held = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Held within this very process: as taken as by another.
        } finally {
            if (held == null) {
                channel.close();
            }
        }
        if (held == null) {
            throw new IOException(directory + " is in use by another PostgreSQL of Berth");
        }
        return channel;
    }

    private static void requireFree(int port) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new IOException("port " + port + " for PostgreSQL is taken on 127.0.0.1", e);
        }
    }

    /// Starts the process from a thread that waits for its end: the parent-death signal comes when
    /// the thread that forked ends.
    private static Process spawn(List<String> command, Path log) throws IOException {
        var started = new CompletableFuture<Process>();
        Thread.ofPlatform()
                .daemon()
                .name("postgres")
                .start(() -> {
                    try {
                        var builder =
                                new ProcessBuilder(command)
                                        .redirectErrorStream(true)
                                        .redirectOutput(
                                                ProcessBuilder.Redirect.appendTo(log.toFile()));
                        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
                        Process process = builder.start();
                        started.complete(process);
                        process.onExit().join();
                    } catch (IOException | RuntimeException e) {
                        started.completeExceptionally(e);
                    }
                });
        try {
            return started.get();
        } catch (ExecutionException e) {
            throw new IOException("cannot start " + command, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while PostgreSQL started", e);
        }
    }

    private void awaitReady() throws IOException {
        var postmaster = PostmasterFile.of(directory.resolve("data"));
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        try {
            while (!postmaster.ready(process.pid())) {
                if (!process.isAlive()) {
                    throw new IOException("PostgreSQL ended at its start: " + lastWords());
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException("PostgreSQL is not ready after " + START_LIMIT);
                }
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Signals.stop(process.toHandle());
            throw new IOException("interrupted while PostgreSQL started", e);
        } catch (IOException e) {
            Signals.stop(process.toHandle());
            throw e;
        }
    }

    private String lastWords() throws IOException {
        List<String> lines = Files.readAllLines(directory.resolve("postgres.log"));
        return String.join(" / ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }
}
