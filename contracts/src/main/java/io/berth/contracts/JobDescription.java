package io.berth.contracts;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a job is, as far as ranking, placement and the books need to know. It holds no script and
/// no environment: it may be published.
///
/// @param partition in which it runs, or has run last; of one that has not, the first in which it
///   may start
/// @param timeLimitSeconds limit of the run time; 0 is unlimited
/// @param nice subtracted from the job's priority, in points
/// @param requeue whether the job may start again after its nodes failed it
/// @param terms null is [JobTerms#NONE]
public record JobDescription(
        String user,
        String account,
        String partition,
        String qos,
        String name,
        ResourceRequest request,
        LaunchMode launch,
        long timeLimitSeconds,
        int nice,
        boolean requeue,
        @Nullable JobTerms terms) {

    public JobDescription {
        terms = JobTerms.NONE.equals(terms) ? null : terms;
    }

    /// A job on no special terms.
    public JobDescription(
            String user,
            String account,
            String partition,
            String qos,
            String name,
            ResourceRequest request,
            LaunchMode launch,
            long timeLimitSeconds,
            int nice,
            boolean requeue) {
        this(
                user,
                account,
                partition,
                qos,
                name,
                request,
                launch,
                timeLimitSeconds,
                nice,
                requeue,
                null);
    }

    /// The terms; never null.
    public JobTerms conditions() {
        return Objects.requireNonNullElse(terms, JobTerms.NONE);
    }

    /// The same job on other terms.
    public JobDescription on(JobTerms other) {
        return with(to -> to.terms = other);
    }

    /// The same job with a lower limit than it asks for.
    public JobDescription limited(long seconds) {
        Long asked = conditions().askedLimitSeconds();
        return withLimit(seconds, asked == null ? (Long) timeLimitSeconds : asked);
    }

    /// The same job with the limit that it asks for.
    public JobDescription inFull() {
        Long asked = conditions().askedLimitSeconds();
        return asked == null ? this : withLimit(asked, null);
    }

    private JobDescription withLimit(long seconds, @Nullable Long asked) {
        return with(to -> {
            to.timeLimitSeconds = seconds;
            to.terms = conditions().asked(asked);
        });
    }

    /// The same job with another request.
    public JobDescription with(ResourceRequest other) {
        return with(to -> to.request = other);
    }

    /// The same job in another partition.
    public JobDescription in(String other) {
        return with(to -> to.partition = other);
    }

    /// The same job as a component of a heterogeneous one: those after the first have no program of
    /// their own.
    public JobDescription as(HetComponent component, JobId job) {
        return with(to -> {
            to.launch = component.offset(job) == 0 ? launch : LaunchMode.HELD;
            to.terms = conditions().with(terms -> terms.het = component);
        });
    }

    private JobDescription with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return new JobDescription(
                user,
                account,
                draft.partition,
                qos,
                name,
                draft.request,
                draft.launch,
                draft.timeLimitSeconds,
                nice,
                requeue,
                draft.terms);
    }

    private static final class Draft {
        String partition;
        ResourceRequest request;
        LaunchMode launch;
        long timeLimitSeconds;
        @Nullable JobTerms terms;

        Draft(JobDescription job) {
            partition = job.partition;
            request = job.request;
            launch = job.launch;
            timeLimitSeconds = job.timeLimitSeconds;
            terms = job.terms;
        }
    }

    /// All partitions in which it may start, in the order in which it names them.
    public List<String> partitions() {
        List<String> several = conditions().partitions();
        return several.isEmpty() ? List.of(partition) : several;
    }

    /// The same job that may start in each of these, and is in the first.
    public JobDescription inAnyOf(List<String> names) {
        List<String> several = names.size() > 1 ? names : List.of();
        return in(names.getFirst()).on(conditions().with(to -> to.partitions = several));
    }

    /// The place in an array; null for a job that is none of an array's.
    public @Nullable ArrayTask array() {
        return terms == null ? null : terms.array();
    }

    /// The place in a heterogeneous job; null for a job that is no component of one.
    public @Nullable HetComponent het() {
        return terms == null ? null : terms.het();
    }
}
