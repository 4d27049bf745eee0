package io.berth.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The data of a PostgreSQL server: made once, with one role that may log in and one database that
/// it owns.
///
/// @param home where the programs are
/// @param data PostgreSQL's data directory
record PostgresCluster(Path home, Path data, Confinement confinement) {

    static final String NAME = "berth";

    /// Where PostgreSQL looks for it.
    private static final String CERTIFICATE = "server.crt";

    /// Only the one role, only to its own database, only from this machine, only with its password.
    private static final String ACCESS = " " + NAME + " " + NAME + " 127.0.0.1/32 scram-sha-256\n";

    /// The password in this file, generated if there is none.
    static String password(Path file) throws IOException {
        if (!Files.exists(file)) {
            byte[] random = new byte[24];
            new SecureRandom().nextBytes(random);
            Path unfinished = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(unfinished);
            Files.createFile(
                    unfinished,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(unfinished, HexFormat.of().formatHex(random));
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Files.readString(file).strip();
    }

    /// Makes the data unless they are there. A half-made set is made anew.
    void makeOnce(String password) throws IOException {
        if (Files.exists(data)) {
            confinement.own(data);
            return;
        }
        Path unfinished = data.resolveSibling(data.getFileName() + ".new");
        Folders.delete(unfinished);
        Files.createDirectories(unfinished);
        confinement.own(unfinished);
        // The superuser has no password and no line in pg_hba.conf: nobody can log in as it.
        run(
                "",
                "initdb",
                "-D",
                unfinished.toString(),
                "-U",
                "postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--auth=reject");
        run(
                "CREATE ROLE %1$s LOGIN PASSWORD '%2$s'%nCREATE DATABASE %1$s OWNER %1$s%n"
                        .formatted(NAME, password),
                "postgres",
                "--single",
                "-D",
                unfinished.toString(),
                "postgres");
        Files.writeString(unfinished.resolve("pg_hba.conf"), "host" + ACCESS);
        confinement.own(unfinished);
        Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
    }

    /// Takes no connection without TLS from the next start on.
    ///
    /// @param key of the certificate
    void requireTls(Path certificate, Path key) throws IOException {
        Files.copy(certificate, data.resolve(CERTIFICATE), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(key, data.resolve("server.key"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(data.resolve("pg_hba.conf"), "hostssl" + ACCESS);
        confinement.own(data);
    }

    /// The command that serves the data.
    List<String> serve(int port) {
        return confinement.command(
                List.of(
                        home.resolve("bin/postgres").toString(),
                        "-D",
                        data.toString(),
                        "-p",
                        Integer.toString(port),
                        "-c",
                        "listen_addresses=127.0.0.1",
                        "-c",
                        "unix_socket_directories=",
                        "-c",
                        "fsync=on",
                        "-c",
                        "synchronous_commit=on",
                        "-c",
                        "full_page_writes=on",
                        "-c",
                        "shared_buffers=32MB",
                        "-c",
                        "ssl=" + (Files.exists(data.resolve(CERTIFICATE)) ? "on" : "off"),
                        "-c",
                        "io_method=sync",
                        "-c",
                        "log_checkpoints=off"));
    }

    private void run(String input, String program, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(data.getParent(), program, ".log");
        try {
            Process process =
                    new ProcessBuilder(confinement.command(command))
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            try (var stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(UTF_8));
            }
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(program + " did not end within 60 s");
            }
            String said = Files.readString(output);
            if (process.exitValue() != 0 || said.contains("ERROR:")) {
                throw new IOException(program + " failed: " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " ran", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
