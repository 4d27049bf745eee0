package io.berth.core.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ChecksumTest {

    @Test
    void it_is_the_same_for_the_same_pieces_and_another_for_pieces_cut_elsewhere() {
        assertThat(of("ab", "c")).isEqualTo(of("ab", "c"));
        assertThat(of("ab", "c")).isNotEqualTo(of("a", "bc")).isNotEqualTo(of("abc", ""));
        assertThat(of("ab", "c")).isNotEqualTo(of("c", "ab"));
        assertThat(of("ab", "")).isNotEqualTo(of("ab"));
    }

    /// Each half alone tells it, too: both are kept.
    @Test
    void it_tells_every_changed_bit() {
        var random = new Random(1);
        var bytes = new byte[700];
        random.nextBytes(bytes);
        long whole = new Checksum().add(bytes).value();

        var others = new ArrayList<Long>();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            others.add(new Checksum().add(bytes).value());
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
        }

        assertThat(others)
                .doesNotHaveDuplicates()
                .allSatisfy(it -> {
                    assertThat(it >>> 32).isNotEqualTo(whole >>> 32);
                    assertThat(it.intValue()).isNotEqualTo((int) whole);
                });
    }

    private static long of(String... texts) {
        var checksum = new Checksum();
        for (String text : texts) {
            checksum.add(text);
        }
        return checksum.value();
    }
}
