package io.berth.submit.http;

import io.berth.contracts.topic.Access;
import io.berth.contracts.topic.Topics;
import io.berth.embedded.GuardedBroker;
import io.berth.embedded.TraceCollector;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a gateway needs around it: a broker, the topics of the other services with a cluster in
/// them, and the key that tokens are verified with.
public class MeshResource implements QuarkusTestResourceLifecycleManager {
    private @Nullable Path directory;
    private @Nullable GuardedBroker broker;
    private @Nullable TraceCollector collector;
    private @Nullable FakeSmtp post;
    private @Nullable FakeBooks books;
    private @Nullable FakePeer peer;

    @Override
    public Map<String, String> start() {
        try {
            Path home = Files.createTempDirectory("berth-submit-test");
            directory = home;
            GuardedBroker started = GuardedBroker.start(home);
            broker = started;
            var kafka = new KafkaConnection(started.bootstrapServers());
            try (var admin = kafka.admin()) {
                new TopicDeclarations(1, 8, (short) 1)
                        .create(
                                admin,
                                Topics.all().stream()
                                        .filter(it -> !it.writer().equals("submit-service"))
                                        .toList());
            }
            try (var mesh = new Mesh(kafka)) {
                mesh.publishCluster();
            }
            var tokens = Tokens.create();
            Path key = Files.writeString(home.resolve("token-public.pem"), tokens.publicPem());
            post = new FakeSmtp();
            books = new FakeBooks();
            var settings = new HashMap<>(admit(started));
            settings.put("berth.submit.accounting-url", books.at().toString());
            peer = new FakePeer();
            settings.put("berth.submit.peers", peer.at().toString());
            settings.putAll(
                    Map.of(
                            "quarkus.mailer.mock",
                            "false",
                            "quarkus.mailer.port",
                            Integer.toString(post.port()),
                            "berth.submit.mail-from",
                            "berth@cluster",
                            "berth.submit.mail-pause",
                            "300ms",
                            "mp.jwt.verify.publickey.location",
                            key.toUri().toString(),
                            "berth.submit.traces-endpoint",
                            traces().endpoint().toString(),
                            Mesh.OUTSIDE,
                            kafka.bootstrapServers(),
                            "test.token-key",
                            tokens.privateKey()));
            return settings;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(MeshResource.class));
    }

    private TraceCollector traces() throws IOException {
        if (collector == null) {
            collector = TraceCollector.start();
        }
        return collector;
    }

    FakeBooks books() {
        return Objects.requireNonNull(books);
    }

    FakePeer peer() {
        return Objects.requireNonNull(peer);
    }

    /// The mail that was sent.
    List<String> mails() {
        return post == null ? List.of() : post.mails();
    }

    /// The gateway's connection, by settings: over TLS, with the rights that the access rules give
    /// it.
    private static Map<String, String> admit(GuardedBroker broker) throws IOException {
        return broker.admit(
                Access.SUBMIT.client(),
                Access.SUBMIT.rules().stream()
                        .map(it ->
                                new GuardedBroker.Right(
                                        it.resource(), it.name(), it.prefixed(), it.operations()))
                        .toList());
    }

    void startBroker() throws IOException {
        Objects.requireNonNull(broker).restart();
    }

    void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @Override
    public void stop() {
        stopBroker();
        if (collector != null) {
            collector.close();
        }
        closePost();
        if (peer != null) {
            peer.close();
        }
        if (books != null) {
            books.close();
        }
        if (directory == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void closePost() {
        if (post != null) {
            try {
                post.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
