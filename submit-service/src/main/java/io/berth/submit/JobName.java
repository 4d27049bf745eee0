package io.berth.submit;

import static io.berth.submit.Checks.quoted;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.slurm.ArrayText;
import io.berth.slurm.InvalidOption;
import io.berth.submit.Refusal.InvalidRequest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How people name jobs: `17` is a job, or all tasks of an array; `17_4`, `17_[1-3,7]` and `17_*`
/// are tasks of it.
///
/// @param tasks null if none are named
public record JobName(JobId id, @Nullable IndexSet tasks) {

    private static final Pattern NAME =
            Pattern.compile("(\\d{1,18})(?:_(\\*|\\d+|\\[[^\\]]+\\]))?");

    /// @throws Refused if the text is no name
    public static JobName parse(String text) throws Refused {
        Matcher name = NAME.matcher(text);
        try {
            if (name.matches()) {
                String tasks = name.group(2);
                return new JobName(
                        new JobId(Long.parseLong(name.group(1))),
                        tasks == null || tasks.equals("*") ? null : indices(tasks));
            }
        } catch (IllegalArgumentException | InvalidOption e) {
            // Answered below.
        }
        throw new Refused(
                new InvalidRequest(
                        "a job id is a positive number such as 17, or a task of an array such as"
                                + " 17_4 or 17_[1-3], and not "
                                + quoted(text)));
    }

    private static IndexSet indices(String tasks) throws InvalidOption {
        ArrayText array = ArrayText.parse(tasks);
        return array == null ? IndexSet.EMPTY : array.tasks();
    }

    /// Whether that is one of the jobs that the name means.
    public boolean names(Job job) {
        ArrayTask task = job.description().array();
        if (task == null || !task.array().equals(id)) {
            return tasks == null && job.id().equals(id);
        }
        return tasks == null || tasks.contains(task.task());
    }

    @Override
    public String toString() {
        return id + (tasks == null ? "" : "_[" + tasks + "]");
    }
}
