package io.berth.submit.http;

import io.berth.submit.feed.FeedEvent;
import io.berth.submit.feed.FeedPosition;
import io.berth.submit.feed.Following.Told;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// A client that is told events as they come. Used by one thread.
final class EventClient {

    /// It is sent a line at least so often, so that a broken connection is noticed on both sides.
    static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);

    /// A client that takes no byte for so long is cut off.
    private static final long CLIENT_SECONDS = 30;

    private final SseEventSink sink;
    private final Sse sse;
    private final Supplier<FeedPosition> position;
    private final LongSupplier clock;
    private long sentAt;

    /// Greets the client.
    ///
    /// @param position up to which there is nothing to tell it
    /// @param clock nanoseconds
    EventClient(SseEventSink sink, Sse sse, Supplier<FeedPosition> position, LongSupplier clock)
            throws ClientGone {
        this.sink = sink;
        this.sse = sse;
        this.position = position;
        this.clock = clock;
        comment("following");
    }

    /// How long it may wait for what there is to tell; nothing or less if it has waited too long.
    Duration patience() {
        return SIGN_OF_LIFE.minusNanos(clock.getAsLong() - sentAt);
    }

    /// Tells it those of the events that it is to know of; or that the connection is there, if it
    /// was told nothing for so long.
    void tell(List<Told> events, Predicate<FeedEvent> admitted) throws ClientGone {
        for (Told it : events) {
            if (admitted.test(it.event())) {
                send(event(it));
            }
        }
        if (!patience().isPositive()) {
            comment("");
        }
    }

    /// It carries an id, so that a client that was told nothing knows where to go on too.
    private void comment(String text) throws ClientGone {
        send(sse.newEventBuilder().id(position.get().toString()).comment(text).build());
    }

    private OutboundSseEvent event(Told told) {
        return sse.newEventBuilder()
                .id(told.id().toString())
                .name(told.event().type())
                .mediaType(MediaType.TEXT_PLAIN_TYPE)
                .data(told.event().json())
                .build();
    }

    private void send(OutboundSseEvent event) throws ClientGone {
        try {
            sink.send(event)
                    .toCompletableFuture()
                    .orTimeout(CLIENT_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException | IllegalStateException e) {
            throw new ClientGone(e);
        }
        sentAt = clock.getAsLong();
    }

    /// It takes nothing any more.
    static final class ClientGone extends Exception {
        private static final long serialVersionUID = 1;

        ClientGone(Throwable cause) {
            super(cause);
        }
    }
}
