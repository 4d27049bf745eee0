package io.berth.contracts;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// The tasks that one submission makes: the first, by index, has the first id, and so on.
///
/// @param tasks their indices
/// @param throttle the most that run at once; 0 is any number
/// @param ids one for each task, ascending; the first is the array's own
public record JobArray(IndexSet tasks, int throttle, List<Ids> ids) {

    /// The most tasks of one array.
    public static final int MAX_TASKS = IndexSet.MAX_INDEX + 1;

    public JobArray {
        ids = List.copyOf(ids);
        long there = ids.stream().mapToLong(Ids::size).sum();
        if (tasks.isEmpty() || there != tasks.size()) {
            throw new IllegalArgumentException(
                    "an array of " + tasks.size() + " tasks has " + there + " ids");
        }
    }

    /// The ids from `first` to `last`.
    public record Ids(long first, long last) {

        public Ids {
            if (first < 1 || last < first) {
                throw new IllegalArgumentException("ids " + first + " to " + last);
            }
        }

        public long size() {
            return last - first + 1;
        }
    }

    /// One task as a job of its own.
    public record Task(JobId job, ArrayTask place) {}

    /// The tasks, by index.
    public List<Task> all() {
        BitSet indices = tasks.toBitSet();
        int min = indices.nextSetBit(0);
        int second = indices.nextSetBit(min + 1);
        var array = new JobId(ids.getFirst().first());
        var all = new ArrayList<Task>(tasks.size());
        int index = min;
        for (Ids range : ids) {
            for (long id = range.first(); id <= range.last(); id++) {
                all.add(
                        new Task(
                                new JobId(id),
                                new ArrayTask(
                                        array,
                                        index,
                                        tasks.size(),
                                        min,
                                        indices.length() - 1,
                                        second < 0 ? 1 : second - min,
                                        throttle)));
                index = indices.nextSetBit(index + 1);
            }
        }
        return all;
    }
}
