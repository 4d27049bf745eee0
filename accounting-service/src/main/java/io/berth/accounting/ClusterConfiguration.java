package io.berth.accounting;

import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.InvalidClusterFile;
import io.berth.accounting.db.BooksStopped;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.accounting.kafka.ConfigTopic.Published;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.jboss.logging.Logger;

/// The cluster's configuration in force: what the cluster file says, published; or, if the file is
/// invalid, what was published before.
@ApplicationScoped
public class ClusterConfiguration {

    private static final Logger LOG = Logger.getLogger(ClusterConfiguration.class);

    private final AccountingConfig config;
    private final KafkaConnection kafka;
    private final TopicDeclarations declarations;
    private volatile Condition condition = new Condition.Waiting("the brokers");
    private volatile Optional<Configuration> inForce = Optional.empty();

    public ClusterConfiguration(
            AccountingConfig config, KafkaConnection kafka, TopicDeclarations declarations) {
        this.config = config;
        this.kafka = kafka;
        this.declarations = declarations;
    }

    /// Creates this service's topics and publishes the cluster file. What is in force then.
    ///
    /// @throws BooksStopped if the file is invalid and nothing was published before
    public Configuration establish() {
        try (Admin admin = kafka.admin()) {
            var topics = new ArrayList<>(Topics.writtenBy("accounting-service"));
            topics.add(Topics.deadLetters("accounting-service"));
            declarations.create(admin, topics);
        }
        inForce = publish(new ConfigTopic(kafka)).whole();
        return inForce.orElseThrow(() ->
                new BooksStopped(
                        "no configuration was ever published, and the cluster file is invalid"));
    }

    private Published publish(ConfigTopic topic) {
        try {
            Published published = topic.publish(ClusterFile.parse(read()));
            LOG.infof("The configuration in force is revision %d", published.highest());
            condition = new Condition.Running();
            return published;
        } catch (InvalidClusterFile e) {
            return refuse(topic, source() + ": " + e.getMessage());
        } catch (IOException e) {
            return refuse(topic, source() + " cannot be read: " + e);
        }
    }

    private Published refuse(ConfigTopic topic, String why) {
        LOG.error(
                "The cluster file is refused, and what was published before stays in force: "
                        + why);
        condition = new Condition.Stopped(why);
        return topic.read();
    }

    public Condition condition() {
        return condition;
    }

    public Optional<Configuration> inForce() {
        return inForce;
    }

    private String source() {
        return config.clusterFile().map(Path::toString).orElse("accounts.yaml");
    }

    private String read() throws IOException {
        if (config.clusterFile().isPresent()) {
            return Files.readString(config.clusterFile().get());
        }
        try (InputStream in = ClusterConfiguration.class.getResourceAsStream("/accounts.yaml")) {
            if (in == null) {
                throw new IOException("it is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
