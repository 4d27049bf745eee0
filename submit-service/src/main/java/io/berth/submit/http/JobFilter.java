package io.berth.submit.http;

import io.berth.contracts.JobState;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which jobs a list shows. Without states: those that have not ended, or, where ids are given, all
/// of those.
///
/// @param names,users,partitions empty is all
record JobFilter(
        Set<JobState> states, List<JobName> names, List<String> users, List<String> partitions) {
    /// From the parameters of a query, lists with commas.
    static JobFilter of(
            @Nullable String states,
            @Nullable String ids,
            @Nullable String users,
            @Nullable String partitions)
            throws Refused {
        var wanted = EnumSet.noneOf(JobState.class);
        for (String state : words(states)) {
            wanted.addAll(statesOf(state));
        }
        var jobs = new ArrayList<JobName>();
        for (String name : names(ids)) {
            jobs.add(JobName.parse(name));
        }
        return new JobFilter(wanted, jobs, words(users), words(partitions));
    }

    /// Job names between commas; commas within brackets part none.
    private static List<String> names(@Nullable String list) {
        return list == null
                ? List.of()
                : Stream.of(list.split(",(?![^\\[]*\\])"))
                        .map(String::strip)
                        .filter(it -> !it.isEmpty())
                        .toList();
    }

    boolean admits(Job job) {
        return (states.isEmpty()
                        ? !names.isEmpty() || !job.state().terminal()
                        : states.contains(job.state()))
                && (users.isEmpty() || users.contains(job.user()))
                && (partitions.isEmpty() || partitions.contains(job.partition()));
    }

    /// What stands between the commas of a list; null is none.
    static List<String> words(@Nullable String list) {
        return list == null
                ? List.of()
                : Stream.of(list.split(","))
                        .map(String::strip)
                        .filter(it -> !it.isEmpty())
                        .toList();
    }

    private static Set<JobState> statesOf(String text) throws Refused {
        String name = text.toUpperCase(Locale.ROOT);
        if (name.equals("ALL")) {
            return EnumSet.allOf(JobState.class);
        }
        for (JobState state : JobState.values()) {
            if (state.name().equals(name) || state.code().equals(name)) {
                return EnumSet.of(state);
            }
        }
        throw new Refused(
                new InvalidRequest(
                        "unknown state; there are: ALL, "
                                + String.join(
                                        ", ",
                                        Stream.of(JobState.values()).map(Enum::name).toList())));
    }
}
