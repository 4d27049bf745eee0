package io.berth.core.engine;

import io.berth.core.engine.Node.Step;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What comes free and what is taken on a node, in the order of time: the ends of its runs, or the
/// starts and ends of what is reserved.
///
/// What nearly every demand is of stands row by row in one array, so that a walk over the time of a
/// node reads memory in order. Only what is not [plain][#plain] must be looked up where it lies. It
/// is changed in place, so that a job that comes or goes leaves no garbage.
final class Timeline {

    /// Of each step its time, its memory, its lane above its CPUs, and its GPUs above two marks.
    private static final int ROW = 4;

    private static final long ODD = 1;
    private static final long COUNTS = 2;
    private static final int MARKS = 2;

    private @Nullable Step[] steps;
    private long[] rows;
    private int length;

    /// @param room for how many steps there is some to begin with
    Timeline(int room) {
        this.steps = new @Nullable Step[room];
        this.rows = new long[ROW * room];
    }

    /// Has these steps from now on.
    ///
    /// @param others in the order of time
    void set(Step... others) {
        clear(0);
        for (Step step : others) {
            add(step);
        }
    }

    int length() {
        return length;
    }

    /// A copy.
    Step[] steps() {
        var all = new Step[length];
        for (int at = 0; at < length; at++) {
            all[at] = step(at);
        }
        return all;
    }

    Step step(int at) {
        return Objects.requireNonNull(steps[at]);
    }

    long time(int at) {
        return rows[ROW * at];
    }

    /// Below zero if they are taken, as all amounts are.
    long memoryMib(int at) {
        return rows[ROW * at + 1];
    }

    int cpus(int at) {
        return (int) rows[ROW * at + 2];
    }

    /// Of its GPUs.
    int lane(int at) {
        return (int) (rows[ROW * at + 2] >> Integer.SIZE);
    }

    /// Of its lane.
    long gpus(int at) {
        return rows[ROW * at + 3] >> MARKS;
    }

    /// How many GPUs, or units, it is of that lane.
    long gpusOf(int at, int lane) {
        return plain(at)
                ? lane(at) == lane ? gpus(at) : 0
                : (long) step(at).sign() * step(at).demand().gpusOf(lane);
    }

    /// Whether it is of CPUs, memory and one lane's GPUs and of what it counts beside, and does not
    /// care who is there.
    boolean plain(int at) {
        return (rows[ROW * at + 3] & ODD) == 0;
    }

    /// Whether it counts anything beside CPUs, memory and GPUs.
    boolean counts(int at) {
        return (rows[ROW * at + 3] & COUNTS) != 0;
    }

    /// Has one step more, behind those of its time.
    void add(Step added) {
        if (length == steps.length) {
            int room = Math.max(2, 2 * length);
            steps = Arrays.copyOf(steps, room);
            rows = Arrays.copyOf(rows, ROW * room);
        }
        int at = length;
        while (at > 0 && time(at - 1) > added.time()) {
            at--;
        }
        System.arraycopy(steps, at, steps, at + 1, length - at);
        System.arraycopy(rows, ROW * at, rows, ROW * (at + 1), ROW * (length - at));
        length++;
        write(at, added);
    }

    private void write(int at, Step step) {
        Demand demand = step.demand();
        boolean odd =
                demand.more().places() > 0 || demand.tenant().alone() || demand.shared() != null;
        long marks = (odd ? ODD : 0) | (demand.counted().places() > 0 ? COUNTS : 0);
        int row = ROW * at;
        steps[at] = step;
        rows[row] = step.time();
        rows[row + 1] = step.sign() * demand.memoryMib();
        rows[row + 2] =
                (long) demand.lane() << Integer.SIZE
                        | Integer.toUnsignedLong(step.sign() * demand.cpus());
        rows[row + 3] = (((long) step.sign() * demand.gpus()) << MARKS) | marks;
    }

    /// Has nothing of a job any more.
    void remove(long job) {
        int kept = 0;
        for (int at = 0; at < length; at++) {
            if (step(at).job() != job) {
                if (kept < at) {
                    steps[kept] = steps[at];
                    System.arraycopy(rows, ROW * at, rows, ROW * kept, ROW);
                }
                kept++;
            }
        }
        clear(kept);
    }

    /// Has no more than the first steps.
    private void clear(int kept) {
        Arrays.fill(steps, kept, length, null);
        length = kept;
    }
}
