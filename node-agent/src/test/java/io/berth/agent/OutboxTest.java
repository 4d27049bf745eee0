package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport;
import io.berth.log.Clocks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What is on its way into a log that answers when the test says so.
class OutboxTest {

    private record Write(RunReport report, CompletableFuture<Void> answer) {}

    private final ConcurrentLinkedQueue<Write> writes = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
    private final Outbox outbox =
            new Outbox(
                    "node1", reports -> reports.stream().map(this::write).toList(), Clocks.SYSTEM);

    private CompletableFuture<Void> write(RunReport report) {
        var write = new Write(report, new CompletableFuture<>());
        writes.add(write);
        return write.answer();
    }

    @BeforeEach
    void start() {
        outbox.start();
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    /// A report that says which it is by its suspension's number.
    private void report(int job, int nth) {
        outbox.add(
                (epoch, applied) ->
                        new RunReport.Suspended(
                                new RunId(new JobId(job), 1),
                                new NodeName("node1"),
                                epoch,
                                applied,
                                nth),
                () -> told.add(job + "/" + nth));
    }

    private List<String> written() {
        return writes.stream()
                .map(Write::report)
                .map(RunReport.Suspended.class::cast)
                .map(it -> it.run().job() + "/" + it.nth())
                .toList();
    }

    private void answer(int nth) {
        List.copyOf(writes).get(nth).answer().complete(null);
    }

    @Test
    void reports_of_different_runs_go_together_and_those_of_one_run_wait_for_one_another() {
        report(1, 1);
        report(2, 1);
        report(1, 2);
        report(3, 1);
        outbox.open(7);
        await().until(() -> written().size() == 2);

        answer(0);
        answer(1);

        await().until(() -> written().size() == 4);
        assertThat(written()).containsExactly("1/1", "2/1", "1/2", "3/1");
        assertThat(told).containsExactly("1/1", "2/1");
    }

    @Test
    void what_did_not_reach_the_log_is_written_again_and_nothing_else() throws Exception {
        report(1, 1);
        report(2, 1);
        outbox.open(7);
        await().until(() -> written().size() == 2);

        List.copyOf(writes).getFirst().answer().completeExceptionally(new IOException("away"));
        answer(1);

        await().until(() -> written().size() == 3);
        answer(2);
        assertThat(outbox.drain(Duration.ofSeconds(10))).isTrue();
        assertThat(written()).containsExactly("1/1", "2/1", "1/1");
    }

    @Test
    void what_fails_after_one_report_stops_no_other() throws Exception {
        outbox.add(
                (epoch, n) ->
                        new RunReport.Suspended(
                                new RunId(new JobId(1), 1), new NodeName("node1"), epoch, n, 1),
                () -> {
                    throw new StackOverflowError();
                });
        report(2, 1);
        report(2, 2);
        outbox.open(7);
        await().until(() -> written().size() == 2);

        answer(0);
        answer(1);

        await().until(() -> written().size() == 3);
        assertThat(told).containsExactly("2/1");
    }

    @Test
    void an_epoch_ends_when_nothing_is_on_its_way_any_more() throws Exception {
        report(1, 1);
        report(2, 1);
        outbox.open(7);
        await().until(() -> written().size() == 2);
        answer(0);

        boolean early = outbox.pause(Duration.ofMillis(50));
        answer(1);

        assertThat(early).isFalse();
        assertThat(outbox.pause(Duration.ofSeconds(10))).isTrue();
    }
}
