package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArrayTextTest {

    @Test
    void indices_may_repeat() throws InvalidOption {
        assertThat(ArrayText.parse("0-65535,,7,0-65534")).isEqualTo(ArrayText.parse("0-65535"));
        assertThat(ArrayText.parse("1,1,1-3:2")).isEqualTo(ArrayText.parse("1,3"));
    }

    @Test
    void a_text_that_names_the_same_again_and_again_is_none() {
        assertThatThrownBy(() -> ArrayText.parse("0-65535,".repeat(1_000_000)))
                .hasMessageContaining("Invalid job array specification");
        assertThatThrownBy(() -> ArrayText.parse("0-65535:2,".repeat(5)))
                .hasMessageContaining("Invalid job array specification");
        assertThatThrownBy(() -> ArrayText.parse("7,".repeat(ArrayText.MOST_NAMED + 1)))
                .hasMessageContaining("Invalid job array specification");
    }
}
