package io.berth.submit.feed;

import io.berth.submit.feed.JobFeed.News;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// One client's way through the events. Used by one thread.
public final class Following implements AutoCloseable {

    /// An event and its id, the position after it.
    public record Told(FeedEvent event, FeedPosition id) {}

    private final JobFeed feed;
    private FeedPosition position;
    private long sequence;

    Following(JobFeed feed, FeedPosition position) {
        this.feed = feed;
        this.position = position;
    }

    /// Where it is: what stands below is told, or was not there to be told.
    public FeedPosition position() {
        return position;
    }

    /// The next events; there may be none, at the latest when that much time has passed. What a
    /// slow client missed is read from the log again, as far as the log goes back.
    ///
    /// @throws io.berth.submit.Unavailable if the log cannot be read
    public List<Told> next(Duration patience) throws InterruptedException {
        News news = feed.after(position, sequence, patience);
        sequence = news.sequence();
        var told = new ArrayList<Told>();
        for (FeedEvent event : news.events()) {
            position = position.with(event.cell(), event.offset() + 1);
            told.add(new Told(event, position));
        }
        for (var end : news.readTo().entrySet()) {
            position = position.with(end.getKey(), end.getValue());
        }
        return told;
    }

    @Override
    public void close() {
        feed.left();
    }
}
