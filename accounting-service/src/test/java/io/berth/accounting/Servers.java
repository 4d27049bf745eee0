package io.berth.accounting;

import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.embedded.PostgresServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A broker and a database of its own for a test of the whole service.
public final class Servers implements QuarkusTestResourceLifecycleManager {

    private final int databasePort = FreePorts.next();
    private @Nullable Path directory;
    private @Nullable KafkaBroker kafka;
    private @Nullable PostgresServer database;

    @Override
    public Map<String, String> start() {
        try {
            directory = Files.createTempDirectory("berth-accounting");
            kafka =
                    KafkaBroker.start(
                            directory.resolve("kafka"), FreePorts.next(), FreePorts.next());
            PostgresServer server = startDatabase();
            SignedTokens tokens = SignedTokens.create();
            return Map.ofEntries(
                    Map.entry("mp.jwt.verify.publickey", tokens.publicKey()),
                    Map.entry(SignedTokens.KEY, tokens.privateKey()),
                    Map.entry("kafka.bootstrap.servers", kafka.bootstrapServers()),
                    Map.entry("quarkus.datasource.reactive.url", server.reactiveUrl()),
                    Map.entry("quarkus.datasource.jdbc.url", server.jdbcUrl()),
                    Map.entry("quarkus.datasource.password", server.password()),
                    Map.entry("berth.accounting.shares-interval", "1s"),
                    Map.entry("berth.accounting.longest-pause", "200ms"),
                    Map.entry("berth.accounting.database-timeout", "5s"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PostgresServer startDatabase() throws IOException {
        if (directory == null) {
            throw new IllegalStateException("the servers were not started");
        }
        database = PostgresServer.start(directory.resolve("postgres"), databasePort);
        return database;
    }

    /// Lets all processes of the database stand still (STOP) or go on (CONT).
    void signalDatabase(String name) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("kill", "-" + name));
        ProcessHandle.of(Objects.requireNonNull(database).pid()).stream()
                .flatMap(it -> Stream.concat(Stream.of(it), it.descendants()))
                .forEach(it -> command.add(Long.toString(it.pid())));
        new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    void stopDatabase() throws IOException {
        if (database != null) {
            database.close();
        }
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(Servers.class));
    }

    @Override
    public void stop() {
        try {
            stopDatabase();
            if (kafka != null) {
                kafka.close();
            }
            if (directory != null) {
                List<Path> files;
                try (var all = Files.walk(directory)) {
                    files = all.sorted(Comparator.reverseOrder()).toList();
                }
                for (Path file : files) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
