package io.berth.embedded;

import com.yammer.metrics.core.Metric;
import com.yammer.metrics.core.MetricName;
import com.yammer.metrics.core.MetricsRegistryListener;
import com.yammer.metrics.core.Stoppable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/// A Kafka broker in this process, its own KRaft controller, on 127.0.0.1. Its data stay in its
/// folder and are found again.
public final class KafkaBroker implements AutoCloseable {

    private final KafkaRaftServer server;
    private final int port;

    private KafkaBroker(KafkaRaftServer server, int port) {
        this.server = server;
        this.port = port;
    }

    /// Starts a broker and returns when it is ready.
    ///
    /// @param directory formatted on first use
    /// @throws IOException if the folder cannot be written
    public static KafkaBroker start(Path directory, int port, int controllerPort)
            throws IOException {
        return start(directory, port, controllerPort, Map.of());
    }

    /// @param further settings, before which those of the same name do not count
    public static KafkaBroker start(
            Path directory, int port, int controllerPort, Map<String, String> further)
            throws IOException {
        if (!Files.exists(directory.resolve("meta.properties"))) {
            Files.createDirectories(directory);
            format(directory);
        }
        var settings = settings(directory, port, controllerPort);
        settings.putAll(further);
        var config = KafkaConfig.fromProps(settings, false);
        var server = new KafkaRaftServer(config, Time.SYSTEM);
        KafkaYammerMetrics.defaultRegistry().addListener(new Unmetered());
        server.startup();
        return new KafkaBroker(server, port);
    }

    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    /// Stops the clocks of Kafka's meters, which tick some 50 times a second together: nobody asks
    /// for their rates.
    private static final class Unmetered implements MetricsRegistryListener {

        @Override
        public void onMetricAdded(MetricName name, Metric metric) {
            if (metric instanceof Stoppable clocked) {
                clocked.stop();
            }
        }

        @Override
        public void onMetricRemoved(MetricName name) {}
    }

    private static void format(Path directory) throws IOException {
        try {
            new Formatter()
                    .setClusterId(Uuid.randomUuid().toString())
                    .setNodeId(1)
                    .setControllerListenerName("CONTROLLER")
                    .setMetadataLogDirectory(directory.toString())
                    .addDirectory(directory.toString())
                    .setIgnoreFormatted(true)
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                    .run();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("cannot format " + directory + " for Kafka", e);
        }
    }

    private static Properties settings(Path directory, int port, int controllerPort) {
        var settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("log.dirs", directory.toString());
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.put(
                "listeners",
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("auto.create.topics.enable", "false");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "1");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "1000");
        settings.put("log.cleaner.dedupe.buffer.size", "16777216");
        settings.put("log.segment.bytes", "67108864");
        settings.put("log.index.size.max.bytes", "1048576");
        // Nobody watches whether an idle controller is alive.
        settings.put("metadata.max.idle.interval.ms", "0");
        settings.put("num.network.threads", "2");
        settings.put("num.io.threads", "4");
        // The groups are few, and each thread looks three times a second whether there is work.
        settings.put("group.coordinator.threads", "1");
        // One machine: an acknowledged record must survive a power cut.
        settings.put("log.flush.interval.messages", "1");
        return settings;
    }
}
