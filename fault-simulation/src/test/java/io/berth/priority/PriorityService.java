package io.berth.priority;

import io.berth.log.Clocks;
import io.berth.log.LogClients;
import io.berth.log.TopicDeclarations;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;

/// One instance of priority on the clients and clocks that it is given, without the thread that
/// [PriorityLoop] has.
public final class PriorityService implements Runnable {

    private static final PriorityConfig CONFIG =
            new PriorityConfig() {
                @Override
                public Duration fairShareInterval() {
                    return Duration.ofMillis(500);
                }

                @Override
                public Duration longestPause() {
                    return Duration.ofSeconds(5);
                }
            };

    private final PriorityLoop loop;
    private final Clocks clocks;

    public PriorityService(LogClients clients, Clocks clocks) {
        this.loop =
                new PriorityLoop(clients, new TopicDeclarations(1, 1, (short) 1), CONFIG, clocks);
        this.clocks = clocks;
    }

    /// Lives for ever.
    ///
    /// @throws RuntimeException what it should not meet with
    @Override
    public void run() {
        while (true) {
            try {
                loop.stand();
            } catch (KafkaException e) {
                clocks.sleep(500_000_000);
            }
        }
    }
}
