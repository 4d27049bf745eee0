package io.berth.standalone.mesh;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/// What a service says of itself.
enum Health {
    READY,
    /// Not ready, or not heard.
    NOT_READY,
    /// Up, but beyond repair: only a new start can help.
    BROKEN;

    private static final int CONNECT_MILLIS = 250;
    private static final int READ_MILLIS = 1_000;

    /// Asks.
    interface Probe {
        Health ask();
    }

    /// Asks the health endpoints of a Quarkus service on that port.
    static Probe ofService(int port) {
        return () -> {
            try {
                if (answer(port, "ready") == HttpURLConnection.HTTP_OK) {
                    return READY;
                }
                return answer(port, "live") == HttpURLConnection.HTTP_UNAVAILABLE
                        ? BROKEN
                        : NOT_READY;
            } catch (IOException e) {
                return NOT_READY;
            }
        };
    }

    private static int answer(int port, String check) throws IOException {
        var address = URI.create("http://127.0.0.1:" + port + "/q/health/" + check).toURL();
        var connection = (HttpURLConnection) address.openConnection();
        try {
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(READ_MILLIS);
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
