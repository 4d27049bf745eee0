package io.berth.log;

import io.berth.contracts.topic.Topic;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/// Creates topics as they are declared, and finds them.
///
/// @param cells partitions of the topics that have one for each cell
/// @param nodePartitions partitions of `placements`, fixed for the life of the cell
/// @param replicas of each partition
public record TopicDeclarations(int cells, int nodePartitions, short replicas) {

    /// Creates those topics that do not exist.
    ///
    /// @throws IllegalStateException if one exists with another partition count
    public void create(Admin admin, Collection<? extends Topic<?>> topics) {
        var futures = admin.createTopics(topics.stream().map(this::declaration).toList()).values();
        for (var topic : futures.entrySet()) {
            try {
                topic.getValue().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw failed("cannot create topic " + topic.getKey(), e.getCause());
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
        Map<String, Integer> expected =
                topics.stream().collect(Collectors.toMap(Topic::name, this::partitions));
        for (TopicDescription topic : await(admin, topics).values()) {
            int partitions = topic.partitions().size();
            if (!Integer.valueOf(partitions).equals(expected.get(topic.name()))) {
                throw new IllegalStateException(
                        "topic %s has %d partitions, not the configured %s: the count is fixed for the life of the cell"
                                .formatted(topic.name(), partitions, expected.get(topic.name())));
            }
        }
    }

    /// Waits until all those topics exist, created by their writers.
    public static Map<String, TopicDescription> await(
            Admin admin, Collection<? extends Topic<?>> topics) {
        List<String> names = topics.stream().map(Topic::name).toList();
        while (true) {
            try {
                return admin.describeTopics(names).allTopicNames().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw failed("cannot describe topics " + names, e.getCause());
                }
                pause();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    private int partitions(Topic<?> topic) {
        return switch (topic.spread()) {
            case CELL -> cells;
            case NODE -> nodePartitions;
            case SINGLE -> 1;
        };
    }

    private NewTopic declaration(Topic<?> topic) {
        return new NewTopic(topic.name(), partitions(topic), replicas).configs(topic.settings());
    }

    /// Says all that is known of why, as this is where a client that is not let in fails first.
    private static KafkaException failed(String what, @Nullable Throwable cause) {
        return new KafkaException(what + ": " + Failures.words(cause), cause);
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static InterruptException interrupted(InterruptedException e) {
        return new InterruptException(e);
    }
}
