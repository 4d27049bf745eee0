package io.berth.submit.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobArray.Ids;
import io.berth.log.EventWriter;
import io.berth.submit.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/// Blocks of a hundred ids, claimed in the log.
final class JobIdsTest {

    private final MockProducer<byte[], byte[]> log =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final AtomicLong highest = new AtomicLong();
    private final JobIds ids = new JobIds(new EventWriter(() -> log), 0, "gateway", highest::get);

    /// Ids that are there without waiting.
    private List<Ids> now(int count) {
        return ids.next(List.of(new JobIds.Wanted(count, false)), Deadline.in(Duration.ZERO))
                .getFirst();
    }

    private List<Ids> next(int count, boolean inARow) {
        return ids.next(
                        List.of(new JobIds.Wanted(count, inARow)),
                        Deadline.in(Duration.ofSeconds(10)))
                .getFirst();
    }

    /// Ids for which the log must acknowledge a claim.
    private List<Ids> claimed(int count) throws InterruptedException {
        return claimed(count, false);
    }

    private List<Ids> claimed(int count, boolean inARow) throws InterruptedException {
        var acknowledged =
                Thread.ofVirtual()
                        .start(() -> {
                            while (!log.completeNext()) {
                                Thread.onSpinWait();
                            }
                        });
        List<Ids> next = next(count, inARow);
        assertThat(acknowledged.join(Duration.ofSeconds(10))).isTrue();
        return next;
    }

    @Test
    void nobody_waits_for_the_next_block() throws InterruptedException {
        assertThat(claimed(40)).containsExactly(new Ids(1, 40));
        assertThat(log.history()).as("more than half a block is left").hasSize(1);

        assertThat(now(20)).containsExactly(new Ids(41, 60));
        assertThat(now(20)).containsExactly(new Ids(61, 80));
        assertThat(log.history()).as("one is claimed ahead, once").hasSize(2);

        log.completeNext();
        assertThat(now(60)).containsExactly(new Ids(81, 140));
        assertThat(log.history()).hasSize(2);
    }

    @Test
    void a_claim_ahead_that_failed_is_made_again() throws InterruptedException {
        claimed(80);
        log.errorNext(new TimeoutException("the log is away"));

        assertThat(claimed(30)).containsExactly(new Ids(81, 100), new Ids(201, 210));
    }

    @Test
    void a_block_that_was_claimed_ahead_is_good_though_others_went_on()
            throws InterruptedException {
        claimed(80);
        highest.set(5000);
        log.completeNext();

        assertThat(now(30)).containsExactly(new Ids(81, 110));
    }

    @Test
    void ids_in_a_row_leave_out_those_that_are_too_few() throws InterruptedException {
        assertThat(claimed(80, true)).containsExactly(new Ids(1, 80));
        log.errorNext(new TimeoutException("the log is away"));

        assertThat(claimed(30, true)).containsExactly(new Ids(201, 230));
    }

    @Test
    void blocks_below_a_known_job_are_skipped() {
        highest.set(250);

        var all =
                Thread.ofVirtual()
                        .start(() -> {
                            while (!Thread.currentThread().isInterrupted()) {
                                log.completeNext();
                            }
                        });
        List<Ids> next = next(2, false);
        all.interrupt();

        assertThat(next).allMatch(it -> it.first() > 250);
    }
}
