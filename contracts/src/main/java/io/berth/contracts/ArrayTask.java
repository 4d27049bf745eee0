package io.berth.contracts;

/// A job's place in its array: Slurm's `<array>_<task>`.
///
/// @param array id of the array: that of its first task
/// @param task the index that `SLURM_ARRAY_TASK_ID` gives
/// @param count tasks that the array was submitted with
/// @param min and
/// @param max bound their indices
/// @param step between the first two indices; 1 if there is one task
/// @param throttle the most tasks of the array that run at once; 0 is any number
public record ArrayTask(
        JobId array, int task, int count, int min, int max, int step, int throttle) {

    public ArrayTask throttled(int most) {
        return new ArrayTask(array, task, count, min, max, step, most);
    }

    /// `123_4`.
    @Override
    public String toString() {
        return array + "_" + task;
    }
}
