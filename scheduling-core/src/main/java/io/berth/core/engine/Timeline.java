package io.berth.core.engine;

import io.berth.core.engine.Node.Step;
import java.util.Arrays;

/// What comes free and what is taken on a node, in the order of time: the ends of its runs, or the
/// starts and ends of what is reserved. It does not change.
///
/// What nearly every demand is of stands row by row in one array, so that a walk over the time of a
/// node reads memory in order. Only what is not [plain][#plain] must be looked up where it lies.
final class Timeline {

    static final Timeline EMPTY = new Timeline(new Step[0], new long[0]);

    /// Of each step its time, its memory, its lane above its CPUs, and its GPUs above two marks.
    private static final int ROW = 4;

    private static final long ODD = 1;
    private static final long COUNTS = 2;
    private static final int MARKS = 2;

    private final Step[] steps;
    private final long[] rows;

    private Timeline(Step[] steps, long[] rows) {
        this.steps = steps;
        this.rows = rows;
    }

    /// @param steps in the order of time
    static Timeline of(Step... steps) {
        var rows = new long[ROW * steps.length];
        for (int at = 0; at < steps.length; at++) {
            write(rows, at, steps[at]);
        }
        return steps.length == 0 ? EMPTY : new Timeline(steps, rows);
    }

    private static void write(long[] rows, int at, Step step) {
        Demand demand = step.demand();
        boolean odd =
                demand.more().places() > 0 || demand.tenant().alone() || demand.shared() != null;
        long marks = (odd ? ODD : 0) | (demand.counted().places() > 0 ? COUNTS : 0);
        int row = ROW * at;
        rows[row] = step.time();
        rows[row + 1] = step.sign() * demand.memoryMib();
        rows[row + 2] =
                (long) demand.lane() << Integer.SIZE
                        | Integer.toUnsignedLong(step.sign() * demand.cpus());
        rows[row + 3] = (((long) step.sign() * demand.gpus()) << MARKS) | marks;
    }

    int length() {
        return steps.length;
    }

    /// Must not be changed.
    Step[] steps() {
        return steps;
    }

    Step step(int at) {
        return steps[at];
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
                : (long) steps[at].sign() * steps[at].demand().gpusOf(lane);
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

    /// With one step more, behind those of its time.
    Timeline with(Step added) {
        int at = steps.length;
        while (at > 0 && time(at - 1) > added.time()) {
            at--;
        }
        int after = steps.length - at;
        Step[] more = Arrays.copyOf(steps, steps.length + 1);
        System.arraycopy(steps, at, more, at + 1, after);
        more[at] = added;
        long[] all = Arrays.copyOf(rows, ROW * more.length);
        System.arraycopy(rows, ROW * at, all, ROW * (at + 1), ROW * after);
        write(all, at, added);
        return new Timeline(more, all);
    }

    /// Without what is of a job.
    Timeline without(long job) {
        var fewer = new Step[steps.length];
        var rest = new long[rows.length];
        int kept = 0;
        for (int at = 0; at < steps.length; at++) {
            if (steps[at].job() != job) {
                fewer[kept] = steps[at];
                System.arraycopy(rows, ROW * at, rest, ROW * kept, ROW);
                kept++;
            }
        }
        return kept == 0
                ? EMPTY
                : new Timeline(Arrays.copyOf(fewer, kept), Arrays.copyOf(rest, ROW * kept));
    }
}
