package io.berth.simulator.run;

import io.berth.simulator.run.Outcome.Spell;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// What jobs held and asked for, moment by moment.
final class Timeline {

    /// @param job that comes, starts or ends then
    /// @param waits 1 if it waits from then on, -1 if it waits no more
    /// @param holds GPUs that it has from then on, negative if it gives them back
    private record Change(long time, Outcome job, int waits, int holds) {}

    private Timeline() {}

    private static List<Change> changes(List<Outcome> held) {
        var changes = new ArrayList<Change>(3 * held.size());
        for (Outcome it : held) {
            int gpus = it.job().gpus();
            long waitsFrom = it.job().submitMillis();
            for (Spell spell : it.spells()) {
                changes.add(new Change(waitsFrom, it, 1, 0));
                changes.add(new Change(spell.start(), it, -1, gpus));
                changes.add(new Change(spell.end(), it, 0, -gpus));
                waitsFrom = spell.end();
            }
        }
        changes.sort(Comparator.comparingLong(Change::time));
        return changes;
    }

    /// GPU seconds that were free while a job waited that asked for no more GPUs: what is lost to
    /// fragmentation and to what is kept for others.
    static double fragmented(List<Outcome> held, long gpus) {
        var asked = new TreeMap<Integer, Integer>();
        double fragmented = 0;
        long free = gpus;
        long last = 0;
        for (Change change : changes(held)) {
            if (!asked.isEmpty() && asked.firstKey() <= free) {
                fragmented += free * (change.time - last) / 1000.0;
            }
            last = change.time;
            free -= change.holds;
            int wants = change.job.job().gpus();
            if (wants > 0 && change.waits != 0) {
                asked.merge(wants, change.waits, Integer::sum);
                asked.remove(wants, 0);
            }
        }
        return fragmented;
    }

    /// What the jobs of one account had while one of them waited.
    ///
    /// @param seconds in which one waited
    /// @param gpuSeconds that they held in these
    record Want(double seconds, double gpuSeconds) {}

    static Want want(List<Outcome> held) {
        double seconds = 0;
        double gpuSeconds = 0;
        long holding = 0;
        long waiting = 0;
        long last = 0;
        for (Change change : changes(held)) {
            if (waiting > 0) {
                seconds += (change.time - last) / 1000.0;
                gpuSeconds += holding * (change.time - last) / 1000.0;
            }
            last = change.time;
            holding += change.holds;
            waiting += change.waits;
        }
        return new Want(seconds, gpuSeconds);
    }
}
