package io.berth.contracts;

import java.util.Comparator;

/// One attempt of a job. The lease counts attempts from 1 and fences late orders and reports.
public record RunId(JobId job, int lease) implements Comparable<RunId> {

    private static final Comparator<RunId> ORDER =
            Comparator.comparing(RunId::job).thenComparingInt(RunId::lease);

    public RunId {
        if (lease < 1) {
            throw new IllegalArgumentException("lease " + lease + " of job " + job + " is below 1");
        }
    }

    @Override
    public int compareTo(RunId other) {
        return ORDER.compare(this, other);
    }

    /// The run's name in paths and logs, `<job>.<lease>`.
    @Override
    public String toString() {
        return job + "." + lease;
    }
}
