package io.berth.agent.launch;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// A file that a script writes, read under the script's account by a process of its own, a look at
/// a time.
public final class OutputReading implements AutoCloseable {

    private static final int LONGEST_LINE = 8192;

    private final Process process;
    private final InputStream told;
    private final OutputStream asks;

    /// @param process that runs `read-output.sh`
    OutputReading(Process process) {
        this.process = process;
        this.told = new BufferedInputStream(process.getInputStream());
        this.asks = process.getOutputStream();
    }

    /// What a look found: the bytes from one place of the file to another, which are read with
    /// [#read] before the next look.
    public record Found(long from, long to) {}

    /// Looks at what has come since the last look.
    ///
    /// @throws LaunchRefused if the account cannot read the file
    public Found look() throws IOException, LaunchRefused {
        asks.write('\n');
        asks.flush();
        String line = line();
        if (line.startsWith("refused ")) {
            throw new LaunchRefused(line.substring("refused ".length()));
        }
        String[] words = line.split(" ", 2);
        try {
            return new Found(Long.parseLong(words[0]), Long.parseLong(words[1]));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("the file's reader said '" + line + "'", e);
        }
    }

    /// Reads so many of the bytes that were found.
    public byte[] read(int count) throws IOException {
        byte[] bytes = told.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the file's reader ended");
        }
        return bytes;
    }

    private String line() throws IOException {
        var bytes = new byte[LONGEST_LINE];
        int length = 0;
        for (int next = told.read(); next != '\n'; next = told.read()) {
            if (next < 0 || length == LONGEST_LINE) {
                throw new EOFException("the file's reader ended");
            }
            bytes[length++] = (byte) next;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
