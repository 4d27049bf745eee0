package io.berth.accounting;

import io.berth.accounting.db.Books;
import io.berth.contracts.Spending;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.contracts.topic.Topics;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.Member;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Publishes what still counts of everybody's usage: at intervals, and soon after a run was placed
/// or has ended. A member whose usage does nothing but decay is not published again: readers decay
/// it themselves.
@ApplicationScoped
public class SharesLoop {

    private static final Logger LOG = Logger.getLogger(SharesLoop.class);

    /// What ends within this time is published together.
    private static final long GATHER_MILLIS = 250;

    /// Rounding differences, in millionths of a billing second or in milliseconds, are no news.
    private static final long NO_NEWS = 16;

    private final Books books;
    private final KafkaConnection kafka;
    private final AccountingConfig config;
    private final ClusterConfiguration configuration;
    private final Events<Usage> events = new Events<>(Topics.SHARES, "accounting-service");
    private final Semaphore wanted = new Semaphore(0);
    private final Map<Member, Usage> published = new HashMap<>();
    private volatile boolean open;
    private volatile boolean stopping;
    private boolean failing;
    private @Nullable Thread thread;

    public SharesLoop(
            Books books,
            KafkaConnection kafka,
            AccountingConfig config,
            ClusterConfiguration configuration) {
        this.books = books;
        this.kafka = kafka;
        this.config = config;
        this.configuration = configuration;
    }

    public synchronized void start() {
        if (thread == null) {
            stopping = false;
            thread = Thread.ofPlatform().name("shares").start(this::run);
        }
    }

    public synchronized void stop() {
        if (thread != null) {
            stopping = true;
            wanted.release();
            Threads.end(thread);
            thread = null;
        }
    }

    /// The books are open: publish from now on.
    void open() {
        open = true;
        soon();
    }

    /// Usage has changed: publish it before the interval is over.
    public void soon() {
        wanted.release();
    }

    private void run() {
        try (var writer = new EventWriter(kafka::producer)) {
            while (!stopping) {
                if (wanted.tryAcquire(config.sharesInterval().toMillis(), TimeUnit.MILLISECONDS)) {
                    Thread.sleep(GATHER_MILLIS);
                    wanted.drainPermits();
                }
                publish(writer);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void publish(EventWriter writer) {
        if (!open) {
            return;
        }
        Decay decay = configuration.decay();
        try {
            List<Usage> news =
                    books.usage(decay, Clock.systemUTC().millis()).stream()
                            .filter(it -> isNews(published.get(member(it)), it, decay))
                            .toList();
            var written = new ArrayList<CompletableFuture<?>>();
            for (Usage usage : news) {
                String id = usage.account() + "/" + usage.user() + "/" + usage.asOf();
                written.add(writer.write(events.record(0, usage, id)));
            }
            written.forEach(CompletableFuture::join);
            news.forEach(it -> published.put(member(it), it));
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warnf("Usage is not published now: %s", Causes.words(e));
            }
            failing = true;
        }
    }

    /// Whether readers that decay what was published before, if anything was, have another usage.
    static boolean isNews(@Nullable Usage before, Usage usage, Decay decay) {
        if (before == null || !whole(before).equals(whole(usage))) {
            return true;
        }
        long left = decay.left(before.billingMicros(), before.asOf(), usage.asOf());
        return Math.abs(left - usage.billingMicros()) > NO_NEWS
                || IntStream.range(0, usage.spent().size())
                        .anyMatch(i -> wasReset(before, usage, i, decay));
    }

    /// Without prices only what counts of budgets tells it.
    private static boolean wasReset(Usage before, Usage usage, int part, Decay decay) {
        Spending left = decay.left(before.spent().get(part).counts(), before.asOf(), usage.asOf());
        long counts = usage.spent().get(part).counts().wallMillis();
        return Math.abs(left.wallMillis() - counts) > NO_NEWS;
    }

    private static List<Spending> whole(Usage usage) {
        return usage.spent().stream().map(Spent::whole).toList();
    }

    private static Member member(Usage usage) {
        return new Member(usage.account(), usage.user());
    }
}
