package io.berth.submit.session;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.OutputRequest;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Refusal.OutputNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.session.Sessions.Listening;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// What jobs have written, as the agents of their nodes tell it. An agent is asked by the log, and
/// comes to a session here with the answer.
@Singleton
public final class Outputs {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// Of the places so many are a user's at most.
    private static final int PARTS = 8;

    private final Map<String, Integer> reading = new HashMap<>();
    private final Sessions sessions;
    private final SubmissionWriter writer;
    private final int most;

    Outputs(
            Sessions sessions,
            SubmissionWriter writer,
            SubmitConfig config,
            MeterRegistry registry) {
        this.sessions = sessions;
        this.writer = writer;
        this.most = config.outputs();
        registry.gauge("berth.outputs", this, Outputs::count);
    }

    /// What is asked for.
    ///
    /// @param user whose job it is
    /// @param node on which it was written
    /// @param error whether the file for errors
    /// @param offset the first byte; negative counts from the end
    /// @param follow whether to go on until the run has ended
    public record Question(
            JobId job, String user, NodeName node, boolean error, long offset, boolean follow) {}

    /// Asks the node. The answer has begun when this returns; it must be read, or closed.
    ///
    /// @return nothing if as many are read as may be, or as the caller may
    /// @throws Refused if there is nothing to read
    /// @throws Unavailable if the node does not answer
    public Optional<OutputAnswer> ask(Question asked, Caller caller) throws Refused {
        if (!enter(caller.user())) {
            return Optional.empty();
        }
        var answer = new OutputAnswer(() -> leave(caller.user()));
        Listening session = sessions.listen(answer);
        answer.endsWith(session.end());
        boolean begun = false;
        try {
            writer.ask(
                    new OutputRequest(
                            asked.node(),
                            asked.job(),
                            asked.user(),
                            asked.error(),
                            asked.offset(),
                            asked.follow(),
                            caller.gateway() + session.path(),
                            session.secret()),
                    Deadline.in(PATIENCE));
            answer.begin().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            begun = true;
            return Optional.of(answer);
        } catch (ExecutionException | CompletionException e) {
            String why = String.valueOf(e.getCause() == null ? e : e.getCause().getMessage());
            throw new Refused(
                    new OutputNotFound(
                            "job " + asked.job() + ": " + why.replaceAll("\\p{Cntrl}", "?")));
        } catch (TimeoutException e) {
            throw new Unavailable("node " + asked.node() + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        } finally {
            if (!begun) {
                answer.close();
            }
        }
    }

    private synchronized boolean enter(String user) {
        if (count() >= most || reading.getOrDefault(user, 0) >= Math.max(1, most / PARTS)) {
            return false;
        }
        reading.merge(user, 1, Integer::sum);
        return true;
    }

    private synchronized void leave(String user) {
        reading.computeIfPresent(user, (_, count) -> count == 1 ? null : count - 1);
    }

    private synchronized int count() {
        return reading.values().stream().mapToInt(Integer::intValue).sum();
    }
}
