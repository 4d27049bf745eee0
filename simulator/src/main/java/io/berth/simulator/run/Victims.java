package io.berth.simulator.run;

import io.berth.core.engine.Clearing;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/// Runs that give way for other jobs, by the numbers of their jobs.
final class Victims {

    private final int[] times;
    private final long[] lost;
    private final TreeSet<Integer> told = new TreeSet<>();

    Victims(int jobs) {
        this.times = new int[jobs];
        this.lost = new long[jobs];
    }

    void tell(Clearing clearing) {
        clearing.victims().forEach(victim -> told.add(victim.intValue()));
    }

    /// Lets all go that were told.
    ///
    /// @param starts of the runs of all jobs; of those that go it is -1 then
    /// @param gone is given each of their jobs
    /// @return whether there was any
    boolean go(long[] starts, long now, IntConsumer gone) {
        boolean any = !told.isEmpty();
        for (int job : told) {
            times[job]++;
            lost[job] += now - starts[job];
            starts[job] = -1;
            gone.accept(job);
        }
        told.clear();
        return any;
    }

    /// How often the job gave way.
    int times(int job) {
        return times[job];
    }

    /// How long the runs had run with which it gave way.
    long lostMillis(int job) {
        return lost[job];
    }
}
