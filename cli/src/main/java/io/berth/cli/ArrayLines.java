package io.berth.cli;

import io.berth.contracts.IndexSet;
import io.berth.contracts.JobState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The waiting tasks of an array, taken together as `squeue` shows them: `17_[5-99%8]`.
final class ArrayLines {

    /// Slurm's limit of the text between the brackets.
    private static final int MAX_LENGTH = 64;

    private record Group(long array, String reason) {}

    private ArrayLines() {}

    /// The jobs, in each array those together that wait for the same reason; in the place of the
    /// first.
    static List<JobView> together(List<JobView> jobs) {
        var groups = new LinkedHashMap<Object, List<JobView>>();
        for (JobView job : jobs) {
            Object key =
                    job.array() && job.is(JobState.PENDING)
                            ? new Group(job.number("arrayJob"), job.reason())
                            : (Object) job.id();
            groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(job);
        }
        var lines = new ArrayList<JobView>();
        for (Map.Entry<Object, List<JobView>> group : groups.entrySet()) {
            JobView first = group.getValue().getFirst();
            lines.add(
                    group.getKey() instanceof Group ? first.with(tasks(group.getValue())) : first);
        }
        return lines;
    }

    private static String tasks(List<JobView> jobs) {
        var indices = new BitSet();
        for (JobView job : jobs) {
            indices.set((int) job.number("arrayTask"));
        }
        String list = IndexSet.of(indices).toString();
        if (list.length() > MAX_LENGTH) {
            list = list.substring(0, list.lastIndexOf(',', MAX_LENGTH)) + ",...";
        }
        long throttle = jobs.getFirst().number("arrayThrottle");
        return "[" + list + (throttle == 0 ? "" : "%" + throttle) + "]";
    }
}
