package io.berth.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Ports that nobody listens on at the moment of asking. They lie below those that the kernel gives
/// to outgoing connections (from 32768 on by default), which might take one before it is listened
/// on; and no process is given one twice in a row.
public final class FreePorts {

    private static final int FIRST = 10_000;
    private static final int COUNT = 20_000;

    /// Prime to their number, and above that of consecutive ports that a mesh takes from one on.
    private static final int STRIDE = 97;

    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private FreePorts() {}

    public static int next() {
        for (int i = 0; i < COUNT; i++) {
            int port = FIRST + Math.floorMod(NEXT.getAndAdd(STRIDE), COUNT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException(
                "no port from %d to %d is free".formatted(FIRST, FIRST + COUNT - 1));
    }

    /// Whether nobody listens on it.
    public static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
