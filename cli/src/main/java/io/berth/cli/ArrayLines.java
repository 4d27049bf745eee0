package io.berth.cli;

import io.berth.contracts.IndexSet;
import io.berth.contracts.JobState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// The waiting tasks of an array, taken together as `squeue` shows them: `17_[5-99%8]`.
final class ArrayLines {

    /// Slurm's limit of the text between the brackets.
    private static final int MAX_LENGTH = 64;

    private record Group(long array, String partition, String reason) {}

    private ArrayLines() {}

    /// The jobs, in each array those together that wait in the same partitions for the same reason;
    /// in the place of the first.
    static List<JobView> together(List<JobView> jobs) {
        var groups = new LinkedHashMap<Object, List<JobView>>();
        for (JobView job : jobs) {
            Object key =
                    job.array() && job.is(JobState.PENDING)
                            ? new Group(job.number("arrayJob"), job.text("partition"), job.reason())
                            : List.of(job.id(), job.text("partition"));
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

    /// The jobs, of the waiting tasks of each array only the one that comes first.
    static List<JobView> first(List<JobView> jobs) {
        var seen = new HashSet<Long>();
        return jobs.stream()
                .filter(job ->
                        !job.array()
                                || !job.is(JobState.PENDING)
                                || seen.add(job.number("arrayJob")))
                .toList();
    }

    private static String tasks(List<JobView> jobs) {
        return text(
                jobs.stream().mapToInt(job -> (int) job.number("arrayTask")),
                jobs.getFirst().number("arrayThrottle"));
    }

    /// `[5-9,11%2]`
    ///
    /// @param throttle 0 is none
    static String text(IntStream tasks, long throttle) {
        var indices = new BitSet();
        tasks.forEach(indices::set);
        String list = IndexSet.of(indices).toString();
        if (list.length() > MAX_LENGTH) {
            list = list.substring(0, list.lastIndexOf(',', MAX_LENGTH)) + ",...";
        }
        return "[" + list + (throttle == 0 ? "" : "%" + throttle) + "]";
    }
}
