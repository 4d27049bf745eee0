package io.berth.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/// The file of a [Lease], which shims look at.
record LeaseFile(Path file) implements Lease.Kept {

    @Override
    public OptionalLong read() throws IOException {
        return Files.exists(file)
                ? OptionalLong.of(Long.parseLong(Files.readString(file).strip()))
                : OptionalLong.empty();
    }

    /// In place and always as long, so that a full disk does not keep it from being renewed.
    @Override
    public void write(long until) throws IOException {
        byte[] text = "%020d\n".formatted(until).getBytes(StandardCharsets.US_ASCII);
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text), 0);
        }
    }

    @Override
    public void remove() throws IOException {
        Files.deleteIfExists(file);
    }
}
