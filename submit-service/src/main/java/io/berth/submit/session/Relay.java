package io.berth.submit.session;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketBase;

/// What one end of a connection says, handed on to another, not faster than that one takes it.
final class Relay {
    /// Ends of connections that say none in particular.
    private static final int FIRST_RESERVED = 1005;

    private static final int LAST_RESERVED = 1006;

    private Relay() {}

    /// @throws IllegalStateException if the other is closed
    static void pass(Buffer message, WebSocketBase from, WebSocketBase to) {
        var unused = to.writeBinaryMessage(message);
        if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(_ -> from.resume());
            // Each connection has a thread of its own: it may have drained just before.
            if (!to.writeQueueFull()) {
                from.resume();
            }
        }
    }

    /// Brings one who came to this gateway to the one that knows his session. Signs of life are
    /// that one's.
    ///
    /// @param far paused
    static void begin(ServerWebSocket near, WebSocket far) {
        near.pause();
        near.binaryMessageHandler(it -> hand(it, near, far));
        far.binaryMessageHandler(it -> hand(it, far, near));
        far.frameHandler(it -> {
            if (it.isPing()) {
                Session.ping(near);
            }
        });
        near.closeHandler(_ -> far.close());
        near.exceptionHandler(_ -> far.close());
        far.closeHandler(_ -> leave(near, far));
        far.exceptionHandler(_ -> leave(near, far));
        far.resume();
        near.resume();
    }

    private static void hand(Buffer message, WebSocketBase from, WebSocketBase to) {
        try {
            pass(message, from, to);
        } catch (IllegalStateException e) {
            // It was closed meanwhile, and closes the other.
            var unused = from.close();
        }
    }

    private static void leave(ServerWebSocket near, WebSocket far) {
        Short status = far.closeStatusCode();
        String why = far.closeReason();
        boolean tells = status != null && (status < FIRST_RESERVED || status > LAST_RESERVED);
        Session.close(near, tells ? status : Session.GONE, why == null ? "" : why);
    }
}
