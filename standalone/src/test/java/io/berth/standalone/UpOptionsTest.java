package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.standalone.mesh.CannotStart;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpOptionsTest {

    @Test
    void options_take_their_value_in_the_same_word_or_the_next() {
        UpOptions options =
                UpOptions.parse(List.of("--detach", "--virtual", "4xdgx-a100", "--home=/tmp/a=b"));

        assertThat(options.offer().virtual()).contains("4xdgx-a100");
        assertThat(options.home()).isEqualTo(Path.of("/tmp/a=b"));
    }

    @Test
    void the_profile_none_declares_no_gpus() {
        UpOptions options = UpOptions.parse(List.of("--gpu-profile", "none"));

        assertThat(options.offer().gpuProfile()).isEmpty();
        assertThat(options.offer().simulates()).isFalse();
    }

    @Test
    void an_unknown_option_is_named() {
        assertThatThrownBy(() -> UpOptions.parse(List.of("--detatch")))
                .isInstanceOf(CannotStart.class)
                .hasMessage("up does not know --detatch");
    }

    @Test
    void a_missing_value_is_named() {
        assertThatThrownBy(() -> UpOptions.parse(List.of("--virtual")))
                .isInstanceOf(CannotStart.class)
                .hasMessage("--virtual needs a value");
    }
}
