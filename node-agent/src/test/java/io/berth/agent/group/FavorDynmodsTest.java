package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FavorDynmodsTest {

    private static final String ROOT = "31 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n";
    private static final String VERSION_2 =
            "41 31 0:38 / /sys/fs/cgroup/unified ro,nosuid shared:4 - cgroup2 cgroup2 %s\n";

    @TempDir Path folder;

    private Path mounts = Path.of("");

    @BeforeEach
    void nameMounts() {
        mounts = folder.resolve("mountinfo");
    }

    private void mounted(String options) {
        try {
            Files.writeString(mounts, ROOT + VERSION_2.formatted(options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One that takes the options, or refuses a word with an error.
    private static final class Calls implements Kernel {

        final List<String> made = new ArrayList<>();
        final List<String> flags = new ArrayList<>();
        private final @Nullable String refused;
        private final int error;
        private final Runnable created;

        Calls(@Nullable String refused, int error, Runnable created) {
            this.refused = refused;
            this.error = error;
            this.created = created;
        }

        @Override
        public NativeLong syscall(NativeLong number, @Nullable Object... arguments) {
            made.add(number + " " + Arrays.toString(arguments));
            if (refused != null && Arrays.asList(arguments).contains(refused)) {
                throw new LastErrorException(error);
            }
            if (number.intValue() == 431 && Objects.equals(arguments[1], 0)) {
                flags.add(String.valueOf(arguments[2]));
            }
            if (number.intValue() == 431 && Objects.equals(arguments[1], 6)) {
                created.run();
            }
            return new NativeLong(number.intValue() == 430 ? 17 : 0);
        }

        @Override
        public int close(int file) {
            made.add("close " + file);
            return 0;
        }

        @Override
        public int open(String path, int flags) {
            throw new AssertionError(path);
        }

        @Override
        public int kill(int pid, int signal) {
            throw new AssertionError(pid);
        }
    }

    @Test
    void it_is_asked_for_and_what_was_asked_with_is_closed() throws Exception {
        mounted("rw");
        var kernel = new Calls(null, 0, () -> mounted("rw,favordynmods"));

        assertThat(FavorDynmods.set(kernel, mounts)).isEmpty();

        assertThat(kernel.made)
                .containsExactly(
                        "430 [cgroup2, 1]",
                        "431 [17, 0, favordynmods, null, 0]",
                        "431 [17, 6, null, null, 0]",
                        "close 17");
    }

    @Test
    void options_that_are_not_to_be_seen_are_not_taken_away() throws Exception {
        Files.writeString(mounts, ROOT);
        var kernel = new Calls(null, 0, () -> {});

        assertThat(FavorDynmods.set(kernel, mounts).orElse("")).contains("not mounted here");

        assertThat(kernel.made).isEmpty();
    }

    @Test
    void the_options_that_the_machine_has_are_kept() throws Exception {
        mounted("rw,nsdelegate,memory_recursiveprot");
        var kernel =
                new Calls(
                        null, 0, () -> mounted("rw,nsdelegate,favordynmods,memory_recursiveprot"));

        assertThat(FavorDynmods.set(kernel, mounts)).isEmpty();

        assertThat(kernel.flags)
                .containsExactly("nsdelegate", "memory_recursiveprot", "favordynmods");
    }

    @Test
    void where_it_is_set_nothing_is_asked() throws Exception {
        mounted("rw,nsdelegate,favordynmods");
        var kernel = new Calls(null, 0, () -> {});

        assertThat(FavorDynmods.set(kernel, mounts)).isEmpty();

        assertThat(kernel.made).isEmpty();
    }

    @Test
    void a_kernel_that_does_not_know_it_leaves_all_as_it_is() throws Exception {
        mounted("rw,nsdelegate");
        var kernel = new Calls("favordynmods", 22, () -> {});

        assertThat(FavorDynmods.set(kernel, mounts))
                .hasValue("the kernel refuses favordynmods: error 22");

        assertThat(kernel.made).contains("close 17").noneMatch(it -> it.contains("[17, 6,"));
    }

    @Test
    void without_the_right_to_mount_it_is_not_set() throws Exception {
        mounted("rw");
        var kernel = new Calls("cgroup2", 1, () -> {});

        assertThat(FavorDynmods.set(kernel, mounts))
                .hasValue("the kernel refuses cgroup2: error 1");

        assertThat(kernel.made).hasSize(1);
    }

    @Test
    void a_kernel_that_passes_over_it_is_noticed() throws Exception {
        mounted("rw,nsdelegate");
        var kernel = new Calls(null, 0, () -> {});

        assertThat(FavorDynmods.set(kernel, mounts).orElse("")).contains("cgroup namespace");
    }
}
