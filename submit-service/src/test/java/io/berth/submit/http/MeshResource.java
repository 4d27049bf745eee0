package io.berth.submit.http;

import io.berth.contracts.topic.Topics;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.embedded.TraceCollector;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a gateway needs around it: a broker, the topics of the other services with a cluster in
/// them, and the key that tokens are verified with.
public class MeshResource implements QuarkusTestResourceLifecycleManager {
    private final int port = FreePorts.next();
    private final int controllerPort = FreePorts.next();
    private @Nullable Path directory;
    private @Nullable KafkaBroker broker;
    private @Nullable TraceCollector collector;
    private @Nullable FakeSmtp post;

    @Override
    public Map<String, String> start() {
        try {
            Path home = Files.createTempDirectory("berth-submit-test");
            directory = home;
            startBroker();
            var kafka = new KafkaConnection("127.0.0.1:" + port);
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
            return Map.of(
                    "quarkus.mailer.mock", "false",
                    "quarkus.mailer.port", Integer.toString(post.port()),
                    "berth.submit.mail-from", "berth@cluster",
                    "kafka.bootstrap.servers", kafka.bootstrapServers(),
                    "mp.jwt.verify.publickey.location", key.toUri().toString(),
                    "berth.submit.traces-endpoint", traces().endpoint().toString(),
                    "test.token-key", tokens.privateKey());
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

    /// The mail that was sent.
    List<String> mails() {
        return post == null ? List.of() : post.mails();
    }

    void startBroker() throws IOException {
        broker = KafkaBroker.start(home().resolve("kafka"), port, controllerPort);
    }

    void stopBroker() {
        if (broker != null) {
            broker.close();
            broker = null;
        }
    }

    private Path home() {
        if (directory == null) {
            throw new IllegalStateException("the test's mesh is not started");
        }
        return directory;
    }

    @Override
    public void stop() {
        stopBroker();
        if (collector != null) {
            collector.close();
        }
        closePost();
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
