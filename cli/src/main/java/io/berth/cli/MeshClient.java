package io.berth.cli;

import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.client.Mesh;
import io.berth.slurm.session.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The HTTP client of one command: the JDK's old one, which is there sooner than that of
/// [io.berth.client.Berth].
final class MeshClient {

    /// The byte with which an answer of bytes begins.
    private static final String OFFSET = "Berth-Output-Offset";

    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
    private static final int READ_TIMEOUT_MILLIS = 30_000;
    private static final int SUBMISSION_TIMEOUT_MILLIS = 12_000;

    private final String command;
    private final Mesh mesh;
    private volatile Token token;

    private MeshClient(String command, Mesh mesh, Token token) {
        this.command = command;
        this.mesh = mesh;
        this.token = token;
    }

    static MeshClient of(Terminal terminal, String command) throws CommandFailure {
        Mesh mesh = Mesh.of(terminal.surroundings());
        if (!mesh.plain().isEmpty() && terminal.variable("BERTH_PLAIN_HTTP", "").isEmpty()) {
            throw CommandFailure.error(command, Mesh.refusal(mesh.plain()));
        }
        return new MeshClient(command, mesh, Token.of(terminal, command));
    }

    /// No answer: whether the request had an effect is not known.
    static final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1;

        NoAnswer(String url, IOException cause) {
            super(
                    "no answer from %s (%s)".formatted(url.replaceFirst("\\?.*", ""), why(cause)),
                    cause);
        }

        /// The message, and what may be wrong.
        String hint() {
            return getMessage() + ": is the mesh up? ('berth up')";
        }

        /// Whether the request did not even begin.
        boolean nothingDone() {
            return getCause() instanceof ConnectException;
        }

        private static String why(IOException cause) {
            return switch (cause) {
                case ConnectException _ -> "connection refused";
                case SocketTimeoutException _ -> "timed out";
                case UnknownHostException _ -> "unknown host";
                default -> cause.toString();
            };
        }
    }

    /// Where the gateway has a WebSocket.
    URI socket(String path) {
        return URI.create(mesh.gateway().replaceFirst("^http", "ws") + path);
    }

    Mesh mesh() {
        return mesh;
    }

    Token token() {
        return token;
    }

    /// What the gateway holds under this path.
    ///
    /// @throws CommandFailure if it does not answer with a success
    JsonObject get(String path) throws CommandFailure {
        return success(mesh.gateway() + path);
    }

    JsonObject accounting(String path) throws CommandFailure {
        return success(mesh.accounting() + path);
    }

    /// The accounting service's answer to a request with a body, whatever it is.
    ///
    /// @param headers names and values in turn
    /// @throws CommandFailure if there is none
    Answer accounting(String method, String path, String body, List<String> headers)
            throws CommandFailure {
        return ask(method, mesh.accounting() + path, body, headers);
    }

    private JsonObject success(String url) throws CommandFailure {
        Answer answer = ask("GET", url, null, List.of());
        if (!answer.ok()) {
            throw CommandFailure.error(command, answer.detail());
        }
        return answer.body();
    }

    /// The gateway's answer, whatever it is.
    ///
    /// @throws CommandFailure if there is none
    Answer ask(String method, String path) throws CommandFailure {
        return ask(method, mesh.gateway() + path, null, List.of());
    }

    /// The gateway's answer to a request with a body of JSON.
    ///
    /// @throws CommandFailure if there is none
    Answer ask(String method, String path, String body) throws CommandFailure {
        return ask(method, mesh.gateway() + path, body, List.of());
    }

    private Answer ask(String method, String url, @Nullable String body, List<String> headers)
            throws CommandFailure {
        try {
            return exchange(method, url, body, headers);
        } catch (NoAnswer e) {
            throw CommandFailure.error(command, e.hint());
        }
    }

    /// Sends a request to the gateway once.
    ///
    /// @param headers names and values in turn
    Answer send(String method, String path, @Nullable String body, List<String> headers)
            throws NoAnswer {
        return exchange(method, mesh.gateway() + path, body, headers);
    }

    /// Sends a submission once. Its answer is waited for a little longer than a gateway takes at
    /// most that does not stand still, so that there is time to send it again.
    ///
    /// @param headers names and values in turn
    Answer submit(String body, List<String> headers) throws NoAnswer {
        return exchange(
                "POST", mesh.gateway() + "/v1/jobs", body, headers, SUBMISSION_TIMEOUT_MILLIS);
    }

    /// Takes bytes as they come.
    interface Bytes {
        /// @param from the place of the first one
        void take(long from, InputStream bytes) throws IOException;
    }

    /// Reads bytes that the gateway sends for as long as it likes, with silence in between.
    ///
    /// @return the answer, without a body if it is a success
    /// @throws NoAnswer if it is cut off, or is silent for long
    Answer stream(String path, Bytes to) throws NoAnswer {
        Answer answer = streamOnce(mesh.gateway() + path, to);
        return renewed(answer) ? streamOnce(mesh.gateway() + path, to) : answer;
    }

    private Answer streamOnce(String url, Bytes to) throws NoAnswer {
        try {
            HttpURLConnection connection =
                    open(
                            "GET",
                            url,
                            "application/octet-stream, application/problem+json",
                            READ_TIMEOUT_MILLIS);
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                return answer(connection);
            }
            try (InputStream in = connection.getInputStream()) {
                to.take(connection.getHeaderFieldLong(OFFSET, 0), in);
            }
            return new Answer(HttpURLConnection.HTTP_OK, JsonObject.EMPTY, null);
        } catch (IOException e) {
            throw new NoAnswer(url, e);
        }
    }

    /// Tells the job's end of a session something, as the one who holds the user's end.
    Answer tell(String path, String secret, Frame frame) throws NoAnswer {
        String body = Base64.getEncoder().encodeToString(frame.message().array());
        return send(
                "POST", path, JsonText.compact(Map.of("secret", secret, "frame", body)), List.of());
    }

    /// Asks once more with a new token if the old one has expired and there is where to get one:
    /// nothing was done then.
    private Answer exchange(String method, String url, @Nullable String body, List<String> headers)
            throws NoAnswer {
        return exchange(method, url, body, headers, READ_TIMEOUT_MILLIS);
    }

    private Answer exchange(
            String method, String url, @Nullable String body, List<String> headers, int readMillis)
            throws NoAnswer {
        Answer answer = exchangeOnce(method, url, body, headers, readMillis);
        return renewed(answer) ? exchangeOnce(method, url, body, headers, readMillis) : answer;
    }

    /// Whether there is a new token where the old one has expired.
    private boolean renewed(Answer answer) {
        Path socket = token.socket();
        if (answer.status() != HttpURLConnection.HTTP_UNAUTHORIZED || socket == null) {
            return false;
        }
        try {
            token = Token.ofSocket(socket, command);
            return true;
        } catch (CommandFailure e) {
            return false;
        }
    }

    /// Not in streaming mode, in which the JDK turns an answer of 401 into an exception.
    private Answer exchangeOnce(
            String method, String url, @Nullable String body, List<String> headers, int readMillis)
            throws NoAnswer {
        try {
            HttpURLConnection connection =
                    open(method, url, "application/json, application/problem+json", readMillis);
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
            }
            for (int i = 0; i < headers.size(); i += 2) {
                connection.setRequestProperty(headers.get(i), headers.get(i + 1));
            }
            if (body != null) {
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(bytes);
                }
            }
            return answer(connection);
        } catch (IOException e) {
            throw new NoAnswer(url, e);
        }
    }

    private HttpURLConnection open(String method, String url, String accept, int readMillis)
            throws IOException {
        var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(CONNECT_TIMEOUT_MILLIS);
        connection.setReadTimeout(readMillis);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Authorization", "Bearer " + token.text());
        connection.setRequestProperty("Accept", accept);
        return connection;
    }

    private static Answer answer(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            byte[] bytes = in == null ? new byte[0] : in.readAllBytes();
            return Answer.of(status, bytes, connection.getHeaderField(Answer.POSITION));
        }
    }
}
