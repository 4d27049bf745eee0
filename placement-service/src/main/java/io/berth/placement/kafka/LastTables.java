package io.berth.placement.kafka;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.log.Events;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SequencedMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// What the tables among the inputs said below the offsets that the last round used up:
/// configuration, fair shares, and rankings. What stands above them waits: it is an input of rounds
/// to come.
final class LastTables {

    static final List<Topic<?>> TOPICS =
            List.of(Topics.CONFIG, Topics.FAIR_SHARES, Topics.RANKINGS);

    private final Map<TopicPartition, Queue<ConsumerRecord<byte[], byte[]>>> ahead =
            new HashMap<>();
    private final ConfigurationAssembler assembler = new ConfigurationAssembler();
    private final SequencedMap<String, Ranked> rankings = new LinkedHashMap<>();
    private @Nullable Configuration configuration;
    private @Nullable FairShares fairShares;

    void add(ConsumerRecord<byte[], byte[]> record) {
        ahead.computeIfAbsent(
                        new TopicPartition(record.topic(), record.partition()),
                        _ -> new ArrayDeque<>())
                .add(record);
    }

    /// How many records wait for the round that uses them up.
    int ahead() {
        return ahead.values().stream().mapToInt(Queue::size).sum();
    }

    /// Takes what stands below these offsets.
    ///
    /// @throws Fatal if an event is of an unknown type
    void settle(Map<TopicPartition, Long> next) {
        ahead.forEach((partition, records) -> {
            long end = next.getOrDefault(partition, 0L);
            for (var record = records.peek();
                    record != null && record.offset() < end;
                    record = records.peek()) {
                take(records.remove());
            }
        });
    }

    /// Brings a rebuilt state to where its last round stood, once. Rankings of jobs that it has are
    /// in it; the others wait for their job.
    void replayInto(CellState state) {
        if (configuration != null) {
            state.replay(new Fact.ConfigurationTaken(configuration));
        }
        if (fairShares != null) {
            state.replay(new Fact.FairSharesTaken(fairShares));
        }
        rankings.values().forEach(it -> keep(state, it));
        rankings.clear();
    }

    private static void keep(CellState state, Ranked ranked) {
        try {
            if (state.job(ranked.job()).isEmpty()) {
                state.replay(new Fact.RankKept(ranked.job(), ranked.rank()));
            }
        } catch (RuntimeException e) {
            // It says nothing: the leader before has put it aside, too.
        }
    }

    /// What reads the configuration on from there.
    ConfigurationAssembler assembler() {
        return assembler;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        if (record.topic().equals(Topics.RANKINGS.name())) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            rankings.remove(key);
            read(CellLog.RANKINGS, record).ifPresent(it -> rankings.put(key, it));
        } else if (record.topic().equals(Topics.CONFIG.name())) {
            read(CellLog.CONFIG, record)
                    .flatMap(assembler::add)
                    .ifPresent(it -> configuration = it);
        } else {
            read(CellLog.FAIR_SHARES, record).ifPresent(it -> fairShares = it);
        }
    }

    /// The event of a record; none if it has no value, or was put aside as a dead letter by the
    /// round that read it.
    private static <E> Optional<E> read(Events<E> events, ConsumerRecord<byte[], byte[]> record) {
        try {
            return record.value() == null ? Optional.empty() : Optional.of(events.event(record));
        } catch (CorruptEvent e) {
            return Optional.empty();
        } catch (UnknownEventType e) {
            throw new Fatal(
                    "%s, offset %d: %s".formatted(record.topic(), record.offset(), e.getMessage()),
                    e);
        }
    }
}
