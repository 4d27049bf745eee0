package io.berth.slurm.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
        Thread reader =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> {
                            try {
                                reading.complete(input.read());
                            } catch (IOException e) {
                                reading.completeExceptionally(e);
                            }
                        });
        assertThat(reading).isNotDone();

        input.close();

        assertThat(reader.join(Duration.ofSeconds(20))).isTrue();
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
