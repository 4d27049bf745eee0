package io.berth.submit.session;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.OutputRequest;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Refusal.OutputNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.session.Sessions.Listening;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
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

    private final Seats readers;
    private final Sessions sessions;
    private final SubmissionWriter writer;
    private final int mostOfUser;

    Outputs(
            Sessions sessions,
            SubmissionWriter writer,
            SubmitConfig config,
            MeterRegistry registry) {
        this.sessions = sessions;
        this.writer = writer;
        this.readers = new Seats(config.outputs(), "readers already read by this gateway");
        this.mostOfUser = config.outputs() / PARTS;
        registry.gauge("berth.outputs", readers, Seats::count);
    }

    /// What is asked for.
    ///
    /// @param user whose job it is
    /// @param node on which it was written
    /// @param error whether the file for errors
    /// @param offset the first byte; negative counts from the end
    /// @param follow whether to go on until the run has ended
    /// @param key the job's, by which the node knows that a gateway asks
    public record Question(
            JobId job,
            String user,
            NodeName node,
            boolean error,
            long offset,
            boolean follow,
            String key) {

        private OutputRequest request(String session, String secret) {
            return new OutputRequest(node, job, user, error, offset, follow, session, secret, null)
                    .proven(key);
        }
    }

    /// Asks the node. The answer has begun when this returns; it must be read, or closed.
    ///
    /// @throws TooBusy if as many are read as may be, at this gateway or on the node
    /// @throws Refused if there is nothing to read
    /// @throws Unavailable if the node does not answer
    public OutputAnswer ask(Question asked, Caller caller) throws Refused {
        var answer = new OutputAnswer(readers.take(caller.user() + "'s", mostOfUser));
        Listening session = sessions.listen(answer);
        answer.endsWith(session.end());
        boolean begun = false;
        try {
            writer.ask(
                    asked.request(caller.gateway() + session.path(), session.secret()),
                    Deadline.in(PATIENCE));
            answer.begin().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            begun = true;
            return answer;
        } catch (ExecutionException | CompletionException e) {
            String why =
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage())
                            .replaceAll("\\p{Cntrl}", "?");
            if (e.getCause() instanceof OutputAnswer.Busy) {
                throw new TooBusy(why);
            }
            throw new Refused(new OutputNotFound("job " + asked.job() + ": " + why));
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
}
