package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobRoom;
import io.berth.submit.Position;
import io.berth.submit.Refusal;
import io.berth.submit.Refused;
import io.berth.submit.SubmissionLimits;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.kafka.SubmissionWriter.Draft;
import io.berth.submit.kafka.SubmissionWriter.Outcome;
import io.berth.submit.kafka.SubmissionWriter.TooLarge;
import io.berth.submit.kafka.SubmissionWriter.Unknown;
import io.berth.submit.kafka.SubmissionWriter.Written;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The short way to a job, which costs half as much processor time as [JobResource], and answers
/// the same. It takes what programs send again and again: `POST /v1/jobs` of JSON that is not long,
/// without a key, with a token that was verified a short while ago. Every other request, and every
/// one that is to be turned away before its body is read, goes the long way.
///
/// One thread decides on all that have come meanwhile and writes them at once: the log is waited
/// for twice for all of them.
@Singleton
final class DirectSubmissions {
    private static final Logger LOG = LoggerFactory.getLogger(DirectSubmissions.class);

    /// After requests were counted and long ones turned away.
    private static final int THIRD = 9_000;

    private static final String JSON = "application/json";
    private static final Set<String> TYPES =
            Set.of(JSON, JSON + ";charset=utf-8", JSON + "; charset=utf-8");
    private static final String BEARER = "Bearer ";
    private static final int MAX_BYTES = 64 << 10;
    private static final int AT_ONCE = 256;
    private static final Duration SHORT_BODY = Duration.ofSeconds(10);

    private final VerifiedTokens tokens;
    private final ScopedIdentities identities;
    private final UserRates rates;
    private final Callers callers;
    private final GatewayLog log;
    private final SubmissionWriter writer;
    private final JobRoom room;
    private final SubmissionCounter counter;
    private final SubmitConfig config;
    private final Clock clock;
    private final ObjectMapper answers;
    private final SubmissionLimits limits = new SubmissionLimits();
    private final BlockingQueue<Asked> waiting = new LinkedBlockingQueue<>();
    private final Thread thread = Thread.ofPlatform().name("submissions").unstarted(this::run);

    /// A submission that waits for its answer.
    private record Asked(RoutingContext context, Caller caller, Buffer body, Deadline due) {}

    /// One that is to be written.
    private record Pending(Asked asked, Draft draft) {}

    DirectSubmissions(
            VerifiedTokens tokens,
            ScopedIdentities identities,
            UserRates rates,
            Callers callers,
            GatewayLog log,
            SubmissionWriter writer,
            JobRoom room,
            SubmissionCounter counter,
            SubmitConfig config,
            Clock clock,
            ObjectMapper answers) {
        this.tokens = tokens;
        this.identities = identities;
        this.rates = rates;
        this.callers = callers;
        this.log = log;
        this.writer = writer;
        this.room = room;
        this.counter = counter;
        this.config = config;
        this.clock = clock;
        this.answers = answers;
    }

    void register(@Observes Filters filters) {
        filters.register(this::take, THIRD);
    }

    void start(@Observes StartupEvent event) {
        thread.start();
    }

    @PreDestroy
    void stop() {
        thread.interrupt();
    }

    private void take(RoutingContext context) {
        HttpServerRequest request = context.request();
        Optional<Caller> caller =
                thread.isAlive() && plain(request) ? caller(request) : Optional.empty();
        if (caller.isEmpty()) {
            context.next();
            return;
        }
        long late = context.vertx().setTimer(bodyTimeout().toMillis(), _ -> silent(context));
        request.body()
                .onComplete(body -> {
                    // One who was told that his body is late is to send it again.
                    if (context.vertx().cancelTimer(late) && body.succeeded()) {
                        var due = Deadline.in(config.answerTimeout());
                        waiting.add(new Asked(context, caller.get(), body.result(), due));
                    }
                });
        // The framework holds it back until somebody reads it.
        request.resume();
    }

    private static boolean plain(HttpServerRequest request) {
        return request.method().equals(HttpMethod.POST)
                && "/v1/jobs".equals(request.path())
                && request.query() == null
                && isJson(request.getHeader(HttpHeaders.CONTENT_TYPE))
                && accepts(request.getHeader(HttpHeaders.ACCEPT))
                && isShort(request.getHeader(HttpHeaders.CONTENT_LENGTH))
                && request.getHeader(HttpHeaders.EXPECT) == null
                && request.getHeader(JobResource.KEY) == null;
    }

    private static boolean isJson(@Nullable String type) {
        return type != null && TYPES.contains(type.toLowerCase(Locale.ROOT));
    }

    private static boolean accepts(@Nullable String types) {
        return types == null || types.equals("*/*") || types.equalsIgnoreCase(JSON);
    }

    private static boolean isShort(@Nullable String length) {
        try {
            return length != null && Integer.parseInt(length) <= MAX_BYTES;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /// Who sends it, if he may and his token is remembered.
    private Optional<Caller> caller(HttpServerRequest request) {
        String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (authorization == null || !authorization.startsWith(BEARER)) {
            return Optional.empty();
        }
        try {
            return tokens.remembered(authorization.substring(BEARER.length()))
                    .flatMap(token -> caller(token, request));
        } catch (Unavailable e) {
            return Optional.empty();
        }
    }

    private Optional<Caller> caller(JsonWebToken token, HttpServerRequest request) {
        Set<String> roles = identities.submitting(token);
        String user = token.getName();
        boolean may = roles.contains(Callers.OPERATOR) || roles.contains(Callers.USER);
        return may && rates.take(user, roles)
                ? Optional.of(callers.of(user, roles, request))
                : Optional.empty();
    }

    private void silent(RoutingContext context) {
        EarlyAnswer.end(context, Problem.of(new BodyNotReceived(bodyTimeout())));
    }

    /// What is short is there soon, or its sender is silent.
    private Duration bodyTimeout() {
        return Collections.min(List.of(config.bodyTimeout(), SHORT_BODY));
    }

    private void run() {
        var taken = new ArrayList<Asked>();
        try {
            while (true) {
                taken.add(waiting.take());
                waiting.drainTo(taken, AT_ONCE - 1);
                serve(taken);
                taken.clear();
            }
        } catch (InterruptedException e) {
            LOG.debug("No more submissions are taken");
        }
    }

    /// Throws nothing: who comes next is to be answered, too.
    private void serve(List<Asked> taken) {
        try {
            List<Pending> pending = admitted(taken);
            var drafts = pending.stream().map(Pending::draft).toList();
            List<Outcome> outcomes = writer.write(drafts, Deadline.in(config.answerTimeout()));
            for (int i = 0; i < outcomes.size(); i++) {
                answer(pending.get(i).asked(), outcomes.get(i));
            }
        } catch (RuntimeException | Error e) {
            taken.forEach(it -> failed(it, e));
        }
    }

    private List<Pending> admitted(List<Asked> taken) {
        var intake = new Intake(log.picture(), limits, room, config.maxArraySize(), clock.millis());
        var pending = new ArrayList<Pending>();
        for (Asked asked : taken) {
            Caller caller = asked.caller();
            if (asked.due().passed()) {
                failed(asked, new Unavailable("the log does not answer in time"));
                continue;
            }
            try {
                var submission = SubmissionBody.json(asked.body().getBytes());
                pending.add(
                        new Pending(
                                asked,
                                new Draft(intake.admitted(submission, caller), caller, null)));
            } catch (Refused e) {
                refused(asked, e.refusal());
            } catch (RuntimeException | Error e) {
                failed(asked, e);
            }
        }
        return pending;
    }

    private void answer(Asked asked, Outcome outcome) {
        try {
            switch (outcome) {
                case Written it -> created(asked, Gateway.job(it));
                case TooLarge it -> refused(asked, it.refusal());
                case Unknown it -> failed(asked, it.why());
            }
        } catch (RuntimeException e) {
            failed(asked, e);
        }
    }

    private void created(Asked asked, Job job) {
        HttpServerRequest request = asked.context().request();
        var shown = JobJson.of(job, log.picture(), clock.millis(), null);
        Buffer json;
        try {
            json = Buffer.buffer(answers.writeValueAsBytes(shown));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + shown, e);
        }
        counter.count("accepted");
        var unused =
                request.response()
                        .setStatusCode(201)
                        .putHeader(HttpHeaders.CONTENT_TYPE, JSON + ";charset=UTF-8")
                        .putHeader(
                                HttpHeaders.LOCATION,
                                request.scheme()
                                        + "://"
                                        + request.authority()
                                        + "/v1/jobs/"
                                        + job.id())
                        .putHeader(JobResource.POSITION, Position.after(job).toString())
                        .end(json);
    }

    private void refused(Asked asked, Refusal refusal) {
        counter.count(refusal.code());
        try {
            var unused = Problem.of(refusal).end(asked.context().response());
        } catch (RuntimeException e) {
            failed(asked, e);
        }
    }

    /// Unless it is answered already.
    private void failed(Asked asked, Throwable e) {
        HttpServerResponse response = asked.context().response();
        if (response.ended() || response.closed()) {
            return;
        }
        if (e instanceof Unavailable unavailable) {
            counter.count("unavailable");
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
            var unused = Problem.of(unavailable).end(response);
        } else {
            LOG.atError().setCause(e).log("Request failed");
            var unused = Problem.internal().end(response);
        }
    }
}
