package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.line;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.Dependency;
import io.berth.contracts.Hold;
import io.berth.contracts.JobTerms;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.WarningSignal;
import io.berth.slurm.DependencyText;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.SignalText;
import io.berth.submit.Refusal.NotAllowed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The terms that a submission asks for, checked.
final class RequestedTerms {

    static final long MAX_PRIORITY = 0xffff_fffeL;

    /// The year 9999, in epoch milliseconds.
    static final long LATEST = 253_370_764_800_000L;

    private static final long MAX_SECONDS = 10_000_000_000L;
    static final int MAX_COMMENT = 1024;

    /// Every record of a job has them all.
    private static final int MOST_CLAUSES = 1000;

    private RequestedTerms() {}

    /// Null for a job on no special terms.
    static @Nullable JobTerms of(JobSubmission.Terms asked, Caller caller) throws Refused {
        var terms =
                new JobTerms(
                        Boolean.TRUE.equals(asked.hold()) ? Hold.USER : null,
                        time("the begin time", asked.beginAt()),
                        time("the deadline", asked.deadlineAt()),
                        asked.timeMinSeconds() == null
                                ? null
                                : (Long) leastTime(asked.timeMinSeconds()),
                        dependency(asked.dependency()),
                        asked.killOnInvalidDependency(),
                        signal(asked.signal()),
                        null,
                        priority(asked.priority(), caller),
                        asked.comment() == null || asked.comment().isEmpty()
                                ? null
                                : line("the comment", asked.comment(), MAX_COMMENT),
                        preemption(asked.preemption(), caller),
                        null,
                        asked.maxWaitSeconds() == null
                                ? null
                                : (Long)
                                        number(
                                                "the longest wait in seconds",
                                                asked.maxWaitSeconds(),
                                                1,
                                                MAX_SECONDS,
                                                0),
                        null,
                        null,
                        List.of());
        return terms.equals(JobTerms.NONE) ? null : terms;
    }

    static @Nullable Long time(String what, @Nullable Long millis) throws Refused {
        return millis == null ? null : number(what, millis, 1, LATEST, 0);
    }

    static long leastTime(long seconds) throws Refused {
        return number("the least time limit in seconds", seconds, 0, MAX_SECONDS, 0);
    }

    static @Nullable Dependency dependency(@Nullable String text) throws Refused {
        if (text == null) {
            return null;
        }
        try {
            Dependency dependency = DependencyText.parse(text);
            if (dependency != null && dependency.clauses().size() > MOST_CLAUSES) {
                throw invalid(
                        "Job dependency problem: on %d jobs, more than %d"
                                .formatted(dependency.clauses().size(), MOST_CLAUSES));
            }
            return dependency;
        } catch (InvalidOption e) {
            throw invalid("Job dependency problem: " + quoted(text));
        }
    }

    private static @Nullable WarningSignal signal(@Nullable String text) throws Refused {
        if (text == null) {
            return null;
        }
        try {
            return SignalText.warning(text);
        } catch (InvalidOption e) {
            throw invalid(e.getMessage() + ": " + quoted(text));
        }
    }

    private static @Nullable PreemptPolicy preemption(@Nullable String text, Caller caller)
            throws Refused {
        PreemptPolicy policy =
                switch (text) {
                    case null -> null;
                    case "never" -> PreemptPolicy.NEVER;
                    case "lower" -> PreemptPolicy.LOWER;
                    case "always" -> PreemptPolicy.ALWAYS;
                    default ->
                            throw invalid(
                                    "Invalid preemption: %s is none of never, lower, always"
                                            .formatted(quoted(text)));
                };
        if (policy == PreemptPolicy.ALWAYS && !caller.operator()) {
            throw new Refused(
                    new NotAllowed(
                            "to preempt always, exempt jobs too, is the operator's to give"));
        }
        return policy;
    }

    static @Nullable Long priority(@Nullable Long points, Caller caller) throws Refused {
        if (points == null) {
            return null;
        }
        if (!caller.operator()) {
            throw new Refused(new NotAllowed("a priority of its own is the operator's to give"));
        }
        return number("the priority", points, 1, MAX_PRIORITY, 0);
    }
}
