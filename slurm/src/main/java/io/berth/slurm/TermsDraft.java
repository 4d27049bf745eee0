package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// When a submission may start and what it obeys, while its options are read. Confined to one call.
final class TermsDraft {

    /// What `--priority=TOP` stands for.
    private static final long TOP = 0xffff_fffeL;

    private static final Set<String> POLICIES = Set.of("never", "lower", "always");

    private final Supplier<ZonedDateTime> now;
    private @Nullable String array;
    private @Nullable String dependency;
    private @Nullable Boolean killOnInvalidDependency;
    private @Nullable Boolean hold;
    private @Nullable Long beginAt;
    private @Nullable Long deadlineAt;
    private @Nullable Long timeMin;
    private @Nullable String signal;
    private @Nullable Long priority;
    private @Nullable String comment;
    private @Nullable String preemption;
    private @Nullable String mailType;
    private @Nullable String mailUser;
    private @Nullable Long maxWait;

    TermsDraft(Supplier<ZonedDateTime> now) {
        this.now = now;
    }

    void set(SbatchSetting setting, Given<SbatchOption> given) throws InvalidOption {
        switch (setting) {
            case ARRAY ->
                    array = ArrayText.parse(given.required()) == null ? null : given.required();
            case BEGIN -> beginAt = time(given);
            case COMMENT -> comment = given.required();
            case DEADLINE -> deadlineAt = time(given);
            case DEPENDENCY ->
                    dependency =
                            DependencyText.parse(given.required()) == null
                                    ? null
                                    : given.required();
            case HOLD -> hold = true;
            case KILL_ON_INVALID_DEP -> killOnInvalidDependency = yes(given);
            case MAIL_TYPE -> mailType = mailTypes(given);
            case MAIL_USER -> mailUser = given.required();
            case PRIORITY -> setPriority(given);
            case SIGNAL -> {
                SignalText.warning(given.required());
                signal = given.required();
            }
            case TIME_MIN -> timeMin = SbatchDraft.time(given);
            default -> throw new IllegalStateException("set " + setting + ": it is no term");
        }
    }

    /// Whose place the job takes, by a `#BERTH` line.
    void preempt(String policy) throws InvalidOption {
        if (!POLICIES.contains(policy)) {
            throw InvalidOption.malformed("Invalid --preempt specification");
        }
        preemption = policy;
    }

    /// How long the job may wait for its turn, by a `#BERTH` line.
    void maxWait(String text) throws InvalidOption {
        OptionalLong seconds = SlurmTime.parseLimit(text);
        if (seconds.isEmpty() || seconds.getAsLong() == 0) {
            throw InvalidOption.malformed("Invalid --max-wait specification");
        }
        maxWait = seconds.getAsLong();
    }

    private long time(Given<SbatchOption> given) throws InvalidOption {
        OptionalLong time = SlurmDate.parse(given.required(), now.get());
        if (time.isEmpty()) {
            throw InvalidOption.malformed(
                            "Invalid --" + given.option().longName() + " specification")
                    .after("Invalid time specification (pos=0): " + given.required());
        }
        return time.getAsLong();
    }

    private static boolean yes(Given<SbatchOption> given) throws InvalidOption {
        return switch (given.required().toLowerCase(Locale.ROOT)) {
            case "yes" -> true;
            case "no" -> false;
            default -> throw SbatchDraft.invalid(given);
        };
    }

    private static String mailTypes(Given<SbatchOption> given) throws InvalidOption {
        if (MailText.parse(given.required()).isEmpty()) {
            throw SbatchDraft.invalid(given);
        }
        return given.required();
    }

    /// A priority of 0 is a hold.
    private void setPriority(Given<SbatchOption> given) throws InvalidOption {
        String text = given.required();
        if (text.equalsIgnoreCase("TOP")) {
            priority = TOP;
            return;
        }
        OptionalLong number = Counts.plain(text);
        if (number.isEmpty() || number.getAsLong() > TOP) {
            throw SbatchDraft.invalid(given);
        }
        if (number.getAsLong() == 0) {
            hold = true;
        } else {
            priority = number.getAsLong();
        }
    }

    /// @param timeLimit seconds; 0 is unlimited, null is not given
    /// @param component whether it is one of a heterogeneous job, which is no array
    void check(@Nullable Long timeLimit, boolean component) throws InvalidOption {
        if (component && array != null) {
            throw InvalidOption.refused(
                    "Batch job submission failed: Invalid job array specification");
        }
        if (timeLimit != null && timeLimit > 0 && timeMin != null && timeMin > timeLimit) {
            throw InvalidOption.refused(
                    "Batch job submission failed: Invalid time-min specification"
                            + " (exceeds job's time or other limits)");
        }
    }

    /// @param mail whether mail is told of it: of a heterogeneous job the first component
    void write(SubmissionDraft.Terms to, boolean mail) {
        to.array = array;
        to.dependency = dependency;
        to.killOnInvalidDependency = killOnInvalidDependency;
        to.hold = hold;
        to.beginAt = beginAt;
        to.deadlineAt = deadlineAt;
        to.timeMinSeconds = timeMin;
        to.signal = signal;
        to.priority = priority;
        to.comment = comment;
        to.preemption = preemption;
        to.mailType = mail ? mailType : null;
        to.mailUser = mail ? mailUser : null;
        to.maxWaitSeconds = maxWait;
    }
}
