package io.berth.submit.session;

import io.berth.slurm.session.FrameSocket;
import io.berth.submit.Secret;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.session.Session.End;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The sessions of this gateway, and the WebSocket at which their ends meet. Whoever knows an end's
/// secret is that end: the secret is random, and good for one connection. So is that of one who is
/// attached beside the two.
@Singleton
public final class Sessions {
    public static final String PATH = "/v1/sessions/";

    private static final int ID_LENGTH = 16;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{" + ID_LENGTH + "}");
    private static final Pattern OF_STEP = Pattern.compile("([1-9]\\d*)-" + ID.pattern());

    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(20);
    private static final Duration USER_COMES_WITHIN = Duration.ofSeconds(30);

    /// Beside the two ends of one session, those included who have not come yet.
    private static final int MOST_ATTACHED = 8;

    /// Unless it is set, a user has this part of the seats.
    private static final int PARTS = 4;

    /// So many times as many are the further nodes of his steps.
    private static final int STEP_SEATS = 2;

    private final Map<String, Place> places = new ConcurrentHashMap<>();

    /// Of sessions that were opened, and of those who are attached or will be.
    private final Seats seats;

    private final int mostOfUser;
    private final Vertx vertx;
    private final Peers peers;
    private volatile Reopening reopening = (_, _) -> Future.succeededFuture();

    /// @param attaching those who were let in beside the two ends and have not come yet: what frees
    ///   the seat of each, by his secret
    private record Place(
            Session session,
            String userSecret,
            String jobSecret,
            boolean listens,
            Map<String, Runnable> attaching) {

        @Nullable End end(@Nullable String authorization) {
            boolean user = Secret.isBearer(authorization, userSecret);
            boolean job = Secret.isBearer(authorization, jobSecret);
            return user ? End.USER : job ? End.JOB : null;
        }

        /// What frees the seat of one of those who were let in, who comes once; null for another.
        @Nullable Runnable attaches(@Nullable String authorization) {
            return attaching.keySet().stream()
                    .filter(it -> Secret.isBearer(authorization, it))
                    .findFirst()
                    .map(attaching::remove)
                    .orElse(null);
        }

        int attached() {
            return session.attached() + attaching.size();
        }
    }

    Sessions(Vertx vertx, Peers peers, SubmitConfig config, MeterRegistry registry) {
        this.vertx = vertx;
        this.peers = peers;
        this.seats = new Seats(config.sessions(), "sessions are connected or attached already");
        this.mostOfUser = config.userSessions().orElse(config.sessions() / PARTS);
        registry.gauge("berth.sessions", seats, Seats::count);
    }

    /// A session that nobody has come to yet.
    public record Opened(String id, String userSecret, String jobSecret) {

        /// Whether it may be one of a terminal.
        public boolean isPossible() {
            return ID.matcher(id).matches()
                    && Secret.isPossible(userSecret)
                    && Secret.isPossible(jobSecret);
        }
    }

    /// Opens a session for somebody's terminal. It is forgotten if he does not come soon.
    ///
    /// @throws TooBusy if as many are here as may be, or as many of his
    public Opened open(String user) {
        Opened opened = named();
        open(user + "'s", mostOfUser, opened, true);
        return opened;
    }

    /// The same, but each of its ends comes once: who heard of it later finds a door that is shut.
    ///
    /// @throws TooBusy if as many are here as may be, or as many of his
    public Opened openOnce(String user) {
        Opened opened = named();
        open(user + "'s", mostOfUser, opened, false);
        return opened;
    }

    /// Opens a session of somebody's terminal again, which a gateway has forgotten that was started
    /// anew, or lost with a connection. Nothing is changed if it is open.
    ///
    /// @return whether it is that session: another may have its id
    /// @throws TooBusy if as many are here as may be, or as many of his
    public synchronized boolean reopen(String user, Opened opened) {
        if (!places.containsKey(opened.id())) {
            open(user + "'s", mostOfUser, opened, true);
        }
        return isOpen(opened);
    }

    /// Whether this gateway has that session.
    public boolean isOpen(Opened opened) {
        Place there = places.get(opened.id());
        return there != null
                && there.end("Bearer " + opened.userSecret()) == End.USER
                && there.end("Bearer " + opened.jobSecret()) == End.JOB;
    }

    /// Opens a session for the process of a step on a further node of its job, if it is not open. A
    /// user may have more of these than of his own.
    ///
    /// @throws TooBusy if as many are here as may be, or as many for his steps
    synchronized void openForStep(String user, Opened opened) {
        if (!places.containsKey(opened.id())) {
            open(user + "'s steps'", STEP_SEATS * mostOfUser, opened, true);
        }
    }

    private void open(String whose, int most, Opened opened, boolean again) {
        Runnable leave = seats.take(whose, most);
        Session session = place(opened, again, null, leave);
        vertx.setTimer(
                USER_COMES_WITHIN.toMillis(),
                _ -> {
                    if (!session.userCame()) {
                        session.end();
                    }
                });
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
    /// @throws TooBusy if as many are there as may be, or at this gateway, or as many of the user's
    public Optional<Attaching> attach(String user, String id, String jobSecret) {
        Place place = places.get(id);
        if (place == null || !meet(place, jobSecret)) {
            return Optional.empty();
        }
        if (place.attached() >= MOST_ATTACHED) {
            throw new TooBusy(MOST_ATTACHED + " are attached to the step already");
        }
        Runnable leave = seats.take(user + "'s", mostOfUser);
        String secret = Secret.random();
        place.attaching().put(secret, leave);
        vertx.setTimer(
                USER_COMES_WITHIN.toMillis(),
                _ -> {
                    if (place.attaching().remove(secret) != null) {
                        leave.run();
                    }
                });
        return Optional.of(new Attaching(PATH + id, secret));
    }

    /// A session whose user's end is the gateway itself.
    ///
    /// @param path of the address for the other end
    /// @param secret the other end's
    /// @param end ends the session
    record Listening(String path, String secret, Runnable end) {}

    /// Opens a session to listen at. How many there are is the caller's to bound.
    Listening listen(Session.Listener listener) {
        Opened opened = named();
        Session session = place(opened, false, listener, () -> {});
        return new Listening(PATH + opened.id(), opened.jobSecret(), session::end);
    }

    /// One that is not open yet, and may be [opened][#reopen] by who knows it.
    public static Opened named() {
        return new Opened(randomId(), Secret.random(), Secret.random());
    }

    /// @param again whether ends that lost their connection come again
    /// @param over runs when the session is
    private Session place(
            Opened opened, boolean again, Session.@Nullable Listener listener, Runnable over) {
        var session =
                new Session(
                        again,
                        () -> {
                            places.remove(opened.id());
                            over.run();
                        },
                        listener);
        places.put(
                opened.id(),
                new Place(
                        session,
                        opened.userSecret(),
                        opened.jobSecret(),
                        listener != null,
                        new ConcurrentHashMap<>()));
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

    /// The job of a session that is one of a step of it on another node; null for any other.
    static @Nullable String jobOfStep(String id) {
        Matcher step = OF_STEP.matcher(id);
        return step.matches() ? step.group(1) : null;
    }

    /// An id for a session of a step, which tells its job.
    static String idOfStep(long job) {
        return job + "-" + randomId();
    }

    private static String randomId() {
        return Secret.random().substring(0, ID_LENGTH);
    }

    /// Opens a session of a step again whose ends outlived the gateway, or their connections.
    interface Reopening {

        /// Does so if the request comes from the end that started it; it fails if that is not
        /// known.
        Future<?> reopen(String id, @Nullable String authorization);
    }

    void reopenBy(Reopening by) {
        reopening = by;
    }

    private void connect(RoutingContext context) {
        String id = String.valueOf(context.pathParam("id"));
        boolean possible = ID.matcher(id).matches() || jobOfStep(id) != null;
        String authorization = context.request().getHeader(HttpHeaders.AUTHORIZATION);
        if (places.containsKey(id) || !possible || authorization == null) {
            join(context);
            return;
        }
        context.request().pause();
        peers.connect(context.request())
                .onSuccess(far -> relay(context, far))
                .onFailure(_ -> reopen(context, id, authorization));
    }

    private static void relay(RoutingContext context, WebSocket far) {
        context.request()
                .toWebSocket()
                .onSuccess(near -> {
                    UpgradedRequest.done(context.request());
                    Relay.begin(near, far);
                })
                .onFailure(_ -> {
                    far.close();
                    context.response().setStatusCode(400);
                });
    }

    /// That is this gateway's to do: no other has it open.
    private void reopen(RoutingContext context, String id, String authorization) {
        if (jobOfStep(id) == null || Peers.isPassedOn(context.request())) {
            join(context);
            return;
        }
        // By the connection's own thread, so that nothing is said before it is listened to.
        Context own = vertx.getOrCreateContext();
        reopening
                .reopen(id, authorization)
                .onSuccess(_ -> own.runOnContext(_ -> join(context)))
                .onFailure(_ -> {
                    var unused = context.response().setStatusCode(503).end();
                });
    }

    private void join(RoutingContext context) {
        Place place = places.get(context.pathParam("id"));
        String authorization = context.request().getHeader(HttpHeaders.AUTHORIZATION);
        boolean counts = context.request().headers().contains(FrameSocket.COUNTS);
        End end = place == null ? null : place.end(authorization);
        Runnable leave = place == null || end != null ? null : place.attaches(authorization);
        if (place == null || (end == null && leave == null)) {
            // One answer for both: it does not tell which sessions there are.
            context.response().setStatusCode(404).end().onComplete(_ -> {});
            return;
        }
        context.request()
                .toWebSocket()
                .onSuccess(socket -> {
                    UpgradedRequest.done(context.request());
                    if (end != null) {
                        place.session().join(end, socket, counts);
                    } else if (leave != null) {
                        var connection = (HttpServerConnection) context.request().connection();
                        place.session().attach(socket, connection.channelHandlerContext(), leave);
                    }
                })
                .onFailure(_ -> {
                    if (leave != null) {
                        leave.run();
                    }
                    context.response().setStatusCode(400);
                });
    }
}
