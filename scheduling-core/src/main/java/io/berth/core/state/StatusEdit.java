package io.berth.core.state;

import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A job's status while it changes. What nobody sets stays. Confined to one call.
final class StatusEdit {

    private final JobStatus before;
    private JobDescription description;
    private JobState state;
    private Reason reason;
    private Rank rank;
    private @Nullable Run run;
    private List<EndedRun> ended;
    private long endedAt;
    private @Nullable ExitStatus exit;
    private @Nullable String cancelledBy;
    private @Nullable String message;
    private @Nullable Planned planned;
    private @Nullable Hold hold;
    private @Nullable Long eligibleAt;
    private @Nullable Clearing clearing;

    StatusEdit(JobStatus before) {
        this.before = before;
        this.description = before.description();
        this.state = before.state();
        this.reason = before.reason();
        this.rank = before.rank();
        this.run = before.run();
        this.ended = before.ended();
        this.endedAt = before.endedAt();
        this.exit = before.exit();
        this.cancelledBy = before.cancelledBy();
        this.message = before.message();
        this.planned = before.planned();
        this.hold = before.hold();
        this.eligibleAt = before.eligibleAt();
        this.clearing = before.clearing();
    }

    StatusEdit description(JobDescription it) {
        description = it;
        return this;
    }

    StatusEdit state(JobState it, Reason why) {
        state = it;
        reason = why;
        return this;
    }

    StatusEdit reason(Reason it) {
        reason = it;
        return this;
    }

    StatusEdit rank(Rank it) {
        rank = it;
        return this;
    }

    StatusEdit run(@Nullable Run it) {
        run = it;
        return this;
    }

    StatusEdit ended(List<EndedRun> it, long at) {
        ended = it;
        endedAt = at;
        return this;
    }

    StatusEdit exit(ExitStatus it) {
        exit = it;
        return this;
    }

    StatusEdit cancelledBy(String it) {
        cancelledBy = it;
        return this;
    }

    StatusEdit message(@Nullable String it) {
        message = it;
        return this;
    }

    StatusEdit planned(@Nullable Planned it) {
        planned = it;
        return this;
    }

    StatusEdit hold(@Nullable Hold it) {
        hold = it;
        return this;
    }

    StatusEdit eligibleAt(long it) {
        eligibleAt = it;
        return this;
    }

    StatusEdit clearing(@Nullable Clearing it) {
        clearing = it;
        return this;
    }

    JobStatus done() {
        return new JobStatus(
                before.job(),
                description,
                before.submittedBy(),
                before.spec(),
                before.key(),
                before.submission(),
                before.submittedAt(),
                state,
                reason,
                rank,
                run,
                ended,
                endedAt,
                exit,
                cancelledBy,
                message,
                state == JobState.PENDING ? planned : null,
                hold,
                eligibleAt,
                state == JobState.PENDING ? clearing : null);
    }
}
