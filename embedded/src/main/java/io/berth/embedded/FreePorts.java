package io.berth.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
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

    private final ServerSocket held;
    private int next = 1;

    private FreePorts(ServerSocket held) {
        this.held = held;
    }

    private static final class Ours {

        private static final FreePorts PORTS = claim(ThreadLocalRandom.current().nextInt(RANGES));
    }

    public static int next() {
        return Ours.PORTS.consecutive(1);
    }

    /// The first of so many.
    public static int nextOf(int count) {
        return Ours.PORTS.consecutive(count);
    }

    /// The first range from this one on that is nobody's.
    static FreePorts claim(int range) {
        return IntStream.range(range, range + RANGES)
                .map(it -> FIRST + it % RANGES * SIZE)
                .mapToObj(FreePorts::listen)
                .flatMap(Optional::stream)
                .findFirst()
                .map(FreePorts::new)
                .orElseThrow(() ->
                        new IllegalStateException(
                                "no range of ports from %d to %d is free"
                                        .formatted(FIRST, FIRST + RANGES * SIZE - 1)));
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

    /// Whether nobody listens on it.
    public static boolean isFree(int port) {
        Optional<ServerSocket> socket = listen(port);
        try {
            if (socket.isPresent()) {
                socket.get().close();
            }
        } catch (IOException e) {
            return false;
        }
        return socket.isPresent();
    }

    private static Optional<ServerSocket> listen(int port) {
        try {
            var socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return Optional.of(socket);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
