package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.berth.contracts.JobSpec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BatchScriptTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "''|Batch script is empty!",
                "' \\n'|Batch script contains only whitespace!",
                "'echo\\n'|This does not look like a batch script.  The first",
                "'#!/bin/sh\\r\\n'|Batch script contains DOS line breaks (\\r\\n)",
                "'#!/bin/sh\\0'|The Slurm controller does not allow scripts that"
            })
    void a_text_that_is_no_script_is_refused_in_slurms_words(String text, String firstLine) {
        String script = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\0", "\0");

        InvalidOption refusal =
                catchThrowableOfType(InvalidOption.class, () -> BatchScript.of(script));

        assertThat(refusal.getMessage().lines().findFirst()).hasValue(firstLine);
        assertThat(refusal.code()).isEqualTo("invalid_script");
        assertThat(refusal.exitCode()).isEqualTo(1);
    }

    @Test
    void the_largest_script_is_taken_and_one_byte_more_is_not() throws InvalidOption {
        String largest = "#!/bin/sh\n# é" + "x".repeat(JobSpec.MAX_SCRIPT_BYTES - 14);

        assertThat(BatchScript.of(largest).text().getBytes(StandardCharsets.UTF_8))
                .hasSize(JobSpec.MAX_SCRIPT_BYTES);
        InvalidOption refusal =
                catchThrowableOfType(InvalidOption.class, () -> BatchScript.of(largest + "x"));
        assertThat(refusal.code()).isEqualTo("script_too_large");
    }

    @Test
    void bytes_that_are_not_utf8_are_refused() {
        byte[] latin1 = "#!/bin/sh\n# é\n".getBytes(StandardCharsets.ISO_8859_1);

        InvalidOption refusal =
                catchThrowableOfType(InvalidOption.class, () -> BatchScript.of(latin1));

        assertThat(refusal).hasMessage("Batch script is not UTF-8 text.");
    }

    @Test
    void directives_end_at_the_first_command() throws InvalidOption {
        var script = BatchScript.of("#!/bin/sh\n\n#SBATCH -a\n  # x\n#SBATCH -b\nls\n#SBATCH -c");

        assertThat(script.directives("#SBATCH")).containsExactly("-a", "-b");
    }

    @Test
    void a_wrapped_command_becomes_a_shell_script() throws InvalidOption {
        assertThat(BatchScript.wrap("hostname").text())
                .startsWith("#!/bin/sh\n")
                .endsWith("\nhostname\n");
    }
}
