package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {

    /// What is shown of the bytes, written so many at a time.
    private static String shown(byte[] bytes, int piece) throws IOException {
        var screen = new ByteArrayOutputStream();
        try (var printable = new Printable(new PrintStream(screen, true, StandardCharsets.UTF_8))) {
            for (int from = 0; from < bytes.length; from += piece) {
                printable.write(bytes, from, Math.min(piece, bytes.length - from));
            }
        }
        return screen.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    gr\\303\\266\\303\\237e \\t ok\\n | größe \\t ok\\n
                    \\033[1;31mred\\033[0m | red
                    \\033[2J\\033]0;t\\7   | ␛[2J␛]0;t␇
                    10 %\\r20 %\\r\\nend   | 10 %\\n20 %\\nend
                    a\\0b\\177            | a␀b␡
                    \\033[1              | ␛[1
                    \\033\\033[mx         | ␛x
                    \\342\\200\\256evil    | ⍰evil
                    \\302\\233m           | ⍰m
                    """)
    void nothing_steers_the_terminal_however_it_is_cut(String written, String expected)
            throws IOException {
        // Octal escapes stand for bytes.
        byte[] bytes = written.translateEscapes().getBytes(StandardCharsets.ISO_8859_1);
        for (int piece = 1; piece <= bytes.length; piece++) {
            assertThat(shown(bytes, piece)).isEqualTo(expected.translateEscapes());
        }
    }

    @Test
    void what_is_no_utf8_is_a_mark() throws IOException {
        assertThat(shown(new byte[] {'a', (byte) 0xff, 'b', (byte) 0xc3}, 1)).isEqualTo("a�b�");
    }
}
