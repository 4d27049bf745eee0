package io.berth.submit.http;

import io.berth.contracts.JobState;
import io.berth.slurm.JobText;
import io.berth.submit.Checks;
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
/// of those. Every other list that is empty admits all.
///
/// @param ids of jobs, arrays and tasks
/// @param names the jobs' own
record JobFilter(
        Set<JobState> states,
        List<JobName> ids,
        List<String> names,
        List<String> users,
        List<String> accounts,
        List<String> partitions,
        List<String> qos) {

    static JobFilter of(JobQuery query) throws Refused {
        var states = EnumSet.noneOf(JobState.class);
        for (String state : words(query.states())) {
            states.addAll(statesOf(state));
        }
        return new JobFilter(
                states,
                ids(query.ids()),
                words(query.names()),
                words(query.users()),
                words(query.accounts()),
                words(query.partitions()),
                words(query.qos()));
    }

    /// Ids between commas; commas within brackets part none.
    ///
    /// @param list null is none
    static List<JobName> ids(@Nullable String list) throws Refused {
        var ids = new ArrayList<JobName>();
        for (String name : list == null ? List.<String>of() : JobText.split(list)) {
            if (!name.isBlank()) {
                ids.add(JobName.parse(name.strip()));
            }
        }
        return ids;
    }

    boolean admits(Job job) {
        var asked = job.description();
        return (states.isEmpty()
                        ? !ids.isEmpty() || !job.state().terminal()
                        : states.contains(job.state()))
                && admits(names, asked.name())
                && admits(users, job.user())
                && admits(accounts, asked.account())
                && job.partitions().stream().anyMatch(it -> admits(partitions, it))
                && admits(qos, asked.qos());
    }

    private static boolean admits(List<String> wanted, String value) {
        return wanted.isEmpty() || wanted.contains(value);
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
                        "unknown state "
                                + Checks.quoted(text)
                                + "; there are: ALL, "
                                + String.join(
                                        ", ",
                                        Stream.of(JobState.values()).map(Enum::name).toList())));
    }
}
