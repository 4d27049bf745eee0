package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.berth.submit.TooBusy;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What an accounting service, which is the test, answers is passed on.
final class HistoryResourceTest {
    private static final int MOST = 4;

    private final HttpServer accounting;
    private final HistoryResource resource;
    private final HttpRequest request;

    HistoryResourceTest() throws IOException {
        accounting =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        var at = URI.create("http://127.0.0.1:" + accounting.getAddress().getPort());
        resource = new HistoryResource(at);
        request = HttpRequest.newBuilder(at).build();
    }

    @BeforeEach
    void start() {
        accounting.createContext(
                "/",
                exchange -> {
                    byte[] body = "{\"periods\":[]}".getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        accounting.start();
    }

    @AfterEach
    void stop() {
        resource.close();
        accounting.stop(0);
    }

    private Response ask() {
        return resource.answer(request, () -> {});
    }

    private static void write(Response answer, OutputStream out) throws IOException {
        ((StreamingOutput) answer.getEntity()).write(out);
    }

    @Test
    void as_many_are_passed_on_at_once_as_may_be() throws Exception {
        var answers = new ArrayList<Response>();
        for (int i = 0; i < MOST; i++) {
            answers.add(ask());
        }
        assertThatThrownBy(this::ask).isInstanceOf(TooBusy.class);

        var out = new ByteArrayOutputStream();
        write(answers.getFirst(), out);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("{\"periods\":[]}");
        assertThat(ask().getStatus()).isEqualTo(200);
        assertThatThrownBy(this::ask).isInstanceOf(TooBusy.class);
    }

    @Test
    void one_who_goes_or_is_not_answered_leaves_his_place() throws Exception {
        for (int i = 0; i <= MOST; i++) {
            Response answer = ask();
            assertThatThrownBy(() -> write(answer, new Gone())).isInstanceOf(IOException.class);
        }
        accounting.stop(0);
        for (int i = 0; i <= MOST; i++) {
            assertThatThrownBy(this::ask).isNotInstanceOf(TooBusy.class);
        }
    }

    private static final class Gone extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("broken pipe");
        }
    }
}
