package io.berth.core.placement;

import io.berth.contracts.JobId;
import java.util.TreeMap;
import java.util.TreeSet;

/// Times from which on jobs are to be seen with other eyes though nothing has happened to them.
final class Alarms {

    private final TreeMap<Long, TreeSet<JobId>> ahead = new TreeMap<>();
    private long now;

    Alarms(long now) {
        this.now = now;
    }

    /// Whether that time is still to come. If it is, [#at] returns the job then.
    boolean ahead(JobId job, long time) {
        if (time <= now) {
            return false;
        }
        ahead.computeIfAbsent(time, _ -> new TreeSet<>()).add(job);
        return true;
    }

    /// The jobs whose time has come since the last call.
    TreeSet<JobId> at(long time) {
        now = Math.max(now, time);
        var come = new TreeSet<JobId>();
        while (!ahead.isEmpty() && ahead.firstKey() <= now) {
            come.addAll(ahead.pollFirstEntry().getValue());
        }
        return come;
    }

    /// The next of these times; `Long.MAX_VALUE` if there is none.
    long next() {
        return ahead.isEmpty() ? Long.MAX_VALUE : ahead.firstKey();
    }
}
