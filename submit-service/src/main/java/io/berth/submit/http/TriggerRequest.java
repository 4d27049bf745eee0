package io.berth.submit.http;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Trigger.Asked;
import io.berth.contracts.event.Trigger.Occasion;
import io.berth.slurm.HostList;
import io.berth.submit.Admission;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Node;
import io.berth.submit.NodeOccasion;
import io.berth.submit.Permissions;
import io.berth.submit.Picture;
import io.berth.submit.Refusal.InvalidNode;
import io.berth.submit.Refusal.JobNotPending;
import io.berth.submit.Refused;
import io.berth.submit.TriggerRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A trigger as it is asked for: the body of `POST /v1/triggers`.
///
/// @param occasion `fini` or `time` of a job, or `down`, `up`, `drained`, `idle` or `fail` of nodes
/// @param job of an occasion of jobs: one job, `17` or `17_4`
/// @param nodes of an occasion of nodes: a host list; without one, every node
/// @param offsetSeconds how long after the occasion the program runs, and for `idle` how long the
///   nodes must have been so; below 0, how long before the time limit
/// @param permanent whether it stays when the program has run; of an occasion of nodes
/// @param program an absolute path on the nodes, and arguments
/// @param user who sets it, and runs the program; only an admin may name another than himself
record TriggerRequest(
        @Nullable String occasion,
        @Nullable String job,
        @Nullable String nodes,
        @Nullable Long offsetSeconds,
        @Nullable Boolean permanent,
        @Nullable List<String> program,
        @Nullable String user) {

    private static final long MAX_OFFSET_SECONDS = 366 * 86_400;

    /// An ended job shows for a day: later nobody knows when it ended.
    private static final long MAX_AFTER_JOB_SECONDS = 43_200;

    private static final int MAX_WORDS = 100;
    private static final long UNNUMBERED = 0;

    /// The trigger that it becomes, which has no number yet.
    ///
    /// @param now epoch milliseconds
    /// @throws Refused if there can be no such trigger, or the caller may not set it, or its
    ///   program could not be run
    Asked trigger(Gateway gateway, Caller caller, long now) throws Refused {
        Occasion what = what();
        JobId id = what.ofJob() ? watched(gateway, caller) : null;
        if (!what.ofJob()) {
            Permissions.ofOperator(caller, "set triggers of nodes");
        }
        List<NodeName> where = what.ofJob() ? List.of() : where(gateway.picture(null));
        if (what.ofJob() ? nodes != null : job != null) {
            throw Checks.invalid(
                    word(what) + " is an occasion of " + (what.ofJob() ? "a job" : "nodes"));
        }
        if (what.ofJob() && Boolean.TRUE.equals(permanent)) {
            throw Checks.invalid("permanent is for triggers of nodes: a job is over once");
        }
        long least = what == Occasion.TIME ? -MAX_OFFSET_SECONDS : 0;
        var asked =
                new Asked(
                        UNNUMBERED,
                        user == null ? caller.user() : user,
                        what,
                        id,
                        where,
                        what.ofJob()
                                ? List.of()
                                : NodeOccasion.before(what, nodes(where, gateway.picture(null))),
                        Checks.number(
                                "the offset in seconds",
                                offsetSeconds,
                                least,
                                what.ofJob() ? MAX_AFTER_JOB_SECONDS : MAX_OFFSET_SECONDS,
                                0),
                        Boolean.TRUE.equals(permanent),
                        words(),
                        now);
        checkRun(asked, gateway, caller);
        return asked;
    }

    /// @throws Refused unless the job that runs the program would be admitted today
    private static void checkRun(Asked trigger, Gateway gateway, Caller caller) throws Refused {
        var run = TriggerRun.of(trigger, "0");
        String owner = Admission.owner(run, caller);
        gateway.described(run, new Caller(owner, AdminLevel.NONE, caller.host()));
    }

    private Occasion what() throws Refused {
        String given = occasion == null ? "" : occasion;
        return Arrays.stream(Occasion.values())
                .filter(it -> word(it).equals(given))
                .findFirst()
                .orElseThrow(() ->
                        Checks.invalid(
                                "the occasion is one of %s, and not %s"
                                        .formatted(
                                                Arrays.stream(Occasion.values())
                                                        .map(TriggerRequest::word)
                                                        .collect(Collectors.joining(", ")),
                                                Checks.quoted(given))));
    }

    private static String word(Occasion occasion) {
        return occasion.name().toLowerCase(Locale.ROOT);
    }

    private JobId watched(Gateway gateway, Caller caller) throws Refused {
        if (job == null) {
            throw Checks.invalid("no job is named");
        }
        List<Job> named = gateway.named(JobName.parse(job), caller);
        if (named.size() > 1 && named.getFirst().description().het() == null) {
            throw Checks.invalid(
                    job
                            + " is an array: a trigger is set for one of its tasks, such as "
                            + job
                            + "_1");
        }
        Job watched = named.getFirst();
        Permissions.toControl(watched, caller, Gateway.configuration(gateway.picture(null)));
        if (watched.state().terminal()) {
            throw new Refused(new JobNotPending(JobControls.OVER));
        }
        return watched.id();
    }

    private List<NodeName> where(Picture picture) throws Refused {
        if (nodes == null || nodes.equals("*")) {
            return List.of();
        }
        var named = new ArrayList<NodeName>();
        try {
            HostList.expand(nodes).forEach(it -> named.add(new NodeName(it)));
        } catch (IllegalArgumentException e) {
            throw new Refused(new InvalidNode(Objects.toString(e.getMessage())));
        }
        for (NodeName name : named) {
            if (picture.nodeStatus(name) == null) {
                throw new Refused(
                        new InvalidNode("there is no node " + Checks.quoted(name.value())));
            }
        }
        return named.stream().distinct().toList();
    }

    private static List<Node> nodes(List<NodeName> named, Picture picture) {
        return picture.nodes().stream()
                .filter(it -> named.isEmpty() || named.contains(it.name()))
                .toList();
    }

    private List<String> words() throws Refused {
        List<String> words = program == null ? List.of() : program;
        if (words.isEmpty() || words.size() > MAX_WORDS || !words.getFirst().startsWith("/")) {
            throw Checks.invalid(
                    "the program is not an absolute path and at most "
                            + (MAX_WORDS - 1)
                            + " arguments");
        }
        return words;
    }
}
