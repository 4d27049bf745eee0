package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.contracts.event.JobEvent;
import io.berth.submit.Picture;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import io.berth.submit.feed.FeedEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which events a client follows.
///
/// @param jobs,users,types empty is all
record EventFilter(Set<JobId> jobs, List<String> users, List<String> types) {
    static final List<String> TYPES =
            Arrays.stream(JobEvent.class.getPermittedSubclasses())
                    .map(Class::getSimpleName)
                    .sorted()
                    .toList();

    /// From the parameters of a query, lists with commas.
    static EventFilter of(@Nullable String jobs, @Nullable String users, @Nullable String types)
            throws Refused {
        var ids = new TreeSet<JobId>();
        for (String id : JobFilter.words(jobs)) {
            ids.add(jobId(id));
        }
        List<String> wanted = JobFilter.words(types);
        if (!TYPES.containsAll(wanted)) {
            throw new Refused(
                    new InvalidRequest(
                            "unknown event type; there are: " + String.join(", ", TYPES)));
        }
        return new EventFilter(ids, JobFilter.words(users), wanted);
    }

    /// Whether events are chosen by their job's user, which the event itself may not tell.
    boolean byUser() {
        return !users.isEmpty();
    }

    /// @param picture null unless they are chosen by user
    boolean admits(FeedEvent event, @Nullable Picture picture, long now) {
        return (jobs.isEmpty() || jobs.contains(event.job()))
                && (types.isEmpty() || types.contains(event.type()))
                && (users.isEmpty() || users.contains(user(event, picture, now)));
    }

    private static String user(FeedEvent event, @Nullable Picture picture, long now) {
        String user = event.user();
        if (user != null || picture == null) {
            return user == null ? "" : user;
        }
        return picture.job(event.job(), now).map(job -> job.user()).orElse("");
    }

    private static JobId jobId(String text) throws Refused {
        try {
            return new JobId(Long.parseLong(text));
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    new InvalidRequest("a job id is a positive number, and not what is given"));
        }
    }
}
