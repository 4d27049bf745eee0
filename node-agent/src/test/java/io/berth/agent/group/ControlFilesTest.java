package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlFilesTest {

    @TempDir Path folder;

    /// So that who stops an agent does not make the launch under way one that failed.
    @Test
    void a_thread_that_is_to_stop_writes_and_reads_settings_all_the_same() throws IOException {
        Path file = Files.createFile(folder.resolve("devices.allow"));
        boolean stillToStop;
        String read;

        Thread.currentThread().interrupt();
        try {
            ControlFiles.write(file, "");
            ControlFiles.writeAll(file, List.of("c 1:3 rw\n", "c 1:9 rw\n"));
            read = ControlFiles.read(file);
        } finally {
            stillToStop = Thread.interrupted();
        }

        assertThat(read).isEqualTo("c 1:3 rw\nc 1:9 rw");
        assertThat(stillToStop).isTrue();
    }
}
