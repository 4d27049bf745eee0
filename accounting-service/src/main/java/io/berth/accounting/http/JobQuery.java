package io.berth.accounting.http;

import io.berth.contracts.JobState;
import io.berth.contracts.PrivateData;
import io.berth.core.request.Sight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Which jobs are asked for: a condition in HQL with its named parameters.
record JobQuery(String where, Map<String, Object> parameters) {

    /// As the index by time has it.
    private static final String LASTED =
            "cast(sql('lasted(?, ?) && int8range(?, ?)', submittedAt, endedAt, :start, :end) as boolean) = true";

    /// A query that is refused; the message names the parameter and what is allowed.
    static final class Refused extends Exception {
        Refused(String message) {
            super(message);
        }
    }

    /// @param job ids, @param user, @param account names, @param state names or codes:
    ///   comma-separated
    /// @param start and
    /// @param end bound a time in which the jobs waited or ran, in epoch milliseconds
    static JobQuery of(
            @Nullable String job,
            @Nullable String user,
            @Nullable String account,
            @Nullable String state,
            @Nullable Long start,
            @Nullable Long end)
            throws Refused {
        var conditions = new ArrayList<String>();
        Map<String, Object> parameters = new LinkedHashMap<>();
        if (job != null) {
            conditions.add("id in :job");
            parameters.put("job", each(job, JobQuery::id, "job: '%s' is no job id"));
        }
        if (user != null) {
            conditions.add("username in :user");
            parameters.put("user", List.of(user.split(",")));
        }
        if (account != null) {
            conditions.add("account in :account");
            parameters.put("account", List.of(account.split(",")));
        }
        if (state != null) {
            conditions.add("state in :state");
            parameters.put("state", each(state, JobQuery::state, "state: '%s' is no job state"));
        }
        if (start != null || end != null) {
            long from = start == null ? 0 : start;
            long to = end == null ? Long.MAX_VALUE : end;
            if (from > to) {
                throw new Refused("start: " + from + " is after end, " + to);
            }
            conditions.add(LASTED);
            parameters.put("start", from);
            parameters.put("end", to);
        }
        String where = conditions.isEmpty() ? "" : String.join(" and ", conditions);
        return new JobQuery(where, parameters);
    }

    /// Of those jobs the ones that he who asks may see.
    JobQuery seenBy(Sight sight) {
        if (!sight.hides(PrivateData.JOBS)) {
            return this;
        }
        Map<String, Object> all = new LinkedHashMap<>(parameters);
        all.put("viewer", sight.user());
        var coordinated = sight.coordinated().toList();
        String seen = "username = :viewer";
        if (!coordinated.isEmpty()) {
            all.put("coordinated", coordinated);
            seen = "(username = :viewer or account in :coordinated)";
        }
        return new JobQuery(where.isEmpty() ? seen : where + " and " + seen, all);
    }

    private static <T> List<T> each(
            String list, Function<String, @Nullable T> parse, String complaint) throws Refused {
        var parsed = new ArrayList<T>();
        for (String text : list.split(",")) {
            T value = parse.apply(text.strip());
            if (value == null) {
                throw new Refused(complaint.formatted(text));
            }
            parsed.add(value);
        }
        return parsed;
    }

    private static @Nullable Long id(String text) {
        return text.matches("[1-9][0-9]{0,17}") ? Long.valueOf(text) : null;
    }

    private static @Nullable JobState state(String text) {
        for (JobState state : JobState.values()) {
            if (state.name().equalsIgnoreCase(text) || state.code().equalsIgnoreCase(text)) {
                return state;
            }
        }
        return null;
    }
}
