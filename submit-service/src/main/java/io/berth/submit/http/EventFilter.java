package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.contracts.PrivateData;
import io.berth.contracts.event.JobEvent;
import io.berth.core.request.Sight;
import io.berth.submit.Checks;
import io.berth.submit.Job;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import io.berth.submit.feed.FeedEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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
        for (String type : wanted) {
            if (!TYPES.contains(type)) {
                throw new Refused(
                        new InvalidRequest(
                                "unknown event type "
                                        + Checks.quoted(type)
                                        + "; there are: "
                                        + String.join(", ", TYPES)));
            }
        }
        return new EventFilter(ids, JobFilter.words(users), wanted);
    }

    /// Whether a client who may see so much is told the event.
    ///
    /// @param known finds the job of an event that does not say whose it is
    boolean admits(FeedEvent event, Sight sight, Function<JobId, Optional<Job>> known) {
        if ((!jobs.isEmpty() && !jobs.contains(event.job()))
                || (!types.isEmpty() && !types.contains(event.type()))) {
            return false;
        }
        if (users.isEmpty() && !sight.hides(PrivateData.JOBS)) {
            return true;
        }
        String user = event.user();
        String account = event.account();
        if (user == null || account == null) {
            Optional<Job> job = known.apply(event.job());
            user = job.map(Job::user).orElse("");
            account = job.map(it -> it.description().account()).orElse("");
        }
        return (users.isEmpty() || users.contains(user)) && sight.job(user, account);
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
