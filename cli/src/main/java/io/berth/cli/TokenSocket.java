package io.berth.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/// A Unix socket at which every user of a machine gets his own token: the kernel says who connects
/// (SO_PEERCRED), so nobody gets that of another.
///
/// It answers whoever connects with one line, `token TEXT` or `error TEXT`, and hangs up; it reads
/// nothing.
final class TokenSocket implements AutoCloseable {

    /// In a folder that only root writes to: nobody else can put a socket of his own there.
    static final Path DEFAULT = Path.of("/run/berth/token.sock");

    private static final int MAX_LINE = 64 * 1024;
    private static final int MOST_AT_ONCE = 32;

    /// More than it takes to find out the groups of a user ([UnixGroups]).
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// Bits of a file's mode, and what they are of a socket. Source: inode(7).
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;
    private static final int ROOT = 0;
    private static final String TOKEN = "token ";
    private static final String ERROR = "error ";

    private final Path path;
    private final ServerSocketChannel server;
    private final Mint mint;

    /// Makes the token of a user; several threads ask it at a time.
    @FunctionalInterface
    interface Mint {
        String token(String user) throws CommandFailure;
    }

    private TokenSocket(Path path, ServerSocketChannel server, Mint mint) {
        this.path = path;
        this.server = server;
        this.mint = mint;
    }

    /// Listens there; a socket that nobody answers at any more is replaced.
    ///
    /// @throws IOException with a message for people if it cannot
    static TokenSocket listen(Path path, Mint mint) throws IOException {
        checkFolder(path);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            replace(path);
        }
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        } catch (IOException e) {
            server.close();
            throw e;
        }
        return new TokenSocket(path, server, mint);
    }

    private static void checkFolder(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
        Set<PosixFilePermission> may = Files.getPosixFilePermissions(folder);
        if (may.contains(PosixFilePermission.GROUP_WRITE)
                || may.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(
                    "others may write to "
                            + folder
                            + " and could put a socket of their own there: chmod go-w "
                            + folder);
        }
        int owner = (int) Files.getAttribute(folder, "unix:uid");
        if (owner != ROOT && owner != (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid")) {
            throw new IOException(
                    "%s belongs to %s, who could put a socket of his own there: it must be root's or your own"
                            .formatted(folder, Files.getOwner(folder)));
        }
    }

    private static void replace(Path path) throws IOException {
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & FILE_TYPE) != SOCKET) {
            throw new IOException("there is something that is no socket: name another path");
        }
        try (var _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new IOException("there is one already");
        } catch (ConnectException e) {
            Files.delete(path);
        }
    }

    /// Answers until it is closed, each in a thread of its own: to find out who somebody is may ask
    /// a directory on another host. While so many are answered, others wait.
    void serve() throws IOException {
        var places = new Semaphore(MOST_AT_ONCE);
        // The C library finds the name of a user id: that would hold a virtual thread's carrier.
        var threads = Thread.ofPlatform().daemon().factory();
        while (server.isOpen()) {
            places.acquireUninterruptibly();
            try {
                SocketChannel client = server.accept();
                threads.newThread(
                                () -> {
                                    try {
                                        answer(client);
                                    } finally {
                                        places.release();
                                    }
                                })
                        .start();
            } catch (ClosedChannelException e) {
                return;
            }
        }
    }

    private void answer(SocketChannel client) {
        try (client) {
            var line = ByteBuffer.wrap((line(client) + "\n").getBytes(StandardCharsets.UTF_8));
            // A line fits into what the kernel takes without a reader: this waits for nobody.
            client.configureBlocking(false);
            client.write(line);
        } catch (IOException e) {
            // It has hung up before.
        }
    }

    private String line(SocketChannel client) throws IOException {
        String user = client.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        if (user.matches("[0-9]+")) {
            return ERROR + "this machine knows no user with the id " + user;
        }
        try {
            return TOKEN + mint.token(user);
        } catch (CommandFailure e) {
            return ERROR + e.text().strip();
        }
    }

    /// The token that the socket has for who calls this.
    ///
    /// @throws IOException with a message for people if there is none
    static String ask(Path path) throws IOException {
        return ask(path, PATIENCE);
    }

    static String ask(Path path, Duration patience) throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> hangUp(channel));
            channel.connect(UnixDomainSocketAddress.of(path));
            var bytes = ByteBuffer.allocate(MAX_LINE);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // The whole line.
            }
            String line = StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip();
            if (!line.startsWith(TOKEN)) {
                throw new IOException(
                        line.startsWith(ERROR) ? line.substring(6) : "it says nothing");
            }
            return line.substring(TOKEN.length());
        } catch (ClosedChannelException e) {
            throw new IOException("it says nothing for " + patience.toSeconds() + " s", e);
        }
    }

    private static void hangUp(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
