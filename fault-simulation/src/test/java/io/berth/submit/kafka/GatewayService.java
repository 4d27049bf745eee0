package io.berth.submit.kafka;

import io.berth.contracts.event.Submission;
import io.berth.log.Clocks;
import io.berth.log.EventWriter;
import io.berth.log.LogClients;
import io.berth.log.TopicDeclarations;
import io.berth.submit.Deadline;
import io.berth.submit.JobRoom;
import io.berth.submit.Position;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.http.Gateway;
import io.berth.submit.http.GatewayRequests;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

/// One instance of the gateway on the clients and clocks that it is given, without HTTP and without
/// the thread that [GatewayLog] has.
public final class GatewayService {

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

    private static final SubmitConfig CONFIG =
            (SubmitConfig)
                    Proxy.newProxyInstance(
                            SubmitConfig.class.getClassLoader(),
                            new Class<?>[] {SubmitConfig.class},
                            (_, method, _) ->
                                    switch (method.getName()) {
                                        case "answerTimeout", "bulkTimeout" -> ANSWER_TIMEOUT;
                                        case "viewTimeout" -> Duration.ofSeconds(2);
                                        case "maxArraySize" -> 10_001;
                                        case "maxJobs" -> 200_000L;
                                        default -> throw new AssertionError("not set: " + method);
                                    });

    private final Clocks clocks;
    private final GatewayLog log;
    private final SubmissionWriter writer;
    private final Gateway gateway;
    private final GatewayRequests requests;

    public GatewayService(LogClients clients, Clocks clocks) {
        var events = new EventWriter(clients::producer);
        this.clocks = clocks;
        log = new GatewayLog(clients, events, new TopicDeclarations(1, 1, (short) 1), clocks);
        writer = new SubmissionWriter(events, log, 1);
        gateway =
                new Gateway(
                        log, writer, new JobRoom(CONFIG.maxJobs(), clocks::millis), CONFIG, clocks);
        requests = new GatewayRequests(log, writer, CONFIG, clocks);
    }

    /// Follows the log for ever.
    public void follow() {
        log.run();
    }

    /// Whether it has read the log.
    public boolean ready() {
        try {
            log.picture();
            return true;
        } catch (Unavailable e) {
            return false;
        }
    }

    /// How jobs come in and are found.
    public Gateway gateway() {
        return gateway;
    }

    /// Many jobs at once, and jobs as they were seen.
    public GatewayRequests requests() {
        return requests;
    }

    /// Writes what is asked of a job; the position from which on that stands in the log.
    public Position ask(Submission request) {
        return writer.ask(List.of(request), Deadline.in(ANSWER_TIMEOUT, clocks));
    }

    public Clocks clocks() {
        return clocks;
    }
}
