package io.berth.submit.http;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.NodeSeen;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission;
import io.berth.submit.Admission.Decision;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import io.berth.submit.Caller;
import io.berth.submit.JobRoom;
import io.berth.submit.Picture;
import io.berth.submit.Refused;
import io.berth.submit.SubmissionLimits;
import io.berth.submit.SubmissionLimits.Tally;
import io.berth.submit.Unavailable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Submissions of one moment, decided by the same picture one after the other: each counts against
/// the limits of those after it. Confined to one thread.
final class Intake {
    private final Configuration configuration;
    private final List<NodeSeen> nodes;
    private final Tally tally;
    private final Picture picture;
    private final JobRoom room;
    private final int maxArraySize;
    private final long now;
    private final Map<Caller, Admission> admissions = new HashMap<>();

    /// What was asked last, by whom, and what becomes of that. It depends on nothing else but the
    /// picture; only the limits are counted anew.
    private @Nullable JobSubmission lastAsked;

    private @Nullable Caller lastCaller;
    private @Nullable Decision lastDecision;

    /// @param limits for this intake alone as long as it is in use
    /// @param now epoch milliseconds
    /// @throws Unavailable before there is a configuration
    Intake(Picture picture, SubmissionLimits limits, JobRoom room, int maxArraySize, long now) {
        this.picture = picture;
        this.room = room;
        this.configuration = Gateway.configuration(picture);
        this.nodes = picture.registrations();
        this.tally = limits.tally(configuration, () -> picture.jobs(now));
        this.maxArraySize = maxArraySize;
        this.now = now;
    }

    Admitted admitted(JobSubmission asked, Caller caller) throws Refused {
        return switch (decision(asked, caller)) {
            case Admitted admitted -> {
                tally.add(admitted.descriptions(), admitted.tasks());
                room.take(picture.unendedJobs(), admitted.jobs());
                yield admitted;
            }
            case NotAdmitted no -> throw new Refused(no.refusal());
        };
    }

    private Decision decision(JobSubmission asked, Caller caller) {
        Decision decision = lastDecision;
        if (decision == null || !asked.equals(lastAsked) || !caller.equals(lastCaller)) {
            var admission =
                    admissions.computeIfAbsent(
                            caller,
                            it -> new Admission(configuration, nodes, it, maxArraySize, now));
            decision = admission.decide(asked);
            lastAsked = asked;
            lastCaller = caller;
            lastDecision = decision;
        }
        return decision;
    }
}
