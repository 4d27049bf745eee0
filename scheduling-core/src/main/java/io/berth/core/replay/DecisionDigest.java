package io.berth.core.replay;

import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Fact;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The [Checksum] of all that a round decided, in order: of each fact that is written to a topic,
/// the topic, the key and the value.
public final class DecisionDigest {

    private static final byte[] NOTHING = new byte[0];

    private final Checksum checksum = new Checksum();

    /// Of facts that are not written.
    public static String of(List<Fact> facts) {
        var digest = new DecisionDigest();
        for (Fact fact : facts) {
            switch (fact) {
                case Fact.JobChanged(var job) -> digest.add(Codecs.JOB_STATES, job);
                case Fact.NodeChanged(var node) -> digest.add(Codecs.NODE_STATES, node);
                case Fact.JobForgotten(var job) ->
                        digest.add(Topics.JOB_STATES.name(), job.toString(), null);
                case Fact.Announced(var event) -> digest.add(Codecs.JOBS, event);
                case Fact.Ordered(var order) -> digest.add(Codecs.PLACEMENTS, order);
                case Fact.RankKept _, Fact.ConfigurationTaken _, Fact.FairSharesTaken _ -> {}
            }
        }
        return digest.toString();
    }

    private <E> void add(Codecs<E> codecs, E event) {
        Topic<E> topic = codecs.topic();
        add(topic.name(), topic.key().apply(event), codecs.codec().value(event));
    }

    /// @param value null where the record of that key goes
    public void add(String topic, String key, byte @Nullable [] value) {
        checksum.add(topic).add(key).add(value == null ? NOTHING : value);
    }

    /// The digest so far, in 16 hexadecimal digits.
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(checksum.value());
    }

    private record Codecs<E>(Topic<E> topic, EventCodec<E> codec) {

        static final Codecs<JobStatus> JOB_STATES = of(Topics.JOB_STATES);
        static final Codecs<NodeStatus> NODE_STATES = of(Topics.NODE_STATES);
        static final Codecs<JobEvent> JOBS = of(Topics.JOBS);
        static final Codecs<Order> PLACEMENTS = of(Topics.PLACEMENTS);

        private static <E> Codecs<E> of(Topic<E> topic) {
            return new Codecs<>(topic, new EventCodec<>(topic));
        }
    }
}
