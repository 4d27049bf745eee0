package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenSocketTest {

    /// Connects as another program would, and prints what it is told.
    private static final String CLIENT =
            "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.makefile().read())";

    private static final String NO_SOCKET = "there is something that is no socket";

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
        return listen(user -> token(user, made.incrementAndGet()));
    }

    private TokenSocket listen(TokenSocket.Mint mint) throws IOException {
        TokenSocket socket = TokenSocket.listen(path, mint);
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
    void what_is_no_socket_stays() throws Exception {
        Files.writeString(path, "precious");

        assertThatIOException().isThrownBy(this::listen).withMessageStartingWith(NO_SOCKET);
        assertThat(path).hasContent("precious");
        Files.delete(path);

        Files.createDirectory(path);
        assertThatIOException().isThrownBy(this::listen).withMessageStartingWith(NO_SOCKET);
        Files.delete(path);

        Files.createSymbolicLink(path, folder.resolve("nothing"));
        assertThatIOException().isThrownBy(this::listen).withMessageStartingWith(NO_SOCKET);
    }

    @Test
    void a_folder_of_somebody_else_is_refused() throws Exception {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "is not root");
        Files.setAttribute(folder, "unix:uid", 65_534);

        assertThatIOException()
                .isThrownBy(this::listen)
                .withMessage(
                        folder
                                + " belongs to nobody, who could put a socket of his own there: it must be root's or your own");
    }

    @Test
    void one_whose_name_takes_long_to_find_holds_up_nobody_else() throws Exception {
        var first = new CountDownLatch(1);
        var last = new CountDownLatch(1);
        TokenSocket.Mint mint =
                user -> {
                    int number = made.incrementAndGet();
                    if (number == 1) {
                        first.countDown();
                        await(last);
                    }
                    return token(user, number);
                };
        String user = System.getProperty("user.name");
        try (var _ = listen(mint);
                var others = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> slow = others.submit(() -> TokenSocket.ask(path));
            await(first);

            assertThat(TokenSocket.ask(path)).isEqualTo(token(user, 2));

            last.countDown();
            assertThat(slow.get()).isEqualTo(token(user, 1));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_socket_that_says_nothing_is_given_up() throws Exception {
        try (var silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            silent.bind(UnixDomainSocketAddress.of(path));

            assertThatIOException()
                    .isThrownBy(() -> TokenSocket.ask(path, Duration.ofMillis(1)))
                    .withMessage("it says nothing for 0 s");
        }
    }

    @Test
    void groups_that_are_not_told_in_time_are_an_error() throws Exception {
        assertThat(UnixGroups.told(List.of("echo", "lab chemistry"), Duration.ofMinutes(1)))
                .containsExactly("lab", "chemistry");
        assertThat(UnixGroups.told(List.of("true"), Duration.ofMinutes(1))).isEmpty();
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> UnixGroups.told(List.of("sleep", "60"), Duration.ofMillis(1)))
                .withMessage(
                        "token: error: cannot tell your groups: 'sleep 60' has not ended after 0 s");
    }

    @Test
    void no_group_of_the_machine_makes_an_operator() {
        var groups = List.of("admin", "lab", "operator", "user");

        assertThat(TokenCommand.groups("user", groups)).containsExactly("user", "lab");
        assertThat(TokenCommand.groups("operator", groups)).containsExactly("operator", "lab");
    }

    @Test
    void operators_are_named_at_a_socket_alone() {
        assertThat(new CommandRun().run("token", "alice", "--operators", "root"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "token: error: --operators and --admins go with --listen; one token is made an operator's by --operator, an admin's by --admin\n"));
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
                        "token: error: at a socket each user gets his own, with his groups: give --operators and --admins, and no user\n");
    }
}
