package io.berth.slurm.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.slurm.session.Attempts.Patience;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameLink.Receiver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two ends at a gateway in memory, which loses all that is on its way when it is cut off.
class LastingLinkTest {
    private static final Patience PATIENCE =
            new Patience(Duration.ofMinutes(1), Duration.ofSeconds(1));

    private final Relay gateway = new Relay();

    @AfterEach
    void close() {
        gateway.cut(true);
        gateway.forgetful = true;
        gateway.cut(false);
    }

    /// A gateway with one session.
    private static final class Relay {
        private @Nullable Wire starting;
        private @Nullable Wire running;
        private boolean away;
        private volatile boolean forgetful;
        private volatile int came;

        synchronized Wire come(boolean starts, Receiver receiver) throws IOException {
            came++;
            if (forgetful) {
                throw new FrameSocket.Unknown(URI.create("ws://gateway"));
            }
            if (away) {
                throw new IOException("the gateway is away");
            }
            var wire = new Wire(this, receiver);
            if (starts) {
                starting = wire;
            } else {
                running = wire;
            }
            if (starting != null && running != null) {
                starting.meet(running);
                running.meet(starting);
            }
            return wire;
        }

        /// Somebody else says something to the end that runs.
        synchronized void sayBeside(Frame frame) {
            byte[] message = new byte[frame.message().remaining()];
            frame.message().get(message);
            Objects.requireNonNull(running)
                    .receiver
                    .take(Frame.read(ByteBuffer.wrap(Frame.beside(message))));
        }

        /// It goes away, or comes back.
        void cut(boolean now) {
            Wire first;
            Wire second;
            synchronized (this) {
                away = now;
                first = starting;
                second = running;
                starting = null;
                running = null;
            }
            if (first != null) {
                first.end();
            }
            if (second != null) {
                second.end();
            }
        }
    }

    /// A connection of one end.
    private static final class Wire extends FrameLink {
        private final Relay gateway;
        private final BlockingQueue<Frame> sent = new LinkedBlockingQueue<>();
        private final Receiver receiver;
        private final CompletableFuture<String> closed = new CompletableFuture<>();

        Wire(Relay gateway, Receiver receiver) {
            super(new InputWindow());
            this.gateway = gateway;
            this.receiver = receiver;
        }

        void meet(Wire other) {
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            while (!closed.isDone()) {
                                Frame next = sent.poll(10, TimeUnit.MILLISECONDS);
                                // So slowly that some are on their way when it is cut off.
                                TimeUnit.MICROSECONDS.sleep(200);
                                if (next != null && !closed.isDone()) {
                                    other.receiver.take(next);
                                }
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
        }

        void end() {
            closed.complete("");
        }

        @Override
        public void send(Frame frame) throws IOException {
            if (closed.isDone()) {
                throw new IOException("closed");
            }
            sent.add(frame);
        }

        @Override
        public CompletableFuture<String> closed() {
            return closed;
        }

        @Override
        public void close() {
            gateway.cut(false);
        }
    }

    private LastingLink end(boolean starts, Receiver receiver) throws IOException {
        return LastingLink.connect(it -> gateway.come(starts, it), receiver, PATIENCE, !starts);
    }

    private static String text(Frame frame) {
        return new String(frame.payload(), UTF_8);
    }

    private static Frame output(String text) {
        return new Frame(Channel.OUTPUT, text.getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatever_is_cut_off_all_comes_once_and_in_its_order(long seed) throws Exception {
        var random = new Random(seed);
        Queue<String> there = new ConcurrentLinkedQueue<>();
        Queue<String> back = new ConcurrentLinkedQueue<>();
        LastingLink starting = end(true, it -> back.add(text(it)));
        LastingLink running = end(false, it -> there.add(text(it)));
        await().until(() -> starting.lasts() && running.lasts());
        List<String> all = IntStream.range(0, 3_000).mapToObj(String::valueOf).toList();

        Thread one = sendAll(starting, all);
        Thread two = sendAll(running, all);
        for (int cut = 0; cut < 5; cut++) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
            gateway.cut(true);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
            gateway.cut(false);
        }

        assertThat(there.size()).as("what came before the last was cut off").isLessThan(all.size());
        assertThat(one.join(Duration.ofSeconds(60)) && two.join(Duration.ofSeconds(60))).isTrue();
        await().until(() -> there.size() >= all.size() && back.size() >= all.size());
        assertThat(there).containsExactlyElementsOf(all);
        assertThat(back).containsExactlyElementsOf(all);
    }

    private static Thread sendAll(LastingLink link, List<String> texts) {
        return Thread.ofVirtual()
                .start(() -> {
                    try {
                        for (String text : texts) {
                            link.send(output(text));
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Test
    void who_sends_more_than_may_be_on_its_way_waits_for_the_gateway() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        LastingLink running = end(false, _ -> {});
        await().until(() -> starting.lasts() && running.lasts());
        gateway.cut(true);
        var much = new byte[4 * SentFrames.MUCH];

        var sent =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                running.sendAll(Channel.OUTPUT, new ByteArrayInputStream(much));
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        },
                        Thread::startVirtualThread);

        assertThatThrownBy(() -> sent.get(1, TimeUnit.SECONDS))
                .isInstanceOf(TimeoutException.class);
        gateway.cut(false);
        sent.get(30, TimeUnit.SECONDS);
        await().until(() ->
                taken.stream().mapToInt(it -> it.payload().length).sum() == much.length);
    }

    @Test
    void the_last_word_comes_though_the_gateway_was_away_when_it_was_said() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        LastingLink running = end(false, _ -> {});
        await().until(() -> starting.lasts() && running.lasts());
        gateway.cut(true);

        running.send(Frame.control("exit 3"));
        var closing = CompletableFuture.runAsync(running::close, Thread::startVirtualThread);
        assertThatThrownBy(() -> closing.get(500, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        gateway.cut(false);

        assertThat(text(taken.take())).isEqualTo("exit 3");
        closing.get(20, TimeUnit.SECONDS);
        starting.closed().get(20, TimeUnit.SECONDS);
    }

    @Test
    void who_is_alone_at_the_gateway_does_not_wait_for_ever() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        // Of the other end nothing comes after its first connection.
        Wire other = gateway.come(false, _ -> {});
        other.send(Frame.control("at 0"));
        other.send(output("a"));
        taken.take();

        gateway.cut(false);

        starting.closed().get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> starting.send(output("b"))).isInstanceOf(IOException.class);
    }

    @Test
    void an_end_of_an_older_version_ends_with_its_connection() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        Wire other = gateway.come(false, _ -> {});
        other.send(output("a"));
        taken.take();

        gateway.cut(false);

        starting.closed().get(20, TimeUnit.SECONDS);
        assertThat(gateway.came).as("nobody comes again").isEqualTo(2);
    }

    @Test
    void a_session_that_the_gateway_does_not_know_any_more_is_over() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        LastingLink running = end(false, _ -> {});
        await().until(() -> starting.lasts() && running.lasts());

        gateway.forgetful = true;
        gateway.cut(false);

        starting.closed().get(20, TimeUnit.SECONDS);
        running.closed().get(20, TimeUnit.SECONDS);
    }

    @Test
    void what_is_said_beside_the_two_ends_is_heard_and_not_counted() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, _ -> {});
        LastingLink running = end(false, taken::add);
        await().until(() -> starting.lasts() && running.lasts());
        starting.send(output("a"));
        assertThat(text(taken.take())).isEqualTo("a");
        gateway.sayBeside(output("said"));
        assertThat(text(taken.take())).isEqualTo("said");

        gateway.cut(false);
        starting.send(output("b"));

        assertThat(text(taken.take())).isEqualTo("b");
        assertThat(taken).isEmpty();
    }

    @Test
    void who_waits_for_the_other_end_comes_again_before_that_is_there() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, _ -> {});
        starting.send(output("a"));

        gateway.cut(true);
        starting.send(output("b"));
        gateway.cut(false);
        await().until(() -> gateway.came >= 2);
        starting.send(output("c"));
        LastingLink running = end(false, taken::add);

        assertThat(List.of(text(taken.take()), text(taken.take()), text(taken.take())))
                .containsExactly("a", "b", "c");
        assertThat(running.isThere()).isTrue();
        await().until(starting::isThere);
    }

    @Test
    void an_end_of_an_older_version_may_come_after_the_gateway_was_away() throws Exception {
        var taken = new LinkedBlockingQueue<Frame>();
        var there = new LinkedBlockingQueue<Frame>();
        LastingLink starting = end(true, taken::add);
        starting.send(output("a"));
        gateway.cut(false);
        await().until(() -> gateway.came >= 2);

        Wire other = gateway.come(false, there::add);
        other.send(output("b"));

        assertThat(text(taken.take())).isEqualTo("b");
        await().until(() -> there.stream().anyMatch(it -> text(it).equals("a")));
    }

    @Test
    void a_job_that_begins_while_the_gateway_is_away_waits_for_it() throws Exception {
        gateway.cut(true);
        var came = CompletableFuture.supplyAsync(() -> uncheckedEnd(), Thread::startVirtualThread);
        await().until(() -> gateway.came >= 2);

        gateway.cut(false);

        came.get(20, TimeUnit.SECONDS);
    }

    private LastingLink uncheckedEnd() {
        try {
            return end(false, _ -> {});
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void another_job_in_the_place_of_the_first_is_not_the_other_end() throws Exception {
        LastingLink starting = end(true, _ -> {});
        LastingLink running = end(false, _ -> {});
        await().until(() -> starting.lasts() && running.lasts());
        // So much that the first is known to have come.
        starting.sendAll(Channel.OUTPUT, new ByteArrayInputStream(new byte[2 * SentFrames.MUCH]));

        gateway.cut(true);
        running.close();
        gateway.cut(false);

        end(false, _ -> {});
        assertThat(starting.closed().get(20, TimeUnit.SECONDS)).contains("not the one");
    }

    @Test
    void a_terminals_session_is_opened_again_by_its_user() throws Exception {
        var patience = new Patience(Duration.ofMinutes(1), Duration.ofSeconds(10));
        var taken = new LinkedBlockingQueue<Frame>();
        LastingLink user =
                LastingLink.connect(
                        it -> {
                            gateway.forgetful = false;
                            return gateway.come(true, it);
                        },
                        _ -> {},
                        patience,
                        false);
        LastingLink job =
                LastingLink.connect(it -> gateway.come(false, it), taken::add, patience, true);
        await().until(() -> user.lasts() && job.lasts());

        gateway.forgetful = true;
        gateway.cut(false);
        user.send(output("a"));

        assertThat(text(taken.take())).isEqualTo("a");
    }
}
