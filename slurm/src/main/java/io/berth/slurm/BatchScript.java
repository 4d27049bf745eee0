package io.berth.slurm;

import io.berth.contracts.JobSpec;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A batch script that may be submitted: it names its interpreter, has UNIX line ends and is at
/// most 4 MiB long.
public final class BatchScript {

    private final String text;

    private BatchScript(String text) {
        this.text = text;
    }

    /// The script of these bytes.
    ///
    /// @throws InvalidOption if they are not UTF-8, or for what [#of(String)] refuses
    public static BatchScript of(byte[] utf8) throws InvalidOption {
        checkSize(utf8.length);
        try {
            return of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
        } catch (CharacterCodingException e) {
            throw InvalidOption.script("Batch script is not UTF-8 text.");
        }
    }

    /// The script of this text.
    ///
    /// @throws InvalidOption with code `invalid_script` or `script_too_large`
    public static BatchScript of(String text) throws InvalidOption {
        checkSize(utf8Length(text));
        if (text.isEmpty()) {
            throw InvalidOption.script("Batch script is empty!");
        }
        if (text.isBlank()) {
            throw InvalidOption.script("Batch script contains only whitespace!");
        }
        if (!text.startsWith("#!")) {
            throw InvalidOption.script(
                    """
                    This does not look like a batch script.  The first
                    line must start with #! followed by the path to an interpreter.
                    For instance: #!/bin/sh\
                    """);
        }
        if (text.indexOf('\0') >= 0) {
            throw InvalidOption.script(
                    "The Slurm controller does not allow scripts that\n"
                            + "contain a NULL character '\\0'.");
        }
        if (text.contains("\r\n")) {
            throw InvalidOption.script(
                    "Batch script contains DOS line breaks (\\r\\n)\n"
                            + "instead of expected UNIX line breaks (\\n).");
        }
        return new BatchScript(text);
    }

    /// The script that runs one command line with the shell: `sbatch --wrap`.
    public static BatchScript wrap(String command) throws InvalidOption {
        return of("#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" + command + "\n");
    }

    public String text() {
        return text;
    }

    /// The words of all lines that begin with `marker`, such as `#SBATCH`, before the first
    /// command. Quotes and backslashes are understood; `#` at a word's start ends the line.
    ///
    /// @throws InvalidOption if a quote is not closed
    public List<String> directives(String marker) throws InvalidOption {
        var words = new ArrayList<String>();
        int number = 0;
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf('\n', start);
            String line = text.substring(start, end < 0 ? text.length() : end);
            number++;
            if (line.startsWith(marker)) {
                new DirectiveWords(line, marker.length(), number).addTo(words);
            } else if (isCommand(line)) {
                break;
            }
            start += line.length() + 1;
        }
        return words;
    }

    private static boolean isCommand(String line) {
        String stripped = line.strip();
        return !stripped.isEmpty() && stripped.charAt(0) != '#';
    }

    private static void checkSize(long bytes) throws InvalidOption {
        if (bytes > JobSpec.MAX_SCRIPT_BYTES) {
            throw InvalidOption.tooLarge(
                    "Batch script has "
                            + bytes
                            + " bytes, more than the "
                            + JobSpec.MAX_SCRIPT_BYTES
                            + " that are allowed.");
        }
    }

    private static long utf8Length(String text) {
        long length = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                length += Character.isSurrogate(c) || c < 0x800 ? 1 : 2;
            }
        }
        return length;
    }

    /// One directive line taken apart into words.
    private static final class DirectiveWords {

        private final String line;
        private final int lineNumber;
        private int at;

        DirectiveWords(String line, int start, int lineNumber) {
            this.line = line;
            this.at = start;
            this.lineNumber = lineNumber;
        }

        void addTo(List<String> words) throws InvalidOption {
            while (true) {
                while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
                    at++;
                }
                if (at == line.length() || line.charAt(at) == '#') {
                    return;
                }
                words.add(word());
            }
        }

        private String word() throws InvalidOption {
            var word = new StringBuilder();
            char quote = 0;
            for (; at < line.length(); at++) {
                char c = line.charAt(at);
                if (c == '\\' && quote != '\'' && at + 1 < line.length()) {
                    word.append(line.charAt(++at));
                } else if (quote != 0 && c == quote) {
                    quote = 0;
                } else if (quote == 0 && (c == '"' || c == '\'')) {
                    quote = c;
                } else if (quote == 0 && Character.isWhitespace(c)) {
                    break;
                } else {
                    word.append(c);
                }
            }
            if (quote != 0) {
                throw InvalidOption.refused(
                        "line " + lineNumber + ": Unmatched `" + quote + "` in [" + line + "]");
            }
            return word.toString();
        }
    }
}
