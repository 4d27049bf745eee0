package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilenamePatternTest {

    private static final FilenamePattern PATTERN =
            new FilenamePattern(new JobId(128), "train", "alice", "gpu03.example.org", 1, null);

    @ParameterizedTest
    @CsvSource({
        "slurm-%j.out,slurm-128.out",
        "%A_%a,128_4294967294",
        "%J,128",
        "%x-%u-%N-%n-%t,train-alice-gpu03-1-0",
        "%5j,00128",
        "%12n,0000000001",
        "%999999999999n,0000000001",
        "%003n,001",
        "%3x,train",
        "100%%,100%",
        "%%j,%j",
        "%q%j,%q128",
        "%,%",
        "a%5,a%5",
        "/abs/%j,/abs/128",
        "plain,plain"
    })
    void expands_as_slurm_does(String pattern, String name) {
        assertThat(PATTERN.expand(pattern)).isEqualTo(name);
    }

    @Test
    void a_backslash_turns_expansion_off() {
        assertThat(PATTERN.expand("\\%j.out")).isEqualTo("%j.out");
    }
}
