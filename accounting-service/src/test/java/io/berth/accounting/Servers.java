package io.berth.accounting;

import io.berth.contracts.topic.Access;
import io.berth.embedded.Certificates;
import io.berth.embedded.FreePorts;
import io.berth.embedded.GuardedBroker;
import io.berth.embedded.PostgresServer;
import io.berth.log.KafkaConnection;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

/// A broker and a database of its own for a test of the whole service, which comes to both over
/// TLS.
public final class Servers implements QuarkusTestResourceLifecycleManager {

    /// The setting that tells where the other services come to the broker.
    private static final String OUTSIDE = "test.kafka";

    private final int databasePort = FreePorts.next();
    private @Nullable Path directory;
    private @Nullable GuardedBroker kafka;
    private @Nullable PostgresServer database;

    @Override
    public Map<String, String> start() {
        try {
            directory = Files.createTempDirectory("berth-accounting");
            GuardedBroker broker = GuardedBroker.start(directory);
            kafka = broker;
            PostgresServer server = startDatabase();
            SignedTokens tokens = SignedTokens.create();
            var settings = new HashMap<>(admit(broker));
            settings.put(OUTSIDE, broker.bootstrapServers());
            settings.put("mp.jwt.verify.publickey", tokens.publicKey());
            settings.put(SignedTokens.KEY, tokens.privateKey());
            settings.put("quarkus.datasource.reactive.url", server.reactiveUrl());
            settings.put("quarkus.datasource.jdbc.url", server.jdbcUrl());
            settings.put("quarkus.datasource.password", server.password());
            settings.put(DatabaseTls.SETTING, authority().folder().resolve("ca.crt").toString());
            settings.put("berth.accounting.shares-interval", "1s");
            settings.put("berth.accounting.longest-pause", "200ms");
            settings.put("berth.accounting.database-timeout", "5s");
            return settings;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// With the rights that the access rules give it.
    private static Map<String, String> admit(GuardedBroker broker) throws IOException {
        return broker.admit(
                Access.ACCOUNTING.client(),
                Access.ACCOUNTING.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    /// The log of a test, which writes to it as the other services do.
    static KafkaConnection outside() {
        return new KafkaConnection(ConfigProvider.getConfig().getValue(OUTSIDE, String.class));
    }

    private Certificates authority() throws IOException {
        Path home = Objects.requireNonNull(directory, "the servers were not started");
        return new Certificates(Files.createDirectories(home.resolve("authority")));
    }

    PostgresServer startDatabase() throws IOException {
        Path home = Objects.requireNonNull(directory, "the servers were not started");
        database = PostgresServer.start(home.resolve("postgres"), databasePort, authority());
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
