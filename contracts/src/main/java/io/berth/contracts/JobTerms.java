package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The terms on which a job starts and ends, beside its resources. Null is not given. Times are
/// epoch milliseconds.
///
/// @param hold the job is submitted held
/// @param beginAt it does not start earlier
/// @param deadlineAt it ends as DEADLINE when it cannot have ended by then
/// @param timeMinSeconds its limit may be lowered to this if it then starts sooner
/// @param killOnInvalidDependency whether it is cancelled when its dependency can never be met;
///   else it waits for someone to notice
/// @param priority set by an operator, in points: neither rank nor fair share count
/// @param preemption whose place it takes; null is [PreemptPolicy#LOWER]
/// @param siteFactor points that an operator adds to its priority; null is 0
/// @param maxWaitSeconds it ends as DEADLINE when it has waited for its turn so long and never ran
/// @param askedLimitSeconds the limit that it asked for and has again when it waits again, 0 being
///   none; null unless its run has a lower one, see `timeMinSeconds`
/// @param het the heterogeneous job of which it is a component; null of none
/// @param partitions all in which it may start, in the order in which it names them; empty of one
///   that names no more than one
public record JobTerms(
        @Nullable Hold hold,
        @Nullable Long beginAt,
        @Nullable Long deadlineAt,
        @Nullable Long timeMinSeconds,
        @Nullable Dependency dependency,
        @Nullable Boolean killOnInvalidDependency,
        @Nullable WarningSignal signal,
        @Nullable ArrayTask array,
        @Nullable Long priority,
        @Nullable String comment,
        @Nullable PreemptPolicy preemption,
        @Nullable Integer siteFactor,
        @Nullable Long maxWaitSeconds,
        @Nullable Long askedLimitSeconds,
        @Nullable HetComponent het,
        @Added @JsonInclude(Include.NON_EMPTY) List<String> partitions) {

    public static final JobTerms NONE =
            new JobTerms(
                    null, null, null, null, null, null, null, null, null, null, null, null, null,
                    null, null, List.of());

    public JobTerms {
        partitions = partitions == null ? List.of() : List.copyOf(partitions);
    }

    /// The same terms, of a job that begins at that time at the earliest.
    public JobTerms from(long at) {
        return with(to -> to.beginAt = at);
    }

    /// The same terms for a task of an array.
    public JobTerms as(ArrayTask task) {
        return with(to -> to.array = task);
    }

    /// The same terms of a job whose limit is lower than the one that it asked for.
    ///
    /// @param seconds what it asked for; null if it has that
    JobTerms asked(@Nullable Long seconds) {
        return with(to -> to.askedLimitSeconds = seconds);
    }

    /// The same terms but for what is changed.
    public JobTerms with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return new JobTerms(
                draft.hold,
                draft.beginAt,
                draft.deadlineAt,
                draft.timeMinSeconds,
                draft.dependency,
                draft.killOnInvalidDependency,
                draft.signal,
                draft.array,
                draft.priority,
                draft.comment,
                draft.preemption,
                draft.siteFactor,
                draft.maxWaitSeconds,
                draft.askedLimitSeconds,
                draft.het,
                draft.partitions);
    }

    /// What [#with] may change; as the terms have it until then.
    public static final class Draft {
        public @Nullable Hold hold;
        public @Nullable Long beginAt;
        public @Nullable Long deadlineAt;
        public @Nullable Long timeMinSeconds;
        public @Nullable Dependency dependency;
        public @Nullable Boolean killOnInvalidDependency;
        public @Nullable WarningSignal signal;
        public @Nullable ArrayTask array;
        public @Nullable Long priority;
        public @Nullable String comment;
        public @Nullable PreemptPolicy preemption;
        public @Nullable Integer siteFactor;
        public @Nullable Long maxWaitSeconds;
        public @Nullable Long askedLimitSeconds;
        public @Nullable HetComponent het;
        public List<String> partitions;

        private Draft(JobTerms terms) {
            hold = terms.hold;
            beginAt = terms.beginAt;
            deadlineAt = terms.deadlineAt;
            timeMinSeconds = terms.timeMinSeconds;
            dependency = terms.dependency;
            killOnInvalidDependency = terms.killOnInvalidDependency;
            signal = terms.signal;
            array = terms.array;
            priority = terms.priority;
            comment = terms.comment;
            preemption = terms.preemption;
            siteFactor = terms.siteFactor;
            maxWaitSeconds = terms.maxWaitSeconds;
            askedLimitSeconds = terms.askedLimitSeconds;
            het = terms.het;
            partitions = terms.partitions;
        }
    }
}
