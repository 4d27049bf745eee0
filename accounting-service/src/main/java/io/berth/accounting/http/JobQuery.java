package io.berth.accounting.http;

import io.berth.contracts.JobState;
import io.berth.contracts.PrivateData;
import io.berth.core.request.Sight;
import io.berth.slurm.JobText;
import jakarta.ws.rs.QueryParam;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Which jobs are asked for: a condition in HQL with its named parameters.
record JobQuery(String where, Map<String, Object> parameters) {

    /// As the index by time has it.
    private static final String LASTED =
            "cast(sql('lasted(?, ?) && int8range(?, ?)', submittedAt, endedAt, :start, :end) as boolean) = true";

    /// Tasks of an array, of which there may be more than a statement may have parameters.
    private static final String TASKS =
            "arrayJob = :array%d and cast(sql('? = any(string_to_array(?, '','')::int[])', arrayTask, :tasks%d) as boolean) = true";

    /// Of arrays, in all names: the database is told each of them.
    private static final int MOST_TASKS = 1 << 18;

    /// A query that is refused; the message names the parameter and what is allowed.
    static final class Refused extends Exception {
        Refused(String message) {
            super(message);
        }
    }

    /// The parameters as they are sent, each null if it is not given.
    ///
    /// @param jobs names as [JobText] has them, @param states names or codes, and the names of
    ///   others: with commas between
    /// @param start and
    /// @param end bound a time in which the jobs waited or ran, in epoch milliseconds
    record Asked(
            @QueryParam("job") @Nullable String jobs,
            @QueryParam("user") @Nullable String users,
            @QueryParam("account") @Nullable String accounts,
            @QueryParam("partition") @Nullable String partitions,
            @QueryParam("qos") @Nullable String qos,
            @QueryParam("name") @Nullable String names,
            @QueryParam("state") @Nullable String states,
            @QueryParam("start") @Nullable Long start,
            @QueryParam("end") @Nullable Long end) {}

    static JobQuery of(Asked asked) throws Refused {
        var conditions = new ArrayList<String>();
        Map<String, Object> parameters = new LinkedHashMap<>();
        if (asked.jobs() != null) {
            conditions.add(named(asked.jobs(), parameters));
        }
        oneOf("username", asked.users(), conditions, parameters);
        oneOf("account", asked.accounts(), conditions, parameters);
        oneOf("partition", asked.partitions(), conditions, parameters);
        oneOf("qos", asked.qos(), conditions, parameters);
        oneOf("name", asked.names(), conditions, parameters);
        if (asked.states() != null) {
            conditions.add("state in :state");
            parameters.put(
                    "state", each(asked.states(), JobQuery::state, "state: '%s' is no job state"));
        }
        if (asked.start() != null || asked.end() != null) {
            long from = asked.start() == null ? 0 : asked.start();
            long to = asked.end() == null ? Long.MAX_VALUE : asked.end();
            if (from > to) {
                throw new Refused("start: " + from + " is after end, " + to);
            }
            conditions.add(LASTED);
            parameters.put("start", from);
            parameters.put("end", to);
        }
        return new JobQuery(String.join(" and ", conditions), parameters);
    }

    /// Those of these names: `17` is a job, all tasks of an array or all components of a
    /// heterogeneous job, `17_4` and `17_[1-3]` are tasks, `17+1` is a component.
    private static String named(String names, Map<String, Object> parameters) throws Refused {
        var whole = new ArrayList<Long>();
        var either = new ArrayList<String>();
        int tasks = 0;
        for (String text : JobText.split(names)) {
            JobText name = JobText.parse(text.strip());
            if (name == null || name.id() == 0) {
                throw new Refused(
                        "job: '%s' is no job, such as 17, 17_4, 17_[1-3] or 17+1".formatted(text));
            }
            if (name.component() != null) {
                int number = either.size();
                either.add("hetJob = :het%1$d and id = :component%1$d".formatted(number));
                parameters.put("het" + number, name.id());
                parameters.put("component" + number, name.id() + name.component());
                continue;
            }
            if (name.tasks() == null) {
                whole.add(name.id());
                continue;
            }
            tasks += name.tasks().size();
            if (tasks > MOST_TASKS) {
                throw new Refused(
                        "job: more than %d tasks of arrays are named".formatted(MOST_TASKS));
            }
            int number = either.size();
            either.add(TASKS.formatted(number, number));
            parameters.put("array" + number, name.id());
            parameters.put(
                    "tasks" + number,
                    name.tasks().toBitSet().stream()
                            .mapToObj(Integer::toString)
                            .collect(Collectors.joining(",")));
        }
        if (!whole.isEmpty()) {
            either.add("id in :job or arrayJob in :job or hetJob in :job");
            parameters.put("job", whole);
        }
        return either.isEmpty() ? "1 = 0" : "(" + String.join(" or ", either) + ")";
    }

    private static void oneOf(
            String column,
            @Nullable String names,
            List<String> conditions,
            Map<String, Object> parameters) {
        if (names != null) {
            conditions.add(column + " in :" + column);
            // As the books have a NUL, which no text of the database can hold.
            parameters.put(column, List.of(names.replace('\0', '\uFFFD').split(",")));
        }
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

    private static @Nullable JobState state(String text) {
        for (JobState state : JobState.values()) {
            if (state.name().equalsIgnoreCase(text) || state.code().equalsIgnoreCase(text)) {
                return state;
            }
        }
        return null;
    }
}
