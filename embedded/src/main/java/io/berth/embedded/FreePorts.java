package io.berth.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/// Ports that nobody listens on at the moment of asking. They lie below those that the kernel gives
/// to outgoing connections (from 32768 on by default), which might take one before it is listened
/// on. Each process gives them from a range of its own, whose first port it holds until it ends: no
/// other is given one meanwhile, also when what listens there is being started anew.
public final class FreePorts {

    private static final int FIRST = 10_000;
    private static final int RANGES = 160;
    private static final int SIZE = 125;

    private static final class Ours {

        private static final FreePorts PORTS = claim(ThreadLocalRandom.current().nextInt(RANGES));
    }

    private final ServerSocket held;
    private int next = 1;

    private FreePorts(ServerSocket held) {
        this.held = held;
    }

    public static int next() {
        return nextOf(1);
    }

    /// The first of so many.
    public static int nextOf(int count) {
        return Ours.PORTS.consecutive(count);
    }

    /// Whether nobody listens on it.
    public static boolean isFree(int port) {
        try (var _ = listen(port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    /// The first range from this one on that is nobody's.
    static FreePorts claim(int range) {
        for (int i = 0; i < RANGES; i++) {
            try {
                return new FreePorts(listen(FIRST + (range + i) % RANGES * SIZE));
            } catch (IOException e) {
                // Somebody else's.
            }
        }
        throw new IllegalStateException(
                "no range of ports from %d to %d is free"
                        .formatted(FIRST, FIRST + RANGES * SIZE - 1));
    }

    synchronized int consecutive(int count) {
        for (int tries = 0; tries < SIZE; tries++) {
            int offset = next + count > SIZE ? 1 : next;
            int port = held.getLocalPort() + offset;
            if (IntStream.range(port, port + count).allMatch(FreePorts::isFree)) {
                next = offset + count;
                return port;
            }
            next = offset + 1;
        }
        throw new IllegalStateException(
                "no %d ports in a row are free from %d to %d"
                        .formatted(count, held.getLocalPort() + 1, held.getLocalPort() + SIZE - 1));
    }
}
