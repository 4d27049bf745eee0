package io.berth.slurm.session;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The gateway's side of a session, as far as the runs need it that ahead-of-time caches are
/// recorded from: one connection, short messages.
///
/// Source: RFC 6455.
public final class TrainingGateway {
    private static final String WEBSOCKET = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final Pattern KEY = Pattern.compile("(?im)^Sec-WebSocket-Key: (.*?)\r?$");

    private static final int CLOSE = 8;
    private static final int MASK_BYTES = 4;
    private static final int TWO_BYTES_FOLLOW = 126;

    private final InputStream in;
    private final OutputStream out;

    /// Reads the head of a request.
    ///
    /// @return "" if there is no request any more
    public static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /// Answers the request that opened a connection.
    ///
    /// @param head of the request
    public TrainingGateway(String head, InputStream in, OutputStream out) throws IOException {
        this.in = in;
        this.out = out;
        Matcher key = KEY.matcher(head);
        if (!key.find()) {
            throw new IOException("no WebSocket is asked for");
        }
        String answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: "
                        + Base64.getEncoder().encodeToString(sha1(key.group(1) + WEBSOCKET))
                        + "\r\n\r\n";
        out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static byte[] sha1(String text) {
        try {
            return MessageDigest.getInstance("SHA-1")
                    .digest(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    /// @param frame shorter than 125 bytes
    public void send(Frame frame) throws IOException {
        ByteBuffer message = frame.message();
        var bytes = new byte[2 + message.remaining()];
        bytes[0] = (byte) 0x82;
        bytes[1] = (byte) message.remaining();
        message.get(bytes, 2, message.remaining());
        out.write(bytes);
    }

    /// Reads what the other end says until it closes the connection, and does so too.
    public void untilClosed() throws IOException {
        var said = new DataInputStream(in);
        int kind;
        do {
            kind = said.readByte() & 0x0f;
            int length = said.readByte() & 0x7f;
            if (length == TWO_BYTES_FOLLOW) {
                length = said.readUnsignedShort();
            }
            said.skipNBytes(MASK_BYTES + length);
        } while (kind != CLOSE);
        out.write(new byte[] {(byte) 0x88, 0});
    }
}
