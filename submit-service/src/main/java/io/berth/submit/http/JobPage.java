package io.berth.submit.http;

import static io.berth.submit.Checks.quoted;

import io.berth.contracts.JobId;
import io.berth.submit.Job;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which part of a list is asked for. Jobs are in the order of their ids, so a page begins after
/// the last job of the one before, whatever came and went meanwhile.
///
/// @param after the last job of the page before; null begins at the first
/// @param limit the most jobs
record JobPage(@Nullable JobId after, int limit) {
    static final int MAX_LIMIT = 100_000;

    /// A page's jobs.
    ///
    /// @param next the cursor of the page after it; null if this is the last
    record Content(List<Job> jobs, @Nullable String next) {}

    static JobPage of(@Nullable String cursor, @Nullable String limit) throws Refused {
        return new JobPage(
                cursor == null ? null : new JobId(number("cursor", cursor, Long.MAX_VALUE)),
                limit == null
                        ? Integer.MAX_VALUE
                        : Math.toIntExact(number("limit", limit, MAX_LIMIT)));
    }

    private static long number(String parameter, String text, long most) throws Refused {
        try {
            long value = Long.parseLong(text);
            if (value >= 1 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told as a number that is out of range is.
        }
        throw new Refused(
                new InvalidRequest(
                        parameter.equals("cursor")
                                ? "cursor " + quoted(text) + " is none that this service gave"
                                : parameter + " " + quoted(text) + " is not 1 to " + most));
    }

    /// The page of these jobs.
    ///
    /// @param jobs by ascending id, from the first or from the page's beginning
    Content of(Stream<Job> jobs) {
        JobId begin = after;
        List<Job> found =
                jobs.filter(job -> begin == null || job.id().compareTo(begin) > 0)
                        .limit(limit == Integer.MAX_VALUE ? limit : limit + 1L)
                        .toList();
        if (found.size() <= limit) {
            return new Content(found, null);
        }
        List<Job> shown = found.subList(0, limit);
        return new Content(shown, shown.getLast().id().toString());
    }
}
