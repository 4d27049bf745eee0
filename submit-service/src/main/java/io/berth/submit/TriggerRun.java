package io.berth.submit;

import io.berth.contracts.event.Trigger.Asked;
import io.berth.slurm.JobSubmission;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The run of a trigger's program: a small job of the one who set it, with what the trigger is
/// about as its last argument. Its time limit is that of Slurm's trigger programs, whose output
/// nobody reads either.
public final class TriggerRun {

    private static final long LIMIT_SECONDS = 300;

    private TriggerRun() {}

    /// @param subject the job's id, or the nodes as a host list
    public static JobSubmission of(Asked trigger, String subject) {
        List<String> arguments = new ArrayList<>(trigger.program());
        arguments.add(subject);
        return JobSubmission.of(to -> {
            to.script = "#!/bin/sh\nexec \"$@\"\n";
            to.arguments = arguments;
            to.user = trigger.user();
            to.name = "strigger";
            to.nodes = 1;
            to.tasks = 1;
            to.timeLimitSeconds = LIMIT_SECONDS;
            to.standardOutput = "/dev/null";
            to.terms.comment =
                    "trigger %d: %s"
                            .formatted(
                                    trigger.number(),
                                    trigger.occasion().name().toLowerCase(Locale.ROOT));
        });
    }
}
