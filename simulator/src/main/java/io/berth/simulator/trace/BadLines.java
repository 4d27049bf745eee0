package io.berth.simulator.trace;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// What becomes of a line that cannot be read: it ends the run, or it is left out and counted.
public final class BadLines {

    /// How many left out lines are named.
    private static final int NAMED = 5;

    private final boolean skip;
    private final List<String> named = new ArrayList<>();
    private int count;

    private BadLines(boolean skip) {
        this.skip = skip;
    }

    public static BadLines refused() {
        return new BadLines(false);
    }

    public static BadLines skipped() {
        return new BadLines(true);
    }

    /// @throws BadTrace if bad lines are refused
    void found(String file, int line, String what) throws BadTrace {
        String where = file + ":" + line + ": " + what;
        if (!skip) {
            throw new BadTrace(where);
        }
        count++;
        if (named.size() < NAMED) {
            named.add(where);
        }
    }

    /// Says on `err` what was left out, if anything was.
    public void report(PrintStream err) {
        named.forEach(line -> err.print("left out " + line + "\n"));
        if (count > 0) {
            err.print("left out " + count + " lines in all\n");
        }
    }

    public int count() {
        return count;
    }

    /// The first lines left out, with their file, number and fault.
    public List<String> named() {
        return List.copyOf(named);
    }
}
