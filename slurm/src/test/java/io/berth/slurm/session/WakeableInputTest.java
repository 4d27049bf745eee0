package io.berth.slurm.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WakeableInputTest {

    @TempDir Path folder;

    @Test
    void one_who_waits_for_more_is_woken_by_its_end() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        var input =
                new WakeableInput(
                        FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE));
        Files.writeString(pipe, "ab");
        assertThat(input.read()).isEqualTo('a');
        assertThat(input.read()).isEqualTo('b');
        var reading = new CompletableFuture<Integer>();
        Thread reader = Thread.ofPlatform().daemon().start(() -> complete(reading, input));
        await().until(() -> Stream.of(reader.getStackTrace()).anyMatch(it -> it.isNativeMethod()));

        input.close();

        assertThat(reader.join(Duration.ofSeconds(20))).isTrue();
        assertThat(reading).isCompletedExceptionally();
    }

    private static void complete(CompletableFuture<Integer> reading, WakeableInput input) {
        try {
            reading.complete(input.read());
        } catch (IOException | IllegalStateException e) {
            reading.completeExceptionally(e);
        }
    }

    @Test
    void a_virtual_thread_is_not_let_in_as_it_could_not_be_woken() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "some");
        var reading = new CompletableFuture<Integer>();

        try (var input = new WakeableInput(FileChannel.open(file))) {
            Thread.ofVirtual().start(() -> complete(reading, input)).join();
        }

        assertThat(reading).isCompletedExceptionally();
    }

    @Test
    void all_is_read_to_the_end() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "some\u00e9\u20ac");

        try (var input = new WakeableInput(FileChannel.open(file))) {
            assertThat(input.readAllBytes()).isEqualTo("some\u00e9\u20ac".getBytes(UTF_8));
            assertThat(input.read()).isEqualTo(-1);
        }
    }
}
