package io.berth.submit.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A mail server that takes everything and keeps it, but for mail to `refused@lab`, for ever, and
/// to `later@lab`, for now.
///
/// Source: RFC 5321, the commands that are needed for one mail after another.
public final class FakeSmtp implements Closeable {

    private final ServerSocket server;
    private final List<String> mails = new CopyOnWriteArrayList<>();

    FakeSmtp() throws IOException {
        server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /// What came: the commands `MAIL` and `RCPT`, headers and body, with folded lines in one.
    List<String> mails() {
        return mails;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> talk(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void talk(Socket client) {
        try (client;
                var lines =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
                OutputStream answers = client.getOutputStream()) {
            answer(answers, "220 here");
            var mail = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String command = line.split("[ :]")[0];
                switch (command) {
                    case "MAIL", "RCPT" -> {
                        mail.append(line).append('\n');
                        answer(
                                answers,
                                line.contains("<refused@lab>")
                                        ? "550 nobody"
                                        : line.contains("<later@lab>") ? "451 later" : "250 yes");
                    }
                    case "RSET" -> {
                        mail.setLength(0);
                        answer(answers, "250 yes");
                    }
                    case "DATA" -> {
                        answer(answers, "354 go on");
                        String text = lines.readLine();
                        while (text != null && !text.equals(".")) {
                            mail.append(text).append('\n');
                            text = lines.readLine();
                        }
                        mails.add(mail.toString().replaceAll("\n[ \t]+", " "));
                        mail.setLength(0);
                        answer(answers, "250 kept");
                    }
                    case "QUIT" -> {
                        answer(answers, "221 bye");
                        return;
                    }
                    default -> answer(answers, "250 yes");
                }
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    private static void answer(OutputStream to, String line) throws IOException {
        to.write((line + "\r\n").getBytes(UTF_8));
        to.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
