package io.berth.submit.session;

import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.slurm.session.Frame;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.RecentlyUsed;
import io.berth.submit.Secret;
import io.berth.submit.StepMeeting;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SpecReader;
import io.berth.submit.session.Sessions.Opened;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Where the agents of a job's further nodes wait for its steps: `/v1/steps/<job>/<node>`. An agent
/// comes there by a WebSocket; the script's `srun` asks there by a POST for a process on that node,
/// and is answered with a session, of which the agent is told the other end.
///
/// Both know the secret that the gateway gave the job when it was submitted. It is looked up in the
/// log, so that any gateway can tell. One where the agent does not wait asks [the others][Peers].
@Singleton
public final class StepPosts {
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(20);

    /// Secrets that are remembered: the one that was asked for least lately is forgotten when there
    /// are more.
    private static final int MOST_SECRETS = 1024;

    /// How many secrets are looked up in the log at once; who comes then comes again.
    private static final int LOOKUPS = 8;

    private static final short REPLACED = 1008;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;

    private final Map<Post, ServerWebSocket> posts = new ConcurrentHashMap<>();
    private final Map<Long, String> secrets = RecentlyUsed.atMost(MOST_SECRETS);
    private final Semaphore lookups = new Semaphore(LOOKUPS);
    private final Vertx vertx;
    private final Sessions sessions;
    private final Peers peers;
    private final GatewayLog log;
    private final SpecReader specs;
    private final SubmitConfig config;
    private final Clock clock;

    private record Post(long job, String node) {}

    /// A post that is asked for with its job's secret.
    private record Proven(Post post, String secret) {}

    StepPosts(
            Vertx vertx,
            Sessions sessions,
            Peers peers,
            GatewayLog log,
            SpecReader specs,
            SubmitConfig config,
            Clock clock) {
        this.vertx = vertx;
        this.sessions = sessions;
        this.peers = peers;
        this.log = log;
        this.specs = specs;
        this.config = config;
        this.clock = clock;
        sessions.reopenBy(this::reopen);
    }

    void register(@Observes Router router) {
        router.get("/v1/steps/:job/:node").handler(this::come);
        router.post("/v1/steps/:job/:node").handler(this::ask);
        vertx.setPeriodic(SIGN_OF_LIFE.toMillis(), _ -> posts.forEach(this::keep));
    }

    /// Gives an agent a sign of life, or its leave when the job does not hold the node any more.
    private void keep(Post post, ServerWebSocket agent) {
        var unused = held(post) ? agent.writePing(Buffer.buffer()) : agent.close();
    }

    /// Whether the post is its job's; it stays that while the log does not tell.
    private boolean held(Post post) {
        try {
            return log.picture()
                    .job(new JobId(post.job()), clock.millis())
                    .filter(it -> holds(it, post.node()))
                    .isPresent();
        } catch (Unavailable e) {
            return true;
        }
    }

    private void come(RoutingContext context) {
        verified(context)
                .onSuccess(found -> {
                    if (found.isEmpty()) {
                        answer(context, NOT_FOUND);
                    } else {
                        stay(context, found.get().post());
                    }
                })
                .onFailure(_ -> answer(context, UNAVAILABLE));
    }

    private void stay(RoutingContext context, Post post) {
        context.request()
                .toWebSocket()
                .onSuccess(socket -> {
                    UpgradedRequest.done(context.request());
                    socket.closeHandler(_ -> posts.remove(post, socket));
                    ServerWebSocket before = posts.put(post, socket);
                    if (before != null) {
                        var unused = before.close(REPLACED, "another agent came");
                    }
                })
                .onFailure(_ -> answer(context, NOT_FOUND));
    }

    private void ask(RoutingContext context) {
        verified(context)
                .onSuccess(found -> {
                    ServerWebSocket agent = found.map(it -> posts.get(it.post())).orElse(null);
                    if (found.isEmpty()) {
                        answer(context, NOT_FOUND);
                    } else if (agent == null) {
                        askPeers(context);
                    } else {
                        meet(context, agent, found.get());
                    }
                })
                .onFailure(_ -> answer(context, UNAVAILABLE));
    }

    /// The agent may wait at another gateway, and the session is to be there.
    private void askPeers(RoutingContext context) {
        peers.ask(context.request(), Buffer.buffer())
                .onSuccess(it -> {
                    if (it.isEmpty()) {
                        answer(context, UNAVAILABLE);
                    } else {
                        var unused =
                                context.response()
                                        .setStatusCode(it.get().status())
                                        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                                        .end(it.get().body());
                    }
                });
    }

    private void meet(RoutingContext context, ServerWebSocket agent, Proven asked) {
        long job = asked.post().job();
        Opened session = session(Sessions.idOfStep(job), asked.secret());
        try {
            sessions.openForStep(owner(job), session);
        } catch (TooBusy e) {
            answer(context, TOO_MANY);
            return;
        }
        String path = Sessions.PATH + session.id();
        Frame step = Frame.step(path, session.jobSecret(), "", List.of("srun"));
        var unused = agent.writeBinaryMessage(Buffer.buffer(step.message().array()));
        var unusedAnswer =
                context.response()
                        .setStatusCode(CREATED)
                        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                        .end(
                                new JsonObject()
                                        .put("path", path)
                                        .put("secret", session.userSecret())
                                        .encode());
    }

    /// A session of which nothing is kept that does not follow from its id and its job's secret.
    private static Opened session(String id, String secret) {
        return new Opened(id, Secret.of(secret, "user/" + id), Secret.of(secret, "job/" + id));
    }

    private Future<?> reopen(String id, @Nullable String authorization) {
        return aside(() -> {
            String job = String.valueOf(Sessions.jobOfStep(id));
            Optional<Opened> session =
                    secret(job, it -> !it.held().isEmpty())
                            .map(it -> session(id, it))
                            .filter(it -> Secret.isBearer(authorization, it.userSecret()));
            session.ifPresent(it -> sessions.openForStep(owner(Long.parseLong(job)), it));
            return session;
        });
    }

    /// Of a job that was verified a moment ago.
    private String owner(long job) {
        return log.picture().job(new JobId(job), clock.millis()).map(Job::user).orElse("");
    }

    private static void answer(RoutingContext context, int status) {
        if (status == UNAVAILABLE || status == TOO_MANY) {
            context.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        var unused = context.response().setStatusCode(status).end();
    }

    /// The post that is asked for, if the request shows its job's secret.
    private Future<Optional<Proven>> verified(RoutingContext context) {
        if (context.request().method().equals(HttpMethod.GET)) {
            context.request().pause();
        }
        String job = String.valueOf(context.pathParam("job"));
        String node = String.valueOf(context.pathParam("node"));
        String authorization = context.request().getHeader(HttpHeaders.AUTHORIZATION);
        if (authorization == null) {
            return Future.succeededFuture(Optional.empty());
        }
        return aside(() ->
                secret(job, it -> holds(it, node))
                        .filter(it -> Secret.isBearer(authorization, it))
                        .map(it -> new Proven(new Post(Long.parseLong(job), node), it)));
    }

    /// What takes a while, and may fail.
    private static <T> Future<T> aside(Supplier<T> what) {
        var promise = Promise.<T>promise();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        promise.complete(what.get());
                    } catch (RuntimeException e) {
                        promise.fail(e);
                    }
                });
        return promise.future();
    }

    /// The secret of such a job.
    ///
    /// @throws Unavailable if the log does not tell
    private Optional<String> secret(String job, Predicate<Job> which) {
        if (!job.matches("[1-9]\\d{0,17}")) {
            return Optional.empty();
        }
        return log.picture()
                .job(new JobId(Long.parseLong(job)), clock.millis())
                .filter(which)
                .filter(it -> StepMeeting.has(it.description()))
                .flatMap(this::secret);
    }

    private Optional<String> secret(Job job) {
        long id = job.id().value();
        synchronized (secrets) {
            String known = secrets.get(id);
            if (known != null) {
                return Optional.of(known);
            }
        }
        if (!lookups.tryAcquire()) {
            throw new Unavailable("the secrets of too many jobs are looked up");
        }
        try {
            Optional<String> found =
                    specs.read(job, Deadline.in(config.viewTimeout()))
                            .map(JobSpec::environment)
                            .map(it -> it.get(StepMeeting.SECRET));
            synchronized (secrets) {
                found.ifPresent(it -> secrets.put(id, it));
            }
            return found;
        } finally {
            lookups.release();
        }
    }

    private static boolean holds(Job job, String node) {
        return job.held().stream().anyMatch(it -> it.node().value().equals(node));
    }
}
