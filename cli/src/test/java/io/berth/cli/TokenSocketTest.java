package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenSocketTest {

    /// Connects as another program would, and prints what it is told.
    private static final String CLIENT =
            "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.makefile().read())";

    private static final String PYTHON = "/usr/bin/python3";

    private Path folder = Path.of("");
    private Path path = Path.of("");
    private final AtomicInteger made = new AtomicInteger();

    @BeforeEach
    void everybody_may_pass() throws IOException {
        folder = Files.createTempDirectory("berth-token");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        path = folder.resolve("token.sock");
    }

    @AfterEach
    void clean() throws IOException {
        Files.deleteIfExists(path);
        Files.delete(folder);
    }

    private TokenSocket listen() throws IOException {
        TokenSocket socket = TokenSocket.listen(path, user -> token(user, made.incrementAndGet()));
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        socket.serve();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
        return socket;
    }

    /// Without a signature, which is not looked at here.
    private static String token(String user, int number) {
        return OtherCommandsTest.unsigned(
                "{\"upn\":\"" + user + "\",\"groups\":[\"user\"],\"jti\":\"" + number + "\"}");
    }

    @Test
    void each_user_gets_his_own_as_the_kernel_knows_him() throws Exception {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "is not root");
        Assumptions.assumeTrue(Files.exists(Path.of(PYTHON)), "there is no " + PYTHON);
        try (var _ = listen()) {
            assertThat(as("nobody")).isEqualTo("token " + token("nobody", 1));
            assertThat(as("daemon")).isEqualTo("token " + token("daemon", 2));
            assertThat(as("4242424"))
                    .isEqualTo("error this machine knows no user with the id 4242424");
            assertThat(TokenSocket.ask(path)).isEqualTo(token("root", 3));
        }
        assertThat(path).doesNotExist();
    }

    private String as(String user) throws Exception {
        Process process =
                new ProcessBuilder(
                                "setpriv",
                                "--reuid",
                                user,
                                "--clear-groups",
                                PYTHON,
                                "-c",
                                CLIENT,
                                path.toString())
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Test
    void a_command_without_a_token_asks_the_socket_and_again_when_it_has_expired()
            throws Exception {
        try (var mesh = new FakeMesh();
                var _ = listen()) {
            mesh.on(
                    "GET",
                    "/v1/jobs",
                    Reply.problem(401, "unauthenticated", "no"),
                    new Reply(200, "{\"jobs\":[]}"));
            var run =
                    new CommandRun(mesh)
                            .without("BERTH_TOKEN")
                            .with("BERTH_HOME", folder.toString())
                            .with("BERTH_TOKEN_SOCKET", path.toString());

            Outcome outcome = run.run("squeue", "-h");

            String user = System.getProperty("user.name");
            assertThat(outcome).isEqualTo(new Outcome(0, "", ""));
            assertThat(mesh.requests())
                    .extracting(it -> it.header("authorization"))
                    .containsExactly("Bearer " + token(user, 1), "Bearer " + token(user, 2));
        }
    }

    @Test
    void a_socket_that_nobody_answers_at_is_replaced_and_one_that_is_in_use_is_not()
            throws Exception {
        try (var left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();

        try (var _ = listen()) {
            assertThat(TokenSocket.ask(path)).isNotEmpty();
            assertThatIOException().isThrownBy(this::listen).withMessage("there is one already");
        }
    }

    @Test
    void a_folder_that_others_write_to_is_refused() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatIOException()
                .isThrownBy(this::listen)
                .withMessageContaining("others may write to " + folder);
    }

    @Test
    void who_cannot_give_tokens_does_not_listen() {
        Outcome outcome =
                new CommandRun()
                        .with("BERTH_HOME", folder.toString())
                        .run("token", "--listen", path.toString());

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).startsWith("token: error: cannot read the mesh's key ");
        assertThat(new CommandRun().run("token", "--listen", "x", "bob").err())
                .isEqualTo(
                        "token: error: at a socket each user gets his own, with his groups: give --operators, and no user\n");
    }
}
