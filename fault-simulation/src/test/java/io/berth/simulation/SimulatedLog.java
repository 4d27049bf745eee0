package io.berth.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// A log in memory with what Kafka promises of one partition for each topic: offsets that grow,
/// transactions that show whole or not at all, readers of committed records that wait before the
/// first open one, a new epoch of a transactional id that fences the one before it, and compaction
/// that leaves the last record of each key.
public final class SimulatedLog {

    /// A writer of an older epoch.
    static final class FencedOff extends Exception {
        FencedOff(String id) {
            super(id + " is led by another");
        }
    }

    /// @param epoch of its transaction
    private record Open(List<Message> messages, long epoch) {}

    private static final class Topic {
        private final List<Message> messages = new ArrayList<>();
        private final TreeSet<Long> open = new TreeSet<>();
        private long end;

        /// The first offset that readers wait before.
        long stable() {
            return open.isEmpty() ? end : open.first();
        }

        /// Where in `messages` those of an offset and later begin.
        int place(long offset) {
            int from = 0;
            int to = messages.size();
            while (from < to) {
                int middle = (from + to) >>> 1;
                if (messages.get(middle).offset() < offset) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        }
    }

    private final Map<String, Topic> topics = new TreeMap<>();
    private final Map<String, Long> epochs = new TreeMap<>();
    private final Map<String, Open> transactions = new TreeMap<>();

    private final boolean fencing;
    private long now;

    public SimulatedLog() {
        this(true);
    }

    /// @param fencing whether a writer of an older epoch is refused
    SimulatedLog(boolean fencing) {
        this.fencing = fencing;
    }

    /// What the brokers' clock shows from now on, in epoch milliseconds.
    void now(long millis) {
        now = millis;
    }

    private Topic topic(String name) {
        return topics.computeIfAbsent(name, _ -> new Topic());
    }

    /// Appends outside of any transaction; the offset.
    long append(String topic, String key, @Nullable Object value) {
        return put(topic, key, value).offset();
    }

    private Message put(String name, String key, @Nullable Object value) {
        return put(Message.of(name, topic(name).end, now, key, value));
    }

    private Message put(Message message) {
        Topic topic = topic(message.topic());
        topic.end = message.offset() + 1;
        topic.messages.add(message);
        return message;
    }

    /// Appends the record of a client, outside of any transaction.
    Message append(ProducerRecord<byte[], byte[]> record) {
        return put(Message.of(topic(record.topic()).end, now, record));
    }

    /// Begins a new epoch of this transactional id, and aborts what an older one left open.
    long initTransactions(String id) {
        abort(transactions.remove(id));
        return epochs.merge(id, 1L, Long::sum);
    }

    private void abort(@Nullable Open open) {
        if (open != null) {
            for (Message message : open.messages()) {
                Topic topic = topic(message.topic());
                topic.open.remove(message.offset());
                topic.messages.remove(message);
            }
            mark(open);
        }
    }

    /// The end of a transaction takes an offset of each topic that it wrote, which no reader is
    /// given.
    private void mark(Open open) {
        open.messages().stream()
                .map(it -> topic(it.topic()))
                .distinct()
                .forEach(topic -> topic.end++);
    }

    /// Ends what is open of this transactional id, as a coordinator does that hears nothing of it
    /// for too long: its writer is refused from then on.
    void timeOut(String id) {
        if (transactions.containsKey(id)) {
            initTransactions(id);
        }
    }

    /// Ends the open transaction; nobody ever reads what is in it.
    void abort(String id, long epoch) throws FencedOff {
        check(id, epoch);
        abort(transactions.remove(id));
    }

    /// Appends in the open transaction, or in a new one.
    void send(String id, long epoch, String topic, String key, @Nullable Object value)
            throws FencedOff {
        check(id, epoch);
        open(id, epoch, put(topic, key, value));
    }

    /// Appends the record of a client, in the open transaction, or in a new one.
    Message send(String id, long epoch, ProducerRecord<byte[], byte[]> record) throws FencedOff {
        check(id, epoch);
        Message message = append(record);
        open(id, epoch, message);
        return message;
    }

    private void open(String id, long epoch, Message message) {
        topic(message.topic()).open.add(message.offset());
        transactions
                .computeIfAbsent(id, _ -> new Open(new ArrayList<>(), epoch))
                .messages()
                .add(message);
    }

    /// Shows the transaction; what was in it.
    List<Message> commit(String id, long epoch) throws FencedOff {
        check(id, epoch);
        Open open = transactions.remove(id);
        if (open == null) {
            return List.of();
        }
        open.messages().forEach(it -> topic(it.topic()).open.remove(it.offset()));
        mark(open);
        return open.messages();
    }

    /// Whether that epoch is over.
    boolean fenced(String id, long epoch) {
        return fencing && epochs.getOrDefault(id, 0L) != epoch;
    }

    private void check(String id, long epoch) throws FencedOff {
        if (fenced(id, epoch)) {
            throw new FencedOff(id);
        }
    }

    /// What a reader of committed records gets from that offset on.
    List<Message> read(String name, long from) {
        Topic topic = topic(name);
        int end = topic.place(topic.stable());
        return List.copyOf(topic.messages.subList(Math.min(topic.place(from), end), end));
    }

    /// Where a reader of committed records ends now.
    long end(String name) {
        return topic(name).stable();
    }

    /// Leaves the last committed record of each key.
    void compact(Collection<String> names) {
        for (String name : names) {
            Topic topic = topic(name);
            long stable = topic.stable();
            var last = new TreeMap<String, Long>();
            for (Message message : topic.messages) {
                if (message.offset() < stable) {
                    last.put(message.key(), message.offset());
                }
            }
            topic.messages.removeIf(it ->
                    it.offset() < stable && !Long.valueOf(it.offset()).equals(last.get(it.key())));
        }
    }
}
