package io.berth.client;

import io.berth.client.BerthException.NotAnswered;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The events of jobs as they come, without end: [#hasNext] waits for one, and is false only when
/// another thread has closed this. A connection that breaks, or is silent where the gateway should
/// give a sign of life, is made again and nothing is missed. An event of a type that this version
/// does not know is left out. Read by one thread.
public final class Events implements Iterator<Event>, AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(500);

    private final EventCodec<JobEvent> codec = new EventCodec<>(Topics.JOBS);
    private final Requests requests;
    private final String path;
    private @Nullable String position;
    private volatile @Nullable InputStream stream;
    private volatile boolean closed;
    private @Nullable BufferedReader lines;
    private @Nullable Event upcoming;

    Events(Requests requests, String path, @Nullable String after) {
        this.requests = requests;
        this.path = path;
        this.position = after;
        // Its greeting says where they begin.
        try {
            upcoming = read(connect());
        } catch (IOException e) {
            lines = null;
        }
    }

    @Override
    public boolean hasNext() {
        while (upcoming == null && !closed) {
            try {
                upcoming = read(lines == null ? connect() : lines);
            } catch (NotAnswered e) {
                if (!closed) {
                    throw e;
                }
            } catch (IOException e) {
                lines = null;
                if (!closed) {
                    requests.pause(PAUSE);
                }
            }
        }
        return upcoming != null;
    }

    @Override
    public Event next() {
        Event next = hasNext() ? upcoming : null;
        if (next == null) {
            throw new NoSuchElementException("the events are closed");
        }
        upcoming = null;
        return next;
    }

    private BufferedReader connect() {
        String last = position;
        InputStream opened =
                requests.stream(path, last == null ? List.of() : List.of("Last-Event-ID", last));
        stream = opened;
        if (closed) {
            shut(opened);
        }
        return lines = new BufferedReader(new InputStreamReader(opened, StandardCharsets.UTF_8));
    }

    /// What stands before the next empty line: an event, or nothing that is told on.
    ///
    /// @throws IOException if the connection ends
    private @Nullable Event read(BufferedReader from) throws IOException {
        String id = position;
        String type = "";
        var data = new StringBuilder();
        for (String line = line(from); !line.isEmpty(); line = line(from)) {
            int colon = line.indexOf(':');
            String name = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (name) {
                case "id" -> id = value;
                case "event" -> type = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                default -> {}
            }
        }
        position = id;
        return data.isEmpty() ? null : event(String.valueOf(id), type, data.toString());
    }

    private @Nullable Event event(String id, String type, String json) {
        try {
            return new Event(
                    id,
                    codec.event(
                            Topics.JOBS.name() + "/" + type,
                            json.getBytes(StandardCharsets.UTF_8)));
        } catch (UnknownEventType e) {
            return null;
        } catch (CorruptEvent e) {
            throw new BerthException(200, "", "what " + path + " told: " + e.getMessage());
        }
    }

    /// Silence for longer than an answer may take ends the connection.
    private String line(BufferedReader from) throws IOException {
        InputStream reading = stream;
        var read = new CompletableFuture<Void>();
        var unused =
                read.orTimeout(requests.timeout().toMillis(), TimeUnit.MILLISECONDS)
                        .exceptionally(_ -> {
                            shut(reading);
                            return null;
                        });
        try {
            String line = from.readLine();
            if (line == null) {
                throw new IOException("the events have ended");
            }
            return line;
        } finally {
            read.complete(null);
        }
    }

    private static void shut(@Nullable InputStream stream) {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        shut(stream);
    }
}
