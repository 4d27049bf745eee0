package io.berth.submit;

import static io.berth.submit.Checks.quoted;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.HetComponent;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.slurm.JobText;
import io.berth.submit.Refusal.InvalidRequest;
import org.jspecify.annotations.Nullable;

/// Jobs as people name them ([JobText]).
///
/// @param tasks null if none are named
/// @param component null if none is named
public record JobName(JobId id, @Nullable IndexSet tasks, @Nullable Integer component) {

    /// All of a job.
    public JobName(JobId id) {
        this(id, null, null);
    }

    /// @throws Refused if the text is no name
    public static JobName parse(String text) throws Refused {
        JobText name = JobText.parse(text);
        if (name != null && name.id() > 0) {
            return new JobName(new JobId(name.id()), name.tasks(), name.component());
        }
        throw new Refused(
                new InvalidRequest(
                        "a job id is a positive number such as 17, a task of an array such as 17_4"
                                + " or 17_[1-3], or a component such as 17+1, and not "
                                + quoted(text)));
    }

    /// Whether that is one of the jobs that the name means.
    public boolean names(Job job) {
        ArrayTask task = job.description().array();
        HetComponent het = job.description().het();
        return new JobText(id.value(), tasks, component)
                .names(
                        job.id().value(),
                        task == null ? 0 : task.array().value(),
                        task == null ? 0 : task.task(),
                        het == null ? 0 : het.first().value());
    }

    @Override
    public String toString() {
        return id
                + (tasks == null ? "" : "_[" + tasks + "]")
                + (component == null ? "" : "+" + component);
    }
}
