package io.berth.submit.session;

import io.berth.slurm.session.FrameSocket;
import io.berth.submit.SubmitConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.net.SocketAddress;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The other gateways of the mesh. What lives in the memory of one of them, a session or an agent
/// that waits for steps, is asked of all by one that does not know it: so that whoever comes may
/// come to any.
///
/// A gateway that is asked so asks no other. Where several know, the first counts.
@Singleton
public final class Peers {

    /// The header of what another gateway asks.
    static final String PASSED_ON = "Berth-Passed-On";

    private static final Duration CONNECT = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(5);

    /// No message of a session is larger.
    private static final int MOST_BYTES = 4 << 20;

    /// An answer has an address and a secret in it.
    private static final int MOST_ANSWER = 64 << 10;

    /// So many questions are under way at most: each goes to all.
    private static final int MOST_QUESTIONS = 64;

    private static final int TOO_MANY = 429;

    private final Vertx vertx;
    private final List<URI> urls;
    private final @Nullable Clients clients;
    private final AtomicInteger questions = new AtomicInteger();

    /// By which others are asked.
    private record Clients(HttpClient http, WebSocketClient sockets, DnsNameResolver names) {

        static Clients of(Vertx vertx) {
            int connect = (int) CONNECT.toMillis();
            return new Clients(
                    vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(connect)),
                    vertx.createWebSocketClient(
                            new WebSocketClientOptions()
                                    .setConnectTimeout(connect)
                                    .setMaxConnections(Integer.MAX_VALUE)
                                    .setMaxFrameSize(MOST_BYTES)
                                    .setMaxMessageSize(MOST_BYTES)),
                    resolver(((VertxInternal) vertx).getEventLoopGroup().next()));
        }
    }

    Peers(Vertx vertx, SubmitConfig config) {
        this.vertx = vertx;
        this.urls = config.peers().orElse(List.of());
        urls.forEach(Peers::check);
        // Most gateways start alone, and fast.
        this.clients = urls.isEmpty() ? null : Clients.of(vertx);
    }

    private static void check(URI url) {
        if (url.getHost() == null || !String.valueOf(url.getScheme()).matches("https?")) {
            throw new IllegalArgumentException(
                    "berth.submit.peers: '%s' is no address such as http://submit-peers:7600"
                            .formatted(url));
        }
    }

    /// The JDK remembers for half a minute who is behind a name: too long for one that came.
    private static DnsNameResolver resolver(EventLoop loop) {
        return new DnsNameResolverBuilder(loop)
                .datagramChannelType(NioDatagramChannel.class)
                .ttl(0, 1)
                .negativeTtl(0)
                .queryTimeoutMillis(CONNECT.toMillis())
                .build();
    }

    @PreDestroy
    void close() {
        if (clients != null) {
            clients.names().close();
        }
    }

    private Clients clients() {
        return Objects.requireNonNull(clients);
    }

    /// Whether it is another gateway that asks.
    public static boolean isPassedOn(HttpServerRequest request) {
        return request.headers().contains(PASSED_ON);
    }

    /// A connection to the one that lets who asks this one for a WebSocket come to that path; it
    /// fails if none does.
    Future<WebSocket> connect(HttpServerRequest request) {
        return first(
                request,
                (Peer peer, Predicate<WebSocket> wins) -> {
                    var to = new WebSocketConnectOptions();
                    address(to, peer, request);
                    copy(request, FrameSocket.COUNTS, to);
                    return clients()
                            .sockets()
                            .connect(to)
                            .onSuccess(it -> {
                                it.pause();
                                if (!wins.test(it)) {
                                    var unused = it.close();
                                }
                            });
                });
    }

    /// What another gateway answered.
    record Reply(int status, String body) {}

    /// The same as [#ask], for those who may wait.
    public Optional<Response> answer(HttpServerRequest request, byte[] body) {
        return ask(request, Buffer.buffer(body))
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .map(it ->
                        Response.status(it.status())
                                .type(
                                        it.status() < 400
                                                ? "application/json"
                                                : "application/problem+json")
                                .entity(it.body())
                                .build());
    }

    /// The answer of one that can say something to what this one was asked and does not know; empty
    /// if none can, or none is to be asked.
    Future<Optional<Reply>> ask(HttpServerRequest request, Buffer body) {
        return first(
                        request,
                        (Peer peer, Predicate<Reply> wins) ->
                                send(peer, request, body)
                                        .onSuccess(it -> {
                                            if (it.status() / 100 == 2 || it.status() == TOO_MANY) {
                                                var unused = wins.test(it);
                                            }
                                        }))
                .map(Optional::of)
                .otherwise(Optional.empty());
    }

    private Future<Reply> send(Peer peer, HttpServerRequest request, Buffer body) {
        RequestOptions to = new RequestOptions().setMethod(request.method());
        address(to, peer, request);
        copy(request, HttpHeaders.CONTENT_TYPE.toString(), to);
        return clients()
                .http()
                .request(to)
                .compose(it -> it.send(body))
                .compose(answer -> {
                    if (length(answer.getHeader(HttpHeaders.CONTENT_LENGTH)) > MOST_ANSWER) {
                        return Future.failedFuture("an answer is longer than it should be");
                    }
                    return answer.body().map(it -> new Reply(answer.statusCode(), it.toString()));
                });
    }

    private static long length(@Nullable String header) {
        return header != null && header.matches("\\d{1,9}") ? Long.parseLong(header) : 0;
    }

    private static void address(RequestOptions to, Peer peer, HttpServerRequest request) {
        boolean tls = peer.url().getScheme().equals("https");
        to.setHost(peer.url().getHost())
                .setServer(SocketAddress.inetSocketAddress(port(peer.url(), tls), peer.ip()))
                .setSsl(tls)
                .setURI(request.path())
                .setTimeout(ANSWER.toMillis());
        to.addHeader(PASSED_ON, "yes");
        copy(request, HttpHeaders.AUTHORIZATION.toString(), to);
    }

    private static int port(URI url, boolean tls) {
        return url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
    }

    private static void copy(HttpServerRequest from, String header, RequestOptions to) {
        String value = from.getHeader(header);
        if (value != null) {
            to.addHeader(header, value);
        }
    }

    /// How one is asked.
    private interface Question<T> {

        /// @param wins takes what it says, and tells whether that is the first; it is asked nothing
        ///   where the peer does not know
        Future<?> ask(Peer peer, Predicate<T> wins);
    }

    /// What the first says that knows; it fails if none does.
    private <T> Future<T> first(HttpServerRequest request, Question<T> question) {
        if (urls.isEmpty() || isPassedOn(request)) {
            return Future.failedFuture("no other gateway is to be asked");
        }
        if (questions.incrementAndGet() > MOST_QUESTIONS) {
            questions.decrementAndGet();
            return Future.failedFuture("too much is asked of other gateways");
        }
        // Both ends of what is connected are then one thread's: nothing comes before it is awaited.
        Context own = vertx.getOrCreateContext();
        var found = Promise.<T>promise();
        var unused =
                peers().onComplete(
                                all -> own.runOnContext(_ -> ask(question, all.result(), found)));
        return found.future();
    }

    private <T> void ask(Question<T> question, List<Peer> all, Promise<T> found) {
        List<Future<?>> asked = new ArrayList<>();
        all.forEach(it -> asked.add(question.ask(it, found::tryComplete)));
        var unused =
                (asked.isEmpty() ? Future.succeededFuture() : Future.join(asked))
                        .onComplete(_ -> {
                            questions.decrementAndGet();
                            found.tryFail("no gateway knows it");
                        });
    }

    /// One of those that are behind a name.
    private record Peer(URI url, String ip) {}

    /// All at this moment, this gateway perhaps among them.
    private Future<List<Peer>> peers() {
        List<Future<List<Peer>>> each = urls.stream().map(this::behind).toList();
        return Future.join(each)
                .transform(_ ->
                        Future.succeededFuture(
                                each.stream()
                                        .filter(Future::succeeded)
                                        .flatMap(it -> it.result().stream())
                                        .distinct()
                                        .toList()));
    }

    private Future<List<Peer>> behind(URI url) {
        var promise = Promise.<List<Peer>>promise();
        var unused =
                clients()
                        .names()
                        .resolveAll(url.getHost())
                        .addListener((io.netty.util.concurrent.Future<List<InetAddress>> it) -> {
                            if (it.isSuccess()) {
                                promise.complete(
                                        it.getNow().stream()
                                                .map(ip -> new Peer(url, ip.getHostAddress()))
                                                .toList());
                            } else {
                                promise.fail(it.cause());
                            }
                        });
        return promise.future();
    }
}
