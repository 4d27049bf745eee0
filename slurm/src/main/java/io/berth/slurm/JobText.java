package io.berth.slurm;

import io.berth.contracts.IndexSet;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How people name jobs: `17` is a job, or all tasks of an array; `17_4`, `17_[1-3,7]` and `17_*`
/// are tasks of it. `17` is also all components of a heterogeneous job, and `17+1` its second.
///
/// @param id of the job, the array or the heterogeneous job, not negative
/// @param tasks null if none are named
/// @param component null if none is named
public record JobText(long id, @Nullable IndexSet tasks, @Nullable Integer component) {

    private static final Pattern NAME =
            Pattern.compile("(\\d{1,18})(?:_(?:(\\*|\\d+)|\\[([^\\]]+)\\])|\\+(\\d{1,3}))?");

    /// What that text names; null if it names no job.
    public static @Nullable JobText parse(String text) {
        Matcher name = NAME.matcher(text);
        if (!name.matches()) {
            return null;
        }
        long id = Long.parseLong(name.group(1));
        String tasks = name.group(3) == null ? name.group(2) : name.group(3);
        if (name.group(4) != null) {
            return new JobText(id, null, Integer.valueOf(name.group(4)));
        }
        if (tasks == null || tasks.equals("*")) {
            return new JobText(id, null, null);
        }
        try {
            ArrayText array = ArrayText.parse(tasks);
            return array == null ? null : new JobText(id, array.tasks(), null);
        } catch (InvalidOption e) {
            return null;
        }
    }

    /// The names in a list with commas; those in brackets part none.
    public static List<String> split(String list) {
        var names = new ArrayList<String>();
        for (String name : list.split(",(?![^\\[]*\\])")) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    /// Whether it means this job.
    ///
    /// @param array that it is a task of; 0 is none
    /// @param het the first component of the heterogeneous job that it is one of; 0 is none
    public boolean names(long job, long array, int task, long het) {
        if (component != null) {
            return het == id && job == id + component;
        }
        if (array != 0 && array == id) {
            return tasks == null || tasks.contains(task);
        }
        return tasks == null && (job == id || (het != 0 && het == id));
    }
}
