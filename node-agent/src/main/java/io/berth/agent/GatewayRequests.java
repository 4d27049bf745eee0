package io.berth.agent;

import io.berth.agent.kafka.AgentLog;
import io.berth.agent.kafka.OrderReader;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Clocks;
import io.berth.log.Events;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What gateways ask of nodes, in the partitions of their orders: to start a step, or what a job
/// wrote. Who asks has to show that he knows the key of the job that he asks about.
final class GatewayRequests {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayRequests.class);

    private static final List<Topic<?>> ASKED =
            List.of(Topics.OUTPUT_REQUESTS, Topics.STEP_REQUESTS);

    /// How often it is looked whether gateways ask yet.
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

    private final Map<String, NodeAgent> agents;
    private final Clocks clocks;
    private final Events<OutputRequest> outputRequests =
            new Events<>(Topics.OUTPUT_REQUESTS, AgentLog.SERVICE);
    private final Events<StepRequest> stepRequests =
            new Events<>(Topics.STEP_REQUESTS, AgentLog.SERVICE);
    private final OutputReplies replies = new OutputReplies();
    private final StepStarts starts = new StepStarts();

    GatewayRequests(List<NodeAgent> agents, Clocks clocks) {
        this.agents =
                agents.stream()
                        .collect(
                                Collectors.toMap(
                                        agent -> agent.name().value(), Function.identity()));
        this.clocks = clocks;
    }

    /// The reading of them, from one consumer's begin to its end.
    ///
    /// @param consumer of orders
    /// @param asking asks the brokers
    Reading reading(
            Consumer<byte[], byte[]> consumer,
            Consumer<byte[], byte[]> asking,
            List<TopicPartition> ofOrders,
            int partitionCount) {
        return new Reading(consumer, asking, ofOrders, partitionCount);
    }

    final class Reading {

        private final Consumer<byte[], byte[]> consumer;
        private final Consumer<byte[], byte[]> asking;
        private final List<TopicPartition> ofOrders;
        private final int partitionCount;

        /// Topics that are not read yet; those stay that are not there: the gateways may be older.
        private final List<Topic<?>> deaf = new ArrayList<>(ASKED);

        private long lookAt = clocks.nanos();

        private Reading(
                Consumer<byte[], byte[]> consumer,
                Consumer<byte[], byte[]> asking,
                List<TopicPartition> ofOrders,
                int partitionCount) {
            this.consumer = consumer;
            this.asking = asking;
            this.ofOrders = ofOrders;
            this.partitionCount = partitionCount;
        }

        /// Now and then, as long as there are topics that are not there.
        void look() {
            if (deaf.isEmpty() || clocks.nanos() - lookAt < 0) {
                return;
            }
            Map<String, List<PartitionInfo>> there = asking.listTopics(CALL_LIMIT);
            for (Topic<?> topic : List.copyOf(deaf)) {
                List<PartitionInfo> partitions = there.get(topic.name());
                if (partitions != null) {
                    listen(topic, partitions.size());
                    deaf.remove(topic);
                }
            }
            lookAt = clocks.nanos() + BETWEEN_LOOKS.toNanos();
        }

        /// Reads the topic as well, from now on.
        private void listen(Topic<?> topic, int partitions) {
            if (partitions != partitionCount) {
                LOG.atWarn()
                        .addKeyValue("topic", topic.name())
                        .addKeyValue("partitions", partitions)
                        .addKeyValue("orders", partitionCount)
                        .log(
                                "Partitions differ from those of orders: some requests will not be heard");
            }
            List<TopicPartition> requests =
                    ofOrders.stream()
                            .filter(it -> it.partition() < partitions)
                            .map(it -> new TopicPartition(topic.name(), it.partition()))
                            .toList();
            consumer.assign(
                    Stream.concat(consumer.assignment().stream(), requests.stream()).toList());
            asking.endOffsets(requests, CALL_LIMIT).forEach(consumer::seek);
        }
    }

    /// Answers a request, if it is for one of the agents.
    void answer(ConsumerRecord<byte[], byte[]> record) {
        NodeAgent agent = agents.get(OrderReader.node(record));
        if (agent == null || record.value() == null) {
            return;
        }
        try {
            if (record.topic().equals(Topics.STEP_REQUESTS.name())) {
                starts.start(stepRequests.event(record), agent);
            } else {
                replies.answer(outputRequests.event(record), agent);
            }
        } catch (UnknownEventType | CorruptEvent e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("node", agent.name())
                    .addKeyValue("record", Events.position(record))
                    .log("Not understood");
        }
    }
}
