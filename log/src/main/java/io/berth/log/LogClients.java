package io.berth.log;

import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/// Where a service gets its clients of the log: from the brokers of a [KafkaConnection], or from a
/// log that is simulated. Who makes one closes it.
public interface LogClients {

    Admin admin();

    /// A producer whose send is done when all in-sync replicas have the record.
    Producer<byte[], byte[]> producer();

    /// A producer of transactions; a second one with the same id fences the first. What it is given
    /// goes out when the transaction is committed, all at once.
    Producer<byte[], byte[]> transactionalProducer(String transactionalId);

    /// A consumer without a group, of committed records, to be assigned and sought by hand, for
    /// what is there: it is soon done, or goes on elsewhere.
    Consumer<byte[], byte[]> consumer();

    /// A consumer as [#consumer], for one who stays with its partitions and waits for what comes:
    /// it hears of that at once, but to be sent elsewhere, or to be answered a question while
    /// nothing comes, takes it up to [KafkaConnection#FOLLOWING].
    Consumer<byte[], byte[]> follower();

    /// A consumer as [#follower], that is answered after so long.
    Consumer<byte[], byte[]> follower(Duration answered);

    /// A member of a group that elects one of its members by giving it a partition. One that is not
    /// heard for [KafkaConnection#CANDIDATE_SESSION], or does not poll for that time, is out; one
    /// that lives keeps what it has when others come and go.
    Consumer<byte[], byte[]> candidate(String group, Duration wedgedAfter);
}
