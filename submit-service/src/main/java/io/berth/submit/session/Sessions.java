package io.berth.submit.session;

import io.berth.submit.Secret;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.session.Session.End;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The sessions of this gateway, and the WebSocket at which their ends meet. Whoever knows an end's
/// secret is that end: the secret is random, and good for one connection. So is that of one who is
/// attached beside the two.
@Singleton
public final class Sessions {
    public static final String PATH = "/v1/sessions/";

    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(20);
    private static final Duration USER_COMES_WITHIN = Duration.ofSeconds(30);

    /// Beside the two ends of one session, those included who have not come yet.
    private static final int MOST_ATTACHED = 8;

    private final Map<String, Place> places = new ConcurrentHashMap<>();

    /// Those who are beside the ends of a session, also of one that is over.
    private final AtomicInteger beside = new AtomicInteger();

    private final Vertx vertx;
    private final int limit;

    /// @param attaching secrets of those who were let in beside the two ends and have not come yet
    private record Place(
            Session session,
            String userSecret,
            String jobSecret,
            boolean listens,
            Set<String> attaching) {

        @Nullable End end(@Nullable String authorization) {
            boolean user = Secret.isBearer(authorization, userSecret);
            boolean job = Secret.isBearer(authorization, jobSecret);
            return user ? End.USER : job ? End.JOB : null;
        }

        /// Whether this is one of those who were let in, who comes once.
        boolean attaches(@Nullable String authorization) {
            return attaching.removeIf(it -> Secret.isBearer(authorization, it));
        }

        int attached() {
            return session.attached() + attaching.size();
        }
    }

    Sessions(Vertx vertx, SubmitConfig config, MeterRegistry registry) {
        this.vertx = vertx;
        this.limit = config.sessions();
        registry.gauge("berth.sessions", this, Sessions::interactive);
    }

    /// A session that nobody has come to yet.
    public record Opened(String id, String userSecret, String jobSecret) {}

    /// Opens a session, unless [as many are here as may be][#full]. It is forgotten if its user
    /// does not come soon.
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

    /// Whether the ends of a session meet here, and it is that job's.
    private static boolean meet(Place place, String jobSecret) {
        return !place.listens()
                && place.end("Bearer " + jobSecret) == End.JOB
                && place.session().meets();
    }

    /// Where one comes who is let in beside the two ends of a session, within half a minute.
    public record Attaching(String path, String secret) {}

    /// Lets one more in to a session whose ends meet here.
    ///
    /// @param jobSecret shows that it is the job's
    /// @return empty if they do not, or it is another's
    /// @throws TooBusy if as many are there as may be, or at this gateway
    public Optional<Attaching> attach(String id, String jobSecret) {
        Place place = places.get(id);
        if (place == null || !meet(place, jobSecret)) {
            return Optional.empty();
        }
        if (place.attached() >= MOST_ATTACHED) {
            throw new TooBusy(MOST_ATTACHED + " are attached to the step already");
        }
        if (interactive() >= limit) {
            throw full();
        }
        String secret = Secret.random();
        place.attaching().add(secret);
        vertx.setTimer(USER_COMES_WITHIN.toMillis(), _ -> place.attaching().remove(secret));
        return Optional.of(new Attaching(PATH + id, secret));
    }

    /// What who finds no place here is told.
    public TooBusy full() {
        return new TooBusy(limit + " are connected or attached already");
    }

    /// Sessions that people opened, and those who are attached or will be.
    private long interactive() {
        return beside.get()
                + places.values().stream()
                        .filter(it -> !it.listens())
                        .mapToLong(it -> 1 + it.attaching().size())
                        .sum();
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
                new Place(
                        session,
                        opened.userSecret(),
                        opened.jobSecret(),
                        listener != null,
                        ConcurrentHashMap.newKeySet()));
        return session;
    }

    /// Says something to the job of a session in its user's name.
    ///
    /// @return whether the secret is that user's, and the job is there
    /// @throws TooBusy if it does not take what it is told
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
        String authorization = context.request().getHeader(HttpHeaders.AUTHORIZATION);
        End end = place == null ? null : place.end(authorization);
        if (place == null || (end == null && !place.attaches(authorization))) {
            // One answer for both: it does not tell which sessions there are.
            context.response().setStatusCode(404).end().onComplete(_ -> {});
            return;
        }
        context.request()
                .toWebSocket()
                .onSuccess(socket -> {
                    UpgradedRequest.done(context.request());
                    if (end == null) {
                        beside.incrementAndGet();
                        var connection = (HttpServerConnection) context.request().connection();
                        place.session()
                                .attach(
                                        socket,
                                        connection.channelHandlerContext(),
                                        beside::decrementAndGet);
                    } else {
                        place.session().join(end, socket);
                    }
                })
                .onFailure(_ -> context.response().setStatusCode(400));
    }
}
