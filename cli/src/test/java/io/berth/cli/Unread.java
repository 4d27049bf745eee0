package io.berth.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// A pipe whose reader has gone.
final class Unread extends OutputStream {

    private Unread() {}

    static PrintStream stream() {
        return new PrintStream(new Unread(), false, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int b) throws IOException {
        throw new IOException("Broken pipe");
    }
}
