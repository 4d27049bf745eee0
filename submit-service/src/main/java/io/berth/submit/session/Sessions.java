package io.berth.submit.session;

import io.berth.submit.Secret;
import io.berth.submit.SubmitConfig;
import io.berth.submit.session.Session.End;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The sessions of this gateway, and the WebSocket at which their ends meet. Whoever knows an end's
/// secret is that end: the secret is random, and good for one connection.
@Singleton
public final class Sessions {
    static final String PATH = "/v1/sessions/";

    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(20);
    private static final Duration USER_COMES_WITHIN = Duration.ofSeconds(30);

    private final Map<String, Place> places = new ConcurrentHashMap<>();
    private final Vertx vertx;
    private final int limit;

    private record Place(Session session, String userSecret, String jobSecret, boolean listens) {
        @Nullable End end(@Nullable String authorization) {
            boolean user = Secret.isBearer(authorization, userSecret);
            boolean job = Secret.isBearer(authorization, jobSecret);
            return user ? End.USER : job ? End.JOB : null;
        }
    }

    Sessions(Vertx vertx, SubmitConfig config, MeterRegistry registry) {
        this.vertx = vertx;
        this.limit = config.sessions();
        registry.gauge("berth.sessions", this, Sessions::interactive);
    }

    /// A session that nobody has come to yet.
    public record Opened(String id, String userSecret, String jobSecret) {}

    /// Opens a session, unless there are as many as there may be. It is forgotten if its user does
    /// not come soon.
    public Optional<Opened> open() {
        if (interactive() >= limit) {
            return Optional.empty();
        }
        Opened opened = opened();
        Session session = place(opened, null);
        vertx.setTimer(
                USER_COMES_WITHIN.toMillis(),
                _ -> {
                    if (!session.userCame()) {
                        session.end();
                    }
                });
        return Optional.of(opened);
    }

    /// Those that people opened.
    private long interactive() {
        return places.values().stream().filter(it -> !it.listens()).count();
    }

    /// A session whose user's end is the gateway itself.
    ///
    /// @param path of the address for the other end
    /// @param secret the other end's
    /// @param end ends the session
    record Listening(String path, String secret, Runnable end) {}

    /// Opens a session to listen at. How many there are is the caller's to bound.
    Listening listen(Session.Listener listener) {
        Opened opened = opened();
        Session session = place(opened, listener);
        return new Listening(PATH + opened.id(), opened.jobSecret(), session::end);
    }

    private static Opened opened() {
        return new Opened(Secret.random().substring(0, 16), Secret.random(), Secret.random());
    }

    private Session place(Opened opened, Session.@Nullable Listener listener) {
        var session = new Session(opened.id(), () -> places.remove(opened.id()), listener);
        places.put(
                opened.id(),
                new Place(session, opened.userSecret(), opened.jobSecret(), listener != null));
        return session;
    }

    /// Says something to the job of a session in its user's name.
    ///
    /// @return whether the secret is that user's, and the job is there
    public boolean tellJob(String id, String userSecret, byte[] message) {
        Place place = places.get(id);
        return place != null
                && place.end("Bearer " + userSecret) == End.USER
                && place.session().tellJob(Buffer.buffer(message));
    }

    void register(@Observes Router router) {
        router.get(PATH + ":id").handler(this::connect);
        vertx.setPeriodic(
                SIGN_OF_LIFE.toMillis(),
                _ -> places.values().forEach(place -> place.session().ping()));
    }

    private void connect(RoutingContext context) {
        Place place = places.get(context.pathParam("id"));
        End end =
                place == null
                        ? null
                        : place.end(context.request().getHeader(HttpHeaders.AUTHORIZATION));
        if (place == null || end == null) {
            // One answer for both: it does not tell which sessions there are.
            context.response().setStatusCode(404).end().onComplete(_ -> {});
            return;
        }
        context.request()
                .toWebSocket()
                .onSuccess(socket -> {
                    UpgradedRequest.done(context.request());
                    place.session().join(end, socket);
                })
                .onFailure(_ -> context.response().setStatusCode(400));
    }
}
