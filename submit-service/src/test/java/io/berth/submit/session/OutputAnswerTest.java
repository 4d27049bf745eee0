package io.berth.submit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Who reads an answer, and who does not any more.
final class OutputAnswerTest {
    private final AtomicInteger ended = new AtomicInteger();
    private final OutputAnswer answer = new OutputAnswer(() -> {});

    OutputAnswerTest() {
        answer.endsWith(ended::incrementAndGet);
    }

    private void told(String text) {
        var frame = new Frame(Channel.OUTPUT, text.getBytes(StandardCharsets.UTF_8));
        answer.take(Buffer.buffer(frame.message().array()));
    }

    private void after(int seconds) {
        answer.look(System.nanoTime() + Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void one_who_has_left_before_it_begins_is_not_read_for() {
        answer.bytes(() -> true).subscribe().withSubscriber(AssertSubscriber.create(1));

        assertThat(ended).hasValue(1);
    }

    @Test
    void one_who_never_comes_for_it_is_cut_off() {
        answer.take(Buffer.buffer(Frame.control("output 0").message().array()));

        after(20);
        assertThat(ended).hasValue(0);
        after(40);
        assertThat(ended).hasValue(1);
    }

    @Test
    void one_who_takes_nothing_for_long_is_cut_off() {
        answer.bytes(() -> false).subscribe().withSubscriber(AssertSubscriber.create(1));
        told("there");

        after(20);
        assertThat(ended).hasValue(0);
        after(40);
        assertThat(ended).hasValue(1);
    }

    @Test
    void one_who_has_taken_all_may_wait_for_more() {
        var reader = AssertSubscriber.<byte[]>create(1);
        answer.bytes(() -> false).subscribe().withSubscriber(reader);
        after(4000);
        told("there");
        reader.request(1);

        after(4000);

        assertThat(ended).hasValue(0);
    }
}
