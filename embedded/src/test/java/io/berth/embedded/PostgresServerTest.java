package io.berth.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PostgresServerTest {

    @TempDir static Path directory;
    private int port;

    /// Unpacking and initdb cost a second or two: all tests share one folder.
    @BeforeAll
    static void make_the_data_once() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        PostgresServer.start(directory, FreePorts.next()).close();
    }

    @AfterAll
    static void no_server_is_left() {
        assertThat(serversHere()).isEmpty();
    }

    @BeforeEach
    void choose_a_port() {
        port = FreePorts.next();
    }

    @Test
    void what_was_committed_is_found_after_a_restart() throws Exception {
        try (var server = PostgresServer.start(directory, port)) {
            execute(server, "CREATE TABLE kept AS SELECT 42 AS answer");
        }

        try (var server = PostgresServer.start(directory, FreePorts.next())) {
            assertThat(ask(server, "SELECT answer FROM kept")).isEqualTo("42");
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_same_data_are_served_under_every_user_that_can_be_had(Confinement confinement)
            throws Exception {
        assumeTrue(confinement.reaches(directory), confinement + " is not to be had here");
        assumeTrue(confinement.dropsRoot() || !root(), "PostgreSQL does not run as root");

        try (var server = PostgresServer.start(directory, port, confinement)) {
            assertThat(ask(server, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_commit_is_durable() throws Exception {
        try (var server = PostgresServer.start(directory, port)) {
            assertThat(ask(server, "SHOW fsync")).isEqualTo("on");
            assertThat(ask(server, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(ask(server, "SHOW full_page_writes")).isEqualTo("on");
        }
    }

    @Test
    void only_the_one_role_with_its_password_gets_in() throws Exception {
        try (var server = PostgresServer.start(directory, port)) {
            String url = server.jdbcUrl();

            assertThatThrownBy(() -> connect(url, "berth", "guessed"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
            assertThatThrownBy(() -> connect(url, "postgres", server.password()))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("no pg_hba.conf entry");
            assertThat(ask(server, "SELECT rolsuper FROM pg_roles WHERE rolname = 'berth'"))
                    .isEqualTo("f");
        }
    }

    @Test
    void the_password_is_readable_by_its_owner_alone() throws Exception {
        var permissions = Files.getPosixFilePermissions(directory.resolve("password"));

        assertThat(PosixFilePermissions.toString(permissions)).isEqualTo("rw-------");
    }

    @Test
    void a_second_server_on_the_same_folder_is_refused() throws Exception {
        try (var first = PostgresServer.start(directory, port)) {
            assertThatIOException()
                    .isThrownBy(() -> PostgresServer.start(directory, FreePorts.next()))
                    .withMessageContaining("is in use by another");
            assertThat(ask(first, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_taken_port_is_named() throws Exception {
        try (var _ = PostgresServer.start(directory, port);
                var elsewhere = new ServerSocket(0)) {
            Path other = directory.resolveSibling(directory.getFileName() + "-other");
            int taken = elsewhere.getLocalPort();

            assertThatIOException()
                    .isThrownBy(() -> PostgresServer.start(other, taken))
                    .withMessageContaining("port " + taken);
            Folders.delete(other);
        }
    }

    @Test
    void the_server_ends_when_its_parent_is_killed() throws Exception {
        Process parent = startInAnotherProcess();
        ProcessHandle server = serversHere().getFirst();

        parent.destroyForcibly().waitFor();

        await().atMost(60, SECONDS).until(() -> !server.isAlive());
    }

    @Test
    void an_orphan_of_a_killed_parent_is_replaced_and_its_data_are_whole() throws Exception {
        Process parent = startInAnotherProcess();
        parent.destroyForcibly().waitFor();

        try (var server = PostgresServer.start(directory, port)) {
            assertThat(ask(server, "SELECT written FROM by_parent")).isEqualTo("before the kill");
        }
    }

    @Test
    void an_orphan_that_got_no_signal_is_stopped() throws Exception {
        var cluster =
                new PostgresCluster(
                        PostgresBinaries.unpackedIn(directory.toRealPath()),
                        directory.toRealPath().resolve("data"),
                        Confinement.of(directory));
        Process orphan =
                new ProcessBuilder(cluster.serve(FreePorts.next()))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        await().until(() -> PostmasterFile.of(cluster.data()).ready(orphan.pid()));

        try (var server = PostgresServer.start(directory, port)) {
            assertThat(orphan.isAlive()).isFalse();
            assertThat(ask(server, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_pid_file_that_names_a_stranger_does_not_keep_the_server_from_starting()
            throws Exception {
        Files.writeString(
                directory.resolve("data/postmaster.pid"), ProcessHandle.current().pid() + "\n");

        try (var server = PostgresServer.start(directory, port)) {
            assertThat(ask(server, "SELECT 1")).isEqualTo("1");
        }
    }

    private static boolean root() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    private static Process startInAnotherProcess() throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Parent.class.getName(),
                                directory.toString(),
                                Integer.toString(FreePorts.next())));
        Process parent =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader said = parent.inputReader(StandardCharsets.UTF_8);
        assertThat(said.readLine()).isEqualTo("ready");
        return parent;
    }

    /// A process that starts a server, writes a row and waits to be killed.
    static final class Parent {

        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            var server =
                    PostgresServer.start(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
            execute(server, "DROP TABLE IF EXISTS by_parent");
            execute(server, "CREATE TABLE by_parent AS SELECT 'before the kill' AS written");
            System.out.println("ready");
            Thread.currentThread().join();
        }
    }

    private static List<ProcessHandle> serversHere() {
        return ProcessHandle.allProcesses()
                .filter(process ->
                        process.info()
                                .arguments()
                                .map(Arrays::asList)
                                .orElse(List.of())
                                .contains(directory + "/data"))
                .toList();
    }

    private static Connection connect(String url, String user, String password)
            throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    private static void execute(PostgresServer server, String sql) throws SQLException {
        try (var connection = connect(server.jdbcUrl(), server.user(), server.password());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String ask(PostgresServer server, String sql) throws SQLException {
        try (var connection = connect(server.jdbcUrl(), server.user(), server.password());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
