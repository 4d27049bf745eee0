package io.berth.cli;

import io.berth.slurm.JobText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// What `sacct -j` selects: `17` a job or all tasks of an array with all of their lines, `17_4` and
/// `17_[1-3]` tasks, `17.batch` and `17_4.0` those lines alone; `17` also all components of a
/// heterogeneous job, and `17+1` one.
///
/// @param each none is everything
record StepSelection(List<Selected> each) {

    private static final Pattern STEP = Pattern.compile("batch|extern|interactive|[0-9]{1,9}");

    /// @param text of `job`
    /// @param step "" for all lines of the job
    private record Selected(String text, JobText job, String step) {

        boolean has(AccountedJob line) {
            return line.isOf(job) && (step.isEmpty() || step.equals(line.step()));
        }
    }

    /// @throws CommandFailure if one is neither
    static StepSelection of(List<String> words) throws CommandFailure {
        var each = new ArrayList<Selected>();
        for (String text : words) {
            int dot = text.indexOf('.');
            String name = dot < 0 ? text : text.substring(0, dot);
            String step = dot < 0 ? "" : text.substring(dot + 1);
            JobText job = JobText.parse(name);
            if (job == null || job.id() == 0 || (dot >= 0 && !STEP.matcher(step).matches())) {
                throw new CommandFailure(1, "sacct: fatal: Bad job/step specified: " + text + "\n");
            }
            each.add(new Selected(name, job, step));
        }
        return new StepSelection(each);
    }

    /// The names of the jobs, in the order given.
    List<String> jobs() {
        return each.stream().map(Selected::text).distinct().toList();
    }

    boolean has(AccountedJob line) {
        return each.isEmpty() || each.stream().anyMatch(it -> it.has(line));
    }
}
