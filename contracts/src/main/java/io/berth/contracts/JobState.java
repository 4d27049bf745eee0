package io.berth.contracts;

/// A job's state, in Slurm's words with its two-letter codes.
///
/// Source: squeue(1), "JOB STATE CODES".
public enum JobState {
    PENDING("PD", false),
    RUNNING("R", false),
    SUSPENDED("S", false),
    /// The outcome is known; resources are held until every node has reported its group empty.
    COMPLETING("CG", false),
    COMPLETED("CD", true),
    CANCELLED("CA", true),
    FAILED("F", true),
    TIMEOUT("TO", true),
    NODE_FAIL("NF", true),
    PREEMPTED("PR", true),
    BOOT_FAIL("BF", true),
    DEADLINE("DL", true),
    OUT_OF_MEMORY("OOM", true);

    private final String code;
    private final boolean terminal;

    JobState(String code, boolean terminal) {
        this.code = code;
        this.terminal = terminal;
    }

    public String code() {
        return code;
    }

    public boolean terminal() {
        return terminal;
    }
}
