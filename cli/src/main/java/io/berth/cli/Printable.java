package io.berth.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// What a job wrote, for a terminal that it must not steer: control characters are shown as their
/// pictures (␛), those that turn the direction of text as ⍰, what is no UTF-8 as �. Colours are
/// left out, and a carriage return is a new line.
final class Printable extends OutputStream {
    private static final int PICTURES = 0x2400;
    private static final char DELETE = 0x7f;
    private static final char PICTURE_OF_DELETE = '␡';
    private static final char ESCAPE = 0x1b;

    /// A sequence of a colour is no longer.
    private static final int LONGEST_COLOUR = 32;

    private final CharsetDecoder decoder =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final PrintStream out;
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private final StringBuilder colour = new StringBuilder();
    private boolean returned;

    Printable(PrintStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        ByteBuffer all = ByteBuffer.allocate(rest.remaining() + length);
        all.put(rest).put(bytes, offset, length).flip();
        decode(all, false);
    }

    private void decode(ByteBuffer bytes, boolean last) {
        CharBuffer chars = CharBuffer.allocate(bytes.remaining() + 1);
        var unused = decoder.decode(bytes, chars, last);
        rest = bytes.slice();
        var shown = new StringBuilder();
        chars.flip().chars().forEach(c -> show((char) c, shown));
        out.print(shown);
    }

    private void show(char c, StringBuilder shown) {
        if (!colour.isEmpty()) {
            inColour(c, shown);
            return;
        }
        boolean afterReturn = returned;
        returned = c == '\r';
        switch (c) {
            case ESCAPE -> colour.append(c);
            case '\r' -> shown.append('\n');
            case '\n' -> shown.append(afterReturn ? "" : "\n");
            case '\t' -> shown.append(c);
            case DELETE -> shown.append(PICTURE_OF_DELETE);
            default -> shown.append(c < ' ' ? (char) (PICTURES + c) : steers(c) ? '⍰' : c);
        }
    }

    /// `ESC [ 0;31 m` is nothing; anything else is shown from its beginning on.
    private void inColour(char c, StringBuilder shown) {
        if (c == 'm' && colour.length() > 1) {
            colour.setLength(0);
        } else if (colour.length() < LONGEST_COLOUR
                && (colour.length() == 1 ? c == '[' : c == ';' || (c >= '0' && c <= '9'))) {
            colour.append(c);
        } else {
            giveUp(shown);
            show(c, shown);
        }
    }

    private void giveUp(StringBuilder shown) {
        shown.append(colour.toString().replace(ESCAPE, (char) (PICTURES + ESCAPE)));
        colour.setLength(0);
    }

    /// A value that stands in a line with others: all of it that would end the line, steer the
    /// terminal or turn the direction of text is shown as a picture.
    static String of(String value) {
        if (value.chars().noneMatch(c -> steers((char) c))) {
            return value;
        }
        var shown = new StringBuilder();
        value.chars()
                .forEach(c ->
                        shown.append(
                                c < ' '
                                        ? (char) (PICTURES + c)
                                        : c == DELETE
                                                ? PICTURE_OF_DELETE
                                                : steers((char) c) ? '⍰' : (char) c));
        return shown.toString();
    }

    private static boolean steers(char c) {
        return Character.isISOControl(c)
                || c == '\u200e'
                || c == '\u200f'
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }

    @Override
    public void flush() {
        out.flush();
    }

    /// Shows what was begun and will not be ended.
    @Override
    public void close() throws IOException {
        decode(rest, true);
        var shown = new StringBuilder();
        giveUp(shown);
        out.print(shown);
        out.flush();
    }
}
