package io.berth.slurm.session;

import io.berth.slurm.session.Attempts.Patience;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// One end of a run that outlives its connection to the gateway: when that is lost it connects
/// anew, until the other end does so too, and goes on where it was. No frame is lost or comes
/// twice.
///
/// Each end counts the frames that it has taken, and says now and then how many: `at <n>`, which is
/// not counted. It keeps what it has sent until the other is known to have it; of that there is so
/// much at most, and who sends more waits. A new connection begins with `at <n>` by both, and then
/// comes what the other has not had. An end of an older version says no such thing: that one's run
/// ends with its connection. What others say [beside][Frame#beside] the two ends is not counted,
/// and may be lost with a connection.
public final class LastingLink extends FrameLink {

    /// So many bytes and frames are taken at most before the other end is told.
    private static final int TOLD_AFTER_BYTES = 128 << 10;

    private static final int TOLD_AFTER_FRAMES = 64;

    /// The ends of a step over several nodes wait so long for each other.
    public static final Duration OF_STEP = Duration.ofSeconds(15);

    /// The ends of a terminal's run do: one may come by a gateway that is back later.
    public static final Duration OF_TERMINAL = Duration.ofSeconds(60);

    private static final Duration AWAY = Duration.ofHours(1);

    /// How it comes to the gateway.
    interface Connector {
        /// @throws Over if it is not to be tried again
        /// @throws FrameSocket.Unknown if the gateway does not know the session
        FrameLink connect(Receiver receiver) throws IOException;
    }

    /// Where an end comes, and what it shows there.
    ///
    /// @param session its address (`ws://…/v1/sessions/<id>`)
    public record Place(URI session, String secret) {}

    /// How an end that lost its connection finds where to come again.
    public interface Return {
        /// The user's end opens the session there first.
        ///
        /// @throws Over if it is not to be tried again
        /// @throws IOException if the gateway does not answer, or has no room
        Place place() throws IOException;
    }

    /// There is nothing to come to any more.
    public static final class Over extends IOException {
        private static final long serialVersionUID = 1;

        public Over(String why) {
            super(why);
        }
    }

    private final Connector connector;
    private final Receiver receiver;
    private final InputWindow window;
    private final Patience patience;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    /// Held by who sends what is counted.
    private final Object sending = new Object();

    /// Held by who takes what has come.
    private final Object taking = new Object();

    // What follows is guarded by this.

    private final SentFrames sent = new SentFrames();
    private long taken;

    /// How many of those the other end knows of; it knows nothing at first.
    private long told = -1;

    private long untoldBytes;

    /// Whether the other end counts too.
    private boolean counted;

    /// Whether this end has said its last word, and whether the other one has.
    private boolean said;

    private boolean finished;

    private boolean over;

    /// Of the connections that there were.
    private int life;

    private @Nullable FrameLink connection;

    /// Whether the connection is as far as what was sent.
    private boolean there;

    /// How far the other end says that it is, on a new connection.
    private @Nullable CompletableFuture<Long> awaited;

    private LastingLink(
            Connector connector, Receiver receiver, InputWindow window, Patience patience) {
        super(window);
        this.connector = connector;
        this.receiver = receiver;
        this.window = window;
        this.patience = patience;
    }

    /// Connects as who starts a step on another node.
    ///
    /// @throws IOException if the session cannot be reached, or does not know the secret
    public static LastingLink starting(URI session, String secret, Receiver receiver)
            throws IOException {
        var place = new Place(session, secret);
        return connect(it -> come(place, it), receiver, patience(OF_STEP), false);
    }

    /// Connects as the end where something runs: the job's, or that of a step's further node. A
    /// gateway that is away is waited for, and one who has not opened the session again.
    ///
    /// @param other how long it waits for the other end, from when the gateway is there
    /// @throws IOException if the session cannot be reached, or does not know the secret
    public static LastingLink running(URI session, String secret, Duration other, Receiver receiver)
            throws IOException {
        var place = new Place(session, secret);
        return connect(it -> come(place, it), receiver, patience(other), true);
    }

    /// The same at a session to which each end comes once: the user's tells where both come again.
    ///
    /// @throws IOException if the session cannot be reached, or does not know the secret
    public static LastingLink told(Place first, Return again, Duration other, Receiver receiver)
            throws IOException {
        return connect(once(first, again), receiver, patience(other), true);
    }

    /// Connects as the user's end of an interactive run. As long as nothing has come from the job
    /// it waits, however long that takes.
    ///
    /// @param other how long it waits for a job's end that does not come again
    /// @throws IOException if the session cannot be reached, or does not know the secret
    public static LastingLink user(Place first, Return again, Duration other, Receiver receiver)
            throws IOException {
        return connect(once(first, again), receiver, patience(other), false);
    }

    private static Patience patience(Duration other) {
        return new Patience(AWAY, other);
    }

    private static FrameLink come(Place to, Receiver receiver) throws IOException {
        return FrameSocket.counting(to.session(), to.secret(), receiver);
    }

    /// Comes to one place, and when it has been there to others.
    private static Connector once(Place first, Return again) {
        var came = new AtomicBoolean();
        return receiver -> {
            if (came.get()) {
                return come(again.place(), receiver);
            }
            try {
                FrameLink connected = come(first, receiver);
                came.set(true);
                return connected;
            } catch (FrameSocket.Unknown e) {
                throw new Over(String.valueOf(e.getMessage()));
            }
        };
    }

    /// @param begins whether it is the one to say first that it counts, and to wait for the gateway
    static LastingLink connect(
            Connector connector, Receiver receiver, Patience patience, boolean begins)
            throws IOException {
        var link = new LastingLink(connector, receiver, new InputWindow(), patience);
        FrameLink first = link.first(begins);
        synchronized (link) {
            link.connection = first;
            link.there = true;
        }
        if (begins) {
            var unused = link.tell(first);
        }
        Thread.ofVirtual().start(() -> link.keep(first));
        return link;
    }

    private FrameLink first(boolean waits) throws IOException {
        var attempts = new Attempts(patience);
        while (true) {
            try {
                return connector.connect(frame -> take(frame, 0));
            } catch (Over e) {
                throw e;
            } catch (IOException e) {
                attempts.failed(e);
                if (!waits || !attempts.goOn()) {
                    throw e;
                }
            }
        }
    }

    private static boolean isExit(Frame frame) {
        return frame.channel() == Frame.Channel.CONTROL && frame.words().getFirst().equals("exit");
    }

    /// How many frames the other end has taken, if that is what it says; else -1.
    private static long count(Frame frame) {
        if (frame.channel() != Frame.Channel.CONTROL) {
            return -1;
        }
        List<String> words = frame.words();
        return words.size() == 2
                        && words.getFirst().equals("at")
                        && words.getLast().matches("\\d{1,18}")
                ? Long.parseLong(words.getLast())
                : -1;
    }

    /// @throws IOException if the run is over
    @Override
    public void send(Frame frame) throws IOException {
        // Without holding up who connects anew.
        await(() -> over || !lasts() || !sent.isMuch());
        synchronized (sending) {
            FrameLink to = kept(frame);
            if (to != null) {
                try {
                    to.send(frame);
                } catch (IOException e) {
                    if (!outlives()) {
                        throw e;
                    }
                }
            }
        }
    }

    /// Keeps a frame.
    ///
    /// @return where it is to be sent; null if the connection is away
    private synchronized @Nullable FrameLink kept(Frame frame) throws IOException {
        if (over) {
            throw new IOException("the connection to the other end is over");
        }
        said |= isExit(frame);
        sent.add(frame, counted);
        return there ? connection : null;
    }

    /// Whether the other end is known to go on with this one on a new connection.
    public synchronized boolean lasts() {
        return counted && sent.areThere();
    }

    /// Whether it outlives its connection: that may be before the other end has come.
    private synchronized boolean outlives() {
        return sent.areThere() && (counted || taken == 0);
    }

    /// Whether the connection is there, and as far as what was sent.
    public synchronized boolean isThere() {
        return there;
    }

    /// Waits until that is so.
    private synchronized void await(BooleanSupplier it) throws IOException {
        try {
            while (!it.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void take(Frame frame, int of) {
        synchronized (taking) {
            Frame said = frame.said();
            if (said != null) {
                receiver.take(said);
                return;
            }
            FrameLink answer;
            synchronized (this) {
                if (of != life) {
                    return;
                }
                long count = count(frame);
                if (count >= 0) {
                    know(count);
                    return;
                }
                if (awaited != null && !counted) {
                    // It does not say how far it is: one of an older version, and new here.
                    awaited.complete(0L);
                }
                taken++;
                untoldBytes += frame.payload().length;
                finished |= isExit(frame);
                answer = finished ? connection : null;
                notifyAll();
            }
            if (answer != null) {
                var unused = tell(answer);
            }
            if (!window.took(frame)) {
                receiver.take(frame);
            }
        }
    }

    private void know(long count) {
        counted = true;
        if (awaited == null) {
            sent.taken(count);
        } else {
            awaited.complete(count);
        }
        notifyAll();
    }

    /// Says how much was taken.
    ///
    /// @return whether that could be said
    private boolean tell(FrameLink to) {
        long count;
        synchronized (this) {
            count = taken;
        }
        try {
            to.send(Frame.control("at " + count));
        } catch (IOException e) {
            return false;
        }
        synchronized (this) {
            told = count;
            untoldBytes = 0;
        }
        return true;
    }

    /// Tells the other end what came, and connects anew, until it is over.
    private void keep(FrameLink first) {
        FrameLink now = first;
        String why = "";
        try {
            while (now != null) {
                var unused = now.closed().thenRun(this::stir);
                awaitEnd(now);
                why = now.closed().join();
                now = goesOn() ? connectedAnew() : null;
            }
        } catch (IOException e) {
            why = String.valueOf(e.getMessage());
        }
        synchronized (this) {
            over = true;
            notifyAll();
        }
        window.over();
        closed.complete(why);
    }

    private synchronized void stir() {
        notifyAll();
    }

    private void awaitEnd(FrameLink now) throws IOException {
        boolean tells = true;
        while (tells && !now.closed().isDone()) {
            await(() -> now.closed().isDone() || isDue());
            tells = tell(now);
        }
    }

    private boolean isDue() {
        return counted
                && (told < 0
                        || (finished && told < taken)
                        || untoldBytes >= TOLD_AFTER_BYTES
                        || taken - told >= TOLD_AFTER_FRAMES);
    }

    /// Whether the end of a connection is not the end of all.
    private synchronized boolean goesOn() {
        there = false;
        life++;
        return outlives() && !finished && !over;
    }

    /// The next connection, on which both ends are as far as each other; null if there is none.
    ///
    /// @throws Over if it is not to be tried any more
    private @Nullable FrameLink connectedAnew() throws Over {
        var attempts = new Attempts(patience);
        do {
            FrameLink next = null;
            try {
                var their = new CompletableFuture<Long>();
                int its;
                synchronized (this) {
                    if (over) {
                        return null;
                    }
                    its = ++life;
                    awaited = their;
                }
                next = connector.connect(frame -> take(frame, its));
                attempts.reached();
                long reached = reached(next, their);
                if (reached >= 0) {
                    sendAgain(next, reached);
                    return next;
                }
            } catch (Over e) {
                if (next != null) {
                    next.close();
                }
                throw e;
            } catch (IOException e) {
                attempts.failed(e);
            }
            if (next != null) {
                next.close();
            }
        } while (attempts.goOn());
        return null;
    }

    /// How far the other end is; -1 if it does not say so.
    private long reached(FrameLink next, CompletableFuture<Long> their) {
        var unusedWord = tell(next);
        var unused = next.closed().thenRun(() -> their.complete(-1L));
        var unusedEither =
                their.completeOnTimeout(-1L, patience.other().toMillis(), TimeUnit.MILLISECONDS);
        return their.join();
    }

    /// Sends what the other end has not had; from then on all goes that way.
    ///
    /// @throws Over if this end has not that any more
    private void sendAgain(FrameLink next, long reached) throws IOException {
        synchronized (sending) {
            List<Frame> again;
            synchronized (this) {
                awaited = null;
                if (!sent.taken(reached)) {
                    throw new Over("the other end is not the one that was here");
                }
                again = sent.rest();
            }
            for (Frame frame : again) {
                next.send(frame);
            }
            synchronized (this) {
                connection = next;
                there = true;
                notifyAll();
            }
        }
    }

    @Override
    public CompletableFuture<String> closed() {
        return closed;
    }

    @Override
    public void awaitThere() {
        try {
            await(() -> there || over);
        } catch (IOException e) {
            // The thread is to end.
        }
    }

    /// Once the other end has this one's last word, or will never have it.
    @Override
    public void close() {
        FrameLink last;
        synchronized (this) {
            try {
                await(() -> over || !lasts() || finished || !said || sent.areTaken());
            } catch (IOException e) {
                // The thread is to end.
            }
            over = true;
            last = connection;
            if (awaited != null) {
                awaited.complete(-1L);
            }
            notifyAll();
        }
        if (last != null) {
            last.close();
        }
    }
}
