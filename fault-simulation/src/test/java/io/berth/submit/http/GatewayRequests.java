package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.JobId;
import io.berth.contracts.json.Json;
import io.berth.log.Clocks;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobRoom;
import io.berth.submit.Position;
import io.berth.submit.SubmitConfig;
import io.berth.submit.http.BulkSubmissions.Results;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import jakarta.ws.rs.core.HttpHeaders;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a gateway does by one request for many jobs, and for a job as it was seen, without HTTP.
public final class GatewayRequests {

    private static final int CREATED = 201;
    private static final int UNAVAILABLE = 503;

    /// `If-Match` of the request that a thread is about.
    private final ThreadLocal<String> seen = new ThreadLocal<>();

    private final BulkSubmissions bulk;
    private final JobTurns turns;

    public GatewayRequests(
            GatewayLog log, SubmissionWriter writer, SubmitConfig config, Clocks clocks) {
        bulk =
                new BulkSubmissions(
                        log, writer, new JobRoom(config.maxJobs(), clocks::millis), config, clocks);
        turns = new JobTurns(log, config, clocks, headers());
    }

    private HttpHeaders headers() {
        return (HttpHeaders)
                Proxy.newProxyInstance(
                        HttpHeaders.class.getClassLoader(),
                        new Class<?>[] {HttpHeaders.class},
                        (_, _, _) -> seen.get());
    }

    /// What became of one of many jobs.
    public sealed interface Line {

        /// @param below stands what this request has written; null if that was nothing
        record Accepted(JobId job, @Nullable Position below) implements Line {}

        record Refused(String code) implements Line {}

        record Unknown() implements Line {}
    }

    /// Asks for all of these jobs at once.
    ///
    /// @return one for each
    public List<Line> submit(List<JobSubmission> jobs, Caller caller, @Nullable String key) {
        var lines = new ArrayList<BulkLine>();
        for (JobSubmission job : jobs) {
            lines.add(new BulkLine(lines.size() + 1, json(job)));
        }
        Results results = bulk.submit(lines, caller, key);
        return results.lines().stream().map(it -> line(it, results.position())).toList();
    }

    private static byte[] json(JobSubmission job) {
        try {
            return Json.mapper().writeValueAsBytes(job);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static Line line(BulkResult result, @Nullable Position below) {
        Long id = result.id();
        return switch (result.status()) {
            case CREATED -> new Line.Accepted(new JobId(id == null ? 0 : id), below);
            case UNAVAILABLE -> new Line.Unknown();
            default -> new Line.Refused(String.valueOf(result.code()));
        };
    }

    /// What a job that is seen is known by.
    public static String tag(Job job) {
        return EntityTags.of(job);
    }

    /// Writes what is asked of a job, if that is as it was seen.
    ///
    /// @return below which position it stands; empty if the job has changed
    public Optional<Position> ask(JobId job, String tag, Supplier<Position> write) {
        seen.set(tag);
        try {
            return Optional.of(turns.take(List.of(job), write));
        } catch (EntityTags.Changed e) {
            return Optional.empty();
        } finally {
            seen.remove();
        }
    }
}
