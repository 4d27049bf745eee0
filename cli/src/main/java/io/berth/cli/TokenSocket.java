package io.berth.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
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
    private static final String TOKEN = "token ";
    private static final String ERROR = "error ";

    private final Path path;
    private final ServerSocketChannel server;
    private final Mint mint;

    /// Makes the token of a user.
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
        if (Files.exists(path)) {
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
    }

    private static void replace(Path path) throws IOException {
        try (var _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new IOException("there is one already");
        } catch (ConnectException e) {
            Files.delete(path);
        }
    }

    /// Answers one after the other until it is closed: to write a line waits for nobody.
    void serve() throws IOException {
        while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
                answer(client);
            } catch (ClosedChannelException e) {
                return;
            }
        }
    }

    private void answer(SocketChannel client) {
        try {
            var line = ByteBuffer.wrap((line(client) + "\n").getBytes(StandardCharsets.UTF_8));
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
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
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
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
