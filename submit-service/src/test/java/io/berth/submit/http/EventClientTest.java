package io.berth.submit.http;

import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.submit.feed.FeedEvent;
import io.berth.submit.feed.FeedPosition;
import io.berth.submit.feed.Following.Told;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.SseEventSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.resteasy.reactive.server.jaxrs.SseImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A client that wants to know of job 17 alone.
final class EventClientTest {

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 7);
    private final Lines lines = new Lines();
    private FeedPosition position = new FeedPosition(new TreeMap<>(Map.of(0, 40L)));
    private EventClient client;

    @BeforeEach
    void greet() throws Exception {
        client = new EventClient(lines, new SseImpl(), () -> position, clock::get);
    }

    private void after(int seconds, long... jobs) throws Exception {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
        var told = new ArrayList<Told>();
        for (long job : jobs) {
            var event = new FeedEvent(0, job, "Ended", new JobId(job), null, null, "" + job, 1);
            told.add(new Told(event, new FeedPosition(new TreeMap<>())));
        }
        client.tell(told, it -> it.job().value() == 17);
    }

    @Test
    void who_is_told_nothing_knows_all_the_same_where_to_go_on() throws Exception {
        assertThat(lines.ids).containsExactly("0:40");
        position = new FeedPosition(new TreeMap<>(Map.of(0, 41L)));
        after(10, 16);

        assertThat(lines.ids).containsExactly("0:40", "0:41");
    }

    @Test
    void who_is_told_nothing_hears_every_ten_seconds_that_the_connection_is_there()
            throws Exception {
        after(10);
        assertThat(lines.sent).containsExactly(":following", ":");
        after(9);
        after(1);

        assertThat(lines.sent).containsExactly(":following", ":", ":");
    }

    @Test
    void events_that_are_not_told_do_not_put_that_off() throws Exception {
        after(4, 16, 18);
        after(4, 16);
        assertThat(client.patience()).isEqualTo(Duration.ofSeconds(2));
        assertThat(lines.sent).containsExactly(":following");
        after(4, 18);

        assertThat(lines.sent).containsExactly(":following", ":");
        assertThat(client.patience()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void events_that_are_told_do() throws Exception {
        after(9, 16, 17);
        after(9, 18);

        assertThat(lines.sent).containsExactly(":following", "17");
        assertThat(client.patience()).isEqualTo(Duration.ofSeconds(1));
    }

    /// What was sent: of an event its data, of a comment `:` and its text.
    private static final class Lines implements SseEventSink {
        private final List<String> sent = new ArrayList<>();
        private final List<String> ids = new ArrayList<>();

        @Override
        public CompletionStage<?> send(OutboundSseEvent event) {
            ids.add(event.getId());
            sent.add(
                    event.getData() == null
                            ? ":" + requireNonNullElse(event.getComment(), "")
                            : event.getData().toString());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }
}
